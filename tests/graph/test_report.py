"""report.html: what somebody sees first, the order that it shows, and a browser that finds nothing to complain about."""

import html
import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bedplate.plan.capture import capture
from bedplate.plan.graph import Graph
from bedplate.plan.pictures import pictures
from bedplate.plan.report import report
from bedplate.plan.summary import summary
from bedplate.plan.teams import Quota, quotas
from bedplate.plan.waves import in_words, waves
from tests.graph.test_plan_markdown import DIFF

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MEASURE = """<pre id="found"></pre><script>%s</script><script>
onload = () => {
  const narrow = document.createElement('iframe');
  narrow.width = 400; narrow.height = 800; narrow.src = 'report.html';
  narrow.onload = async () => {
    const inner = narrow.contentDocument.documentElement, wide = inner.scrollWidth;
    narrow.remove();
    const found = await axe.run(document, {rules: {region: {enabled: false}}});
    document.getElementById('found').textContent = JSON.stringify({
      wide, texts: found.passes.filter(one => one.id === 'color-contrast').map(one => one.nodes.length)[0],
      dark: matchMedia('(prefers-color-scheme: dark)').matches, passes: found.passes.length,
      violations: found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' ').slice(0, 300))});
  };
  document.body.append(narrow);
};
</script></body>"""
"""The page in 400 pixels, then axe over the whole of it; `region` would complain about the measuring itself."""


@pytest.fixture(scope="module")
def roce() -> Graph:
    return capture("onprem-h100-roce")


@pytest.fixture(scope="module")
def page(roce: Graph) -> str:
    brief = summary(roce)
    return report(roce, brief, dict(pictures(roce, brief["sizing"])))


def text(page: str, begin: str, end: str) -> str:
    part = page.split(begin, 1)[1].split(end, 1)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", part)).split())


def test_what_the_change_does_to_the_running_cluster_is_on_the_page(roce: Graph, page: str) -> None:
    compared = report(roce, summary(roce) | {"diff": DIFF}, {})
    said = text(compared, '<h2 id="change">', '<h2 id="size">')
    assert "64 GPUs of pool h100" in said
    assert "evicts jobs update Release kueue its <quota> shrinks" in said
    assert '<a href="#change">Change</a>' in compared
    assert 'id="change"' not in page


def test_the_first_screen_says_what_it_is_whether_it_is_all_right_and_what_can_hurt(page: str) -> None:
    first = text(page, "<section", "</section>")
    assert "Platform kubeadm, Kubernetes 1.35" in first
    assert "11 nodes, 64 GPUs GPUs 64 × H100-80GB-HBM3 Fabric roce, 8 rails Cost" in first
    assert "Jobs wait in kueue" in first
    assert "All right: no rule complains" in first
    assert "To set before it comes up: bedplate:" in first
    assert "The gates on the way may take 2 h 30 min, until the last, pools-ready, gives up" in first


def test_what_is_refused_is_said_first(roce: Graph) -> None:
    complaint = {"severity": "mandatory", "rule": "GPU-101", "message": "no <such> key", "resource": "x", "file": None}
    said = report(roce, summary(roce) | {"verdicts": [complaint]}, {})
    first = text(said, "<section", "</section>")
    assert "Refused: 1 mandatory 1 mandatory, 0 advisory, 0 waived" in first
    assert "GPU-101: no <such> key" in first
    assert "no &lt;such&gt; key" in said


def test_a_wave_waits_for_earlier_waves_alone_and_every_component_stands_in_one(roce: Graph) -> None:
    found = waves(roce)
    place = {part.name: number for number, wave in enumerate(found.waves) for part in wave}
    assert len(place) == sum(map(len, found.waves)) > 30
    for number, wave in enumerate(found.waves):
        for part in wave:
            before = [place[name] for name in part.after]
            assert max(before, default=-1) == number - 1, part.name


def test_the_longest_chain_is_that_of_the_gates_that_come_one_after_the_other(roce: Graph) -> None:
    found = waves(roce)
    assert [gate.name for gate in found.chain] == ["network-operator-ready", "gpu-operator-ready", "pools-ready"]
    assert found.worst == "2 h 30 min"
    critical = {part.name for wave in found.waves for part in wave if part.critical}
    assert critical == {"nics", "gpus", "pools"}


