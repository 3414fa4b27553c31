"""The pages: every link leads somewhere, and a reader who follows links from the README finds each of them."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.rooms import ROOT

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SVG = "{http://www.w3.org/2000/svg}"
TREE = "│├└─ "
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})


def links(page: Path) -> list[tuple[Path, str]]:
    """Pages and anchors that a page names, of ours."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = LINK.findall(text)
    return [((page.parent / path).resolve() if path else page, anchor) for path, anchor in found if "://" not in path]


@cache
def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return set(re.findall(r'<a id="([^"]+)"', text)) | {
        re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target, anchor in links(page):
        assert target.exists(), f"{page.name} links to {target}"
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), f"{page.name}: #{anchor}"


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            waiting += [target for target, _ in links(page)]
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []


def test_the_output_that_the_readme_shows_is_real() -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("$ bedplate plan onprem-h100-roce\n", 1)[1]
    lines = [line.strip(TREE) for line in shown.split("```", 1)[0].splitlines() if line != "…"]
    command = [sys.executable, "-m", "bedplate", "plan", "onprem-h100-roce"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines_said = {line.replace("\N{NO-BREAK SPACE}", " ").strip(TREE) for line in said.splitlines()}
    assert len(lines) > 5
    assert [line for line in lines if line not in lines_said] == []


def test_what_the_readme_says_of_its_first_profile_is_what_its_plan_says(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "prod.yaml").write_text(readme.split("```yaml\n", 1)[1].split("```", 1)[0])
    command = [sys.executable, "-m", "bedplate", "plan", str(tmp_path / "prod.yaml"), "--json"]
    plan = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    counts = plan["counts"]
    assert f"**{sum(counts.values())} resources, {len(plan['releases'])} charts**" in readme
    assert f"**{len(plan['gates'])} gates**" in readme
    assert counts["IPPool"] == counts["MacvlanNetwork"] == 8
    assert f"{counts['ValidatingAdmissionPolicy']} **admission policies**" in readme
    assert "a **queue** of 64 GPUs" in readme
    assert "quotas 64 of 64 GPUs" in plan["sizing"]["fit"][0]["queue"]
    parts = len(ET.parse(ROOT / "docs/pictures/onprem-h100-roce-order.svg").findall(f".//{SVG}g"))  # noqa: S314 - our own
    assert f"{parts} parts, drawn from its plan" in readme
