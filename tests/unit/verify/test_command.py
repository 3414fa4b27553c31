"""`bedplate verify` says in one line what keeps it from looking, and shows an outcome to people, machines and CI."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bedplate.verify import show
from bedplate.verify.__main__ import main
from bedplate.verify.outcome import Case, Outcome

STACK = "onprem-h100-roce"
KUBECTL = "#!/bin/sh\necho '{nodes}'\n"
WORDS = ("--team", "research", "--image", "example.com/pytorch:1")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kubeconfig with the profile's context, and a kubectl that knows no node."""
    config = tmp_path / "kubeconfig"
    contexts = [{"name": STACK, "context": {"cluster": "c"}}, {"name": "other", "context": {"cluster": "c"}}]
    config.write_text(json.dumps({"contexts": contexts, "current-context": STACK}))
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL.format(nodes=json.dumps({"items": [], "metadata": {"resourceVersion": "1"}})))
    kubectl.chmod(0o755)
    monkeypatch.setenv("KUBECONFIG", str(config))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def test_without_a_section_the_team_and_the_image_must_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([STACK]) == 2
    assert [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()] == [
        "verification.team = absent",
        "verification.image = absent",
    ]


def test_level_nodes_needs_neither_team_nor_image(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([STACK, "--level", "nodes"]) == 1
    assert "0 nodes carry its labels, 8 must be" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--team", "reserch", "--image", "x:1"), "no such team on this cluster; use research or"),
        ((*WORDS, "--pool", "h200"), "--pool = h200: no such pool with GPUs; use h100"),
        ((*WORDS, "--nodes", "h100-9"), "--nodes = h100-9: no such node of a pool with GPUs"),
    ],
)
def test_a_wrong_name_is_one_line(
    words: tuple[str, ...], said: str, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([STACK, *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_no_other_cluster_than_the_profiles_is_touched(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = desk / "kubeconfig"
    config.write_text(config.read_text().replace(f'"current-context": "{STACK}"', '"current-context": "other"'))
    (desk / "kubectl").write_text("#!/bin/sh\ntouch asked\n")
    assert main([STACK, *WORDS]) == 2
    assert "the kubeconfig's current context is other" in capsys.readouterr().err


def test_without_kubectl_it_is_one_line(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main([STACK, *WORDS]) == 2
    assert capsys.readouterr().err.startswith("kubectl: cannot be started (No such file or directory): install it")


def test_a_cluster_that_does_not_answer_is_one_line(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "kubectl").write_text("#!/bin/sh\necho 'connection refused' >&2; exit 1\n")
    assert main([STACK, *WORDS]) == 2
    assert capsys.readouterr().err == "kubectl get --raw /api/v1/nodes: connection refused\n"


def test_a_cluster_without_the_pools_nodes_fails(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([STACK, *WORDS, "--json"]) == 1
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert (case["subject"], case["text"]) == ("h100", "0 nodes carry its labels, 8 must be")


OUTCOME = Outcome(
    "site",
    "full",
    (
        *(Case("GPUs", f"gpu-{number}", "passed", "8 × H100") for number in range(14)),
        Case("fabric", "gpu-3", "failed", "NCCL uses 7 HCAs <&>"),
        Case("NVLink", "gpu-4", "unknown", "its log breaks off"),
    ),
    ("volume home: team research does not mount it",),
)


def test_people_see_what_is_not_well_first_and_no_line_beyond_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    show.show(OUTCOME)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "failed fabric gpu-3: NCCL uses 7 HCAs <&>"
    assert lines[1].startswith("unknown NVLink gpu-4")
    assert "and 2 more" in "".join(lines)
    assert lines[-1] == "14 passed, 1 failed, 1 unknown"
    assert max(map(len, lines)) <= 80


def test_machines_read_when_it_was_so() -> None:
    outcome = replace(OUTCOME, finished=datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC))
    assert json.loads(show.as_json(outcome))["finished"] == "2026-01-02T03:04:05+00:00"
    assert datetime.now(UTC) - Outcome("lab", "quick", ()).finished < timedelta(minutes=5)


def test_what_a_log_holds_never_spoils_the_file_for_ci() -> None:
    case = Case("GPUs", "n1", "failed", "nvidia-smi: \x1b[31mERR!\x00 \ud800 8 × H100")
    (only,) = ET.fromstring(show.junit(Outcome("lab", "quick", (case,))))  # noqa: S314 - our own
    assert only[0].attrib["message"] == "nvidia-smi: \ufffd[31mERR!\ufffd \ufffd 8 × H100"


def test_ci_reads_failures_errors_and_what_was_skipped() -> None:
    suite = ET.fromstring(show.junit(OUTCOME))  # noqa: S314 - our own
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "17", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    assert [one.get("name") for one in suite if one.find("failure") is not None] == ["gpu-3"]


def test_the_page_needs_nothing_else_and_holds_no_markup_of_a_log() -> None:
    page = show.page(OUTCOME)
    assert "NCCL uses 7 HCAs &lt;&amp;&gt;" in page
    assert "http" not in page
    assert "not mount it" in page


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [(["passed"], 0), (["passed", "failed", "unknown"], 1), (["passed", "unknown"], 3), ([], 3)],
)
def test_unknown_is_never_a_pass(statuses: list[str], expected: int) -> None:
    cases = tuple(Case("GPUs", "gpu-0", status) for status in statuses)  # pyright: ignore[reportArgumentType]
    assert Outcome("site", "quick", cases).exit_status == expected