def test_lengths_of_time_are_said_in_words() -> None:
    assert [in_words(seconds) for seconds in (45, 1800, 3600, 9000)] == ["45 s", "30 min", "1 h", "2 h 30 min"]


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("onprem-h100-roce", [Quota("research", "nvidia.com/gpu", 40, 64), Quota("serving", "nvidia.com/gpu", 24, 64)]),
        (
            "onprem-h100-ib",
            [Quota("pretraining", "nvidia.com/gpu", 96, 128), Quota("alignment", "nvidia.com/gpu", 32, 32)],
        ),
    ],
    ids=["kueue", "volcano"],
)
def test_teams_have_what_their_queue_gives_and_the_most_of_their_quota(stack: str, expected: list[Quota]) -> None:
    graph = capture(stack)
    assert quotas(summary(graph)["resources"]) == expected
    bars = re.findall(r'<i style="width: (\d+)%"></i><i style="width: (\d+)%">', report(graph, summary(graph), {}))
    whole = max(one.most for one in expected)
    assert bars == [(str(round(100 * one.most / whole)), str(round(100 * (one.own or 0) / whole))) for one in expected]


def test_the_page_runs_nothing_fetches_nothing_and_has_its_landmarks(page: str) -> None:
    assert not re.search(r"<script|<link|<img|@import|url\((?!#)|https?://(?!www\.w3\.org/2000/svg)[^<]*\"", page)
    assert all(f"<{part}" in page for part in ("header", "main", "nav"))
    targets = re.findall(r'href="#([^"]+)"', page)
    assert targets
    assert [one for one in targets if f'id="{one}"' not in page] == []
    assert page.count('<div class="wide"') == page.count('class="wide" tabindex="0" role="region"')
    assert "@media print" in page


def refused(stack: str) -> str:
    """The page of a cluster whose nodes have prices, with something of every severity."""
    graph = capture(stack)
    verdicts = [
        {"severity": severity, "rule": f"GPU-10{number}", "message": "no such key", "resource": "x", "file": None}
        for number, severity in enumerate(("mandatory", "advisory", "waived"))
    ]
    brief = summary(graph) | {"verdicts": verdicts}
    return report(graph, brief, dict(pictures(graph, brief["sizing"])))


INKS = ("ink", "dim", "bad", "warn", "good", "own")
"""Colours of text on either ground; `markink` stands on `mark` alone."""
ENOUGH = 4.5
"""WCAG 2.2, 1.4.3: level AA for text of any size."""


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("which", range(3), ids=["light", "dark", "print"])
def test_every_text_stands_out_from_its_ground_also_where_axe_cannot_tell(page: str, which: int) -> None:
    palette = dict(re.findall(r"--([a-z]+): #([0-9a-f]{3,6})", re.findall(r":root \{([^}]*)\}", page)[which]))
    pairs = [(ink, ground) for ink in INKS for ground in ("page", "soft")] + [("markink", "mark")]
    found = {pair: round(contrast(palette[pair[0]], palette[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in found.items() if ratio < ENOUGH} == {}
    assert contrast("000", "fff") == pytest.approx(21)


def test_no_text_has_a_colour_that_the_palette_does_not_name(page: str) -> None:
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    stated = set(re.findall(r"(?<!-)color: ([^;}]+)", re.sub(r"color-scheme: [^;]+", "", style)))
    assert stated == {f"var(--{ink})" for ink in (*INKS, "markink")} | {"inherit"}
    assert set(re.findall(r'style="([^"]*)"', page)) <= {"margin: 0 0 .4rem"} | set(
        re.findall(r'style="(width: \d+%)"', page)
    )


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("which", ["clean", "priced and refused"])
def test_a_browser_reads_it_at_400_pixels_and_axe_finds_nothing(
    page: str, which: str, mode: str, tmp_path: Path
) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    axe = importlib.util.find_spec("axe_core_python")
    if not browser or not axe or not axe.origin:
        pytest.skip(f"no {'axe' if browser else 'Chromium'} on this machine")
    shown = page if which == "clean" else refused("eks-p5")
    assert ("an hour" in text(shown, "<section", "</section>")) is (which != "clean")
    script = (Path(axe.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    (tmp_path / "report.html").write_text(shown)
    (tmp_path / "measured.html").write_text(shown.replace("</body>", MEASURE.replace("%s", script)))
    found = measured(browser, tmp_path, mode)
    assert found["violations"] == []
    assert found["passes"] > 10, "axe has looked"
    assert found["texts"] > 100, "and at the contrast of texts"
    assert found["dark"] is (mode == "dark")
    assert found["wide"] <= 400


def measured(browser: str, folder: Path, mode: str) -> dict[str, Any]:
    scheme = f"--blink-settings=preferredColorScheme={0 if mode == 'dark' else 1}"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", scheme]
    command = [browser, *options, f"--user-data-dir={folder / 'browser'}", "--virtual-time-budget=60000", "--dump-dom"]
    done = subprocess.run(
        [*command, (folder / "measured.html").as_uri()], capture_output=True, text=True, timeout=300, check=True
    )
    return json.loads(html.unescape(re.findall(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)[0]))
