"""Advisories about what is installed: our own list, OSV's records, and what a cluster runs."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bedplate.charts import sets
from bedplate.live.kinds import POD
from bedplate.live.reading import Observed
from bedplate.releases import check, cli, osv
from bedplate.releases.check import Finding, Item
from bedplate.releases.osv import concerns, exported, severity
from bedplate.wrong import WrongError

KEDA, PAIR = "GHSA-637c-6jxx-4rwm", "kubernetes-sigs/kueue#14836"
VOLCANO = "Go/volcano.sh/volcano"


def record(*events: tuple[str, str], name: str = "volcano.sh/volcano", ecosystem: str = "Go", **more: Any) -> Any:
    ranges = [{"type": "SEMVER", "events": [{kind: at} for kind, at in events]}]
    affected = {"package": {"ecosystem": ecosystem, "name": name}, "ranges": ranges}
    return {"id": "GO-2026-1", "summary": "a fault", "affected": [affected], **more}


FIXED = record(("introduced", "0"), ("fixed", "1.15.2"))
TWICE = record(("introduced", "1.13.0"), ("fixed", "1.13.3"), ("introduced", "1.15.0"), ("fixed", "1.15.2"))
OPEN = record(("introduced", "1.14.0"))
LAST = record(("introduced", "0"), ("last_affected", "1.15.1"))
LISTED = {"id": "X", "affected": [{"package": {"ecosystem": "PyPI", "name": "vLLM"}, "versions": ["0.32.0"]}]}


@pytest.mark.parametrize(
    ("one", "package", "release", "has"),
    [
        (FIXED, VOLCANO, "1.15.1", (True, "1.15.2")),
        (FIXED, VOLCANO, "v1.15.2", (False, "")),
        (FIXED, VOLCANO, "1.15.2-rc.1", (True, "1.15.2")),
        (FIXED, "Go/volcano.sh/apis", "1.15.1", (False, "")),
        (FIXED, "PyPI/volcano.sh/volcano", "1.15.1", (False, "")),
        (TWICE, VOLCANO, "1.13.1", (True, "1.13.3")),
        (TWICE, VOLCANO, "1.14.4", (False, "1.15.2")),
        (TWICE, VOLCANO, "1.15.1", (True, "1.15.2")),
        (OPEN, VOLCANO, "1.15.1", (True, "")),
        (OPEN, VOLCANO, "1.13.0", (False, "")),
        (LAST, VOLCANO, "1.15.1", (True, "")),
        (LAST, VOLCANO, "1.15.2", (False, "")),
        ({**FIXED, "withdrawn": "2026-01-01T00:00:00Z"}, VOLCANO, "1.15.1", (False, "")),
        (LISTED, "PyPI/vllm", "0.32.0", (True, "")),
        (LISTED, "PyPI/vllm", "0.32.1", (False, "")),
    ],
)
def test_a_record_concerns_the_releases_of_its_ranges_and_lists(
    one: Any, package: str, release: str, has: tuple[bool, str]
) -> None:
    assert concerns(one, package, release) == has


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (FIXED, "unknown"),
        ({**FIXED, "database_specific": {"severity": "MODERATE"}}, "medium"),
        ({**FIXED, "affected": [{"database_specific": {"severity": "CRITICAL"}}]}, "critical"),
    ],
)
def test_a_severity_is_what_its_publisher_says(one: Any, said: str) -> None:
    assert severity(one) == said


def answers(*pages: object) -> tuple[list[dict[str, Any]], Any]:
    asked: list[dict[str, Any]] = []

    def send(body: bytes) -> bytes:
        asked.append(json.loads(body))
        return json.dumps(pages[len(asked) - 1]).encode()

    return asked, send


def test_osv_is_asked_page_after_page() -> None:
    asked, send = answers({"vulns": [FIXED], "next_page_token": "2"}, {"vulns": [OPEN]})
    assert list(osv.online(VOLCANO, send)) == [FIXED, OPEN]
    package = {"ecosystem": "Go", "name": "volcano.sh/volcano"}
    assert asked == [{"package": package}, {"package": package, "page_token": "2"}]
    assert list(osv.online(VOLCANO, answers({})[1])) == []


def test_who_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(osv, "URL", "https://127.0.0.1:1/v1/query")
    assert cli.main(["check"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("https://127.0.0.1:1/v1/query: ")
    assert "--offline" in line
    with pytest.raises(WrongError, match="answers no JSON"):
        list(osv.online(VOLCANO, lambda _: b"<html>"))


@pytest.mark.parametrize("form", ["record", "list", "folder", "zip"])
def test_records_are_read_as_they_were_exported(tmp_path: Path, form: str) -> None:
    place = tmp_path / "one.json"
    place.write_text(json.dumps(FIXED if form == "record" else [FIXED, LISTED]))
    if form == "zip":
        place = tmp_path / "all.zip"
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("GO-2026-1.json", json.dumps(FIXED))
    ask = exported(tmp_path if form == "folder" else place)
    assert list(ask(VOLCANO)) == [FIXED]
    assert list(ask("Go/another")) == []
    assert list(ask("PyPI/vllm")) == ([LISTED] if form in ("list", "folder") else [])


@pytest.mark.parametrize(
    ("text", "why"), [("{", "is not JSON"), ("[7]", "no record of OSV"), ('{"a": 1}', "no record of OSV")]
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "one.json").write_text(text)
    with pytest.raises(WrongError, match=why):
        exported(tmp_path)
    with pytest.raises(WrongError, match=r"--osv .*absent: cannot be read"):
        exported(tmp_path / "absent")


def test_our_own_list_comes_first_and_osv_repeats_none_of_it() -> None:
    items = [Item("keda", "2.20.2", "Go/github.com/kedacore/keda/v2"), Item("volcano", "1.15.1", VOLCANO)]
    records = {
        items[0].package: [
            record(("introduced", "0"), name="github.com/kedacore/keda/v2", id="GO-1", aliases=[KEDA]),
            record(("introduced", "0"), name="github.com/kedacore/keda/v2", id="GO-2", aliases=["CVE-2026-77524"]),
        ],
        VOLCANO: [FIXED, OPEN],
    }
    found = check.findings(items, records.__getitem__, sets.newest())
    assert [(one.item, one.id) for one in found] == [
        ("keda", KEDA),
        ("volcano", "GHSA-j38h-7pfq-cxmw"),
        ("volcano", "GO-2026-1"),
        ("volcano", "GO-2026-1"),
    ]
    assert {one.fixed for one in found[2:]} == {"1.15.2", ""}


def test_no_critical_advisory_is_open_in_the_newest_set_without_a_reason() -> None:
    assert {one.id for one in check.findings(check.of_set("2026.11"), None, "2026.11")} >= {KEDA, PAIR}
    found = check.findings(check.of_set(sets.newest()), None, sets.newest())
    assert [one for one in found if not one.stays] == []
    assert not check.fails(found, "unknown")


def test_what_is_grave_enough_and_has_no_reason_fails() -> None:
    one = Finding("high", "a", "1", "X", "", "", "")
    assert check.fails([one], "high")
    assert check.fails([one], "low")
    assert not check.fails([one], "critical")
    assert not check.fails([Finding("high", "a", "1", "X", "", "", "", "because")], "high")
    assert not check.fails([one], "never")


def test_every_package_that_osv_is_asked_about_is_of_a_set() -> None:
    items = {one.name: one.package for one in check.of_set(sets.newest())}
    known = check.packages()
    assert known["charts"].keys() | known["images"].keys() <= items.keys()
    assert items["vllm-openai"] == "PyPI/vllm"
    assert {one.name for one in check.of_bedplate()} >= {"pulumi", "pydantic", "pyyaml"}


def test_a_profile_is_asked_about_with_its_own_images(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from tests.stack_files import STACKS

    assert "inference-l40s" in STACKS
    assert cli.main(["check", "inference-l40s", "--offline", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert any(one.startswith("vllm-openai ") for one in said["unasked"])
    (tmp_path / "osv.json").write_text(json.dumps({**LISTED, "database_specific": {"severity": "CRITICAL"}}))
    assert cli.main(["check", "inference-l40s", "--osv", str(tmp_path)]) == 1
    assert "critical: vllm-openai v0.32.0: X" in capsys.readouterr().out
    assert cli.main(["check", "inference-l40s", "--osv", str(tmp_path), "--fail-on", "never"]) == 0


def pod(image: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": "a", "labels": labels}, "status": {"containerStatuses": [{"image": image}]}}


def test_what_runs_is_known_by_images_and_by_the_label_of_charts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pods = [
        pod("registry.k8s.io/kueue/kueue:v0.19.2", **{"helm.sh/chart": "kueue-0.19.2"}),
        pod("example.com/mirror/vllm/vllm-openai:v0.12.0-x86_64@sha256:00"),
        pod("registry.k8s.io/a:1", **{"helm.sh/chart": "kubeflow-trainer-2.3.0"}),
        {"metadata": {"name": "new"}},
    ]
    monkeypatch.setattr(check, "look", lambda *_: Observed({POD: pods}))
    items, _ = check.of_cluster("c")
    assert {(one.name, one.version) for one in items} >= {
        ("kueue", "0.19.2"),
        ("kubeflow-trainer", "2.3.0"),
        ("vllm-openai", "v0.12.0"),
    }
    assert cli.main(["check", "lab", "--live", "--offline"]) == 1
    assert "critical: vllm-openai v0.12.0: GHSA-4r2x-xpjr-7cvv" in capsys.readouterr().out


def test_what_may_not_be_listed_is_no_clean_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "look", lambda *_: Observed(hidden={POD: "you may not list them"}))
    assert cli.main(["check", "lab", "--live", "--offline"]) == 2
    assert "what runs cannot be seen: Pod v1: you may not list them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "--set", "2020.01", "--offline"], "2020.01: no version set of this Bedplate"),
        (["show", "2020.01"], "2020.01: no version set of this Bedplate"),
        (["check", "lab", "--set", sets.newest()], "name a stack"),
        (["check", "--live"], "name a stack"),
        (["check", "nosuch", "--offline"], "nosuch"),
    ],
)
def test_what_cannot_be_asked_is_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize("words", [["show"], ["check", "--offline"]])
def test_a_set_and_its_findings_fit_a_terminal(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    assert "gpu-operator" in said or "keda" in said


def test_a_set_is_there_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["set"], said["charts"]) == (sets.newest(), sets.read(sets.newest())["charts"])
