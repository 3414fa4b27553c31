"""A check never passes in silence: what was judged, what was not and why is said, and nothing judged is no success."""

import io
import sys
from pathlib import Path

import pytest

from bedplate.policies.command.cli import main
from bedplate.policies.judging.kinds import known
from bedplate.policies.manifests.read import read
from tests.unit.policies.test_cli import ADVISORY, CLEAN, MANDATORY, write

CORPUS = Path(__file__).parents[2] / "corpus"


class Piped:
    """Standard input with these bytes."""

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_manifests_are_read_from_standard_input(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(MANDATORY))
    assert main(["check", name]) == 1
    out = capsys.readouterr().out
    assert out.startswith("stdin\n  mandatory STO-701 line 4")
    assert out.splitlines()[-1] == "1 object judged in 1 file"


def test_the_end_says_objects_files_unknown_kinds_and_what_was_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # without helm
    write(tmp_path, fine=CLEAN, values="replicas: 3\n", odd="apiVersion: x.io/v1\nkind: Widget\nmetadata: {name: w}\n")
    (tmp_path / "chart" / "templates").mkdir(parents=True)
    (tmp_path / "chart" / "Chart.yaml").write_text("name: c\n")
    (tmp_path / "chart" / "templates" / "a.yaml").write_text("name: {{ .Values.x }}\n")
    assert main(["check", str(tmp_path), "--exclude", "nothing-like-it"]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "1 object judged in 4 files",
        "not judged, of kinds that no rule knows: Widget (1)",
        "skipped: 2 \N{MULTIPLICATION SIGN} document that is no Kubernetes object",
        "skipped: 1 \N{MULTIPLICATION SIGN} template of a chart (render it: `helm template ... | check -`)",
    ]


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_a_program_reads_the_report_and_people_read_the_end_beside_it(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(write(tmp_path, fine=CLEAN)), "--format", form]) == 0
    streams = capsys.readouterr()
    assert "judged in" not in streams.out
    assert streams.err == "1 object judged in 1 file\n"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"values": "replicas: 3\n"},
        {"empty": "---\n# nothing\n---\n"},
        {"odd": "apiVersion: apps/v1\nkind: Deploymnet\nmetadata: {name: w}\n"},
        {"list": "apiVersion: v1\nkind: List\nitems: []\n"},
    ],
)
def test_where_nothing_was_judged_the_status_is_2(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(write(tmp_path, **files))]) == 2
    assert "nothing was judged; name files or folders with Kubernetes objects" in capsys.readouterr().err


@pytest.mark.parametrize("pattern", ["vendor", "vendor/*", "*/broken.yaml", "broken.*"])
def test_excluded_files_and_folders_are_left_out_and_counted(
    pattern: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "vendor").mkdir()
    write(tmp_path / "vendor", broken="a: [")
    assert main(["check", str(write(tmp_path, fine=CLEAN)), "--exclude", pattern]) == 0
    assert "skipped: 1 \N{MULTIPLICATION SIGN} file that --exclude names" in capsys.readouterr().out


def test_a_broken_document_hides_neither_those_before_nor_those_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, three=f"{MANDATORY}---\na: [\n---\n{ADVISORY}")
    assert main(["check", str(tmp_path)]) == 2
    streams = capsys.readouterr()
    assert "STO-701 line 4" in streams.out
    assert "INF-614 line 11" in streams.out
    assert "three.yaml: line 7: " in streams.err


@pytest.mark.parametrize(
    "text",
    [
        "when: 2027-99-99\n",
        "a: &a [*a]\n",
        "{a: b}: c\n",
        "a: " + "[" * 3000 + "\n",
        "a: \x01\n",
        "Bucket: !Sub '${x}'\n",
    ],
)
def test_what_one_file_holds_never_stops_the_others(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(write(tmp_path, strange=text, wrong=MANDATORY))])
    assert "STO-701" in capsys.readouterr().out


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "absent")
    (tmp_path / "bytes.yaml").write_bytes(b"a: \xff\xfe\n")
    write(tmp_path, wrong=MANDATORY)
    reading = read([tmp_path])
    assert [each.kind for each in reading.resources] == ["PersistentVolume"]
    assert [fault.removeprefix(f"{tmp_path}/").split(":")[0] for fault in reading.faults] == ["bytes.yaml", "gone.yaml"]
    assert "No such file" in reading.faults[1]


def test_items_of_a_list_are_objects_and_a_date_stays_text(tmp_path: Path) -> None:
    items = "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  apiVersion: v1\n  metadata: {annotations: {a: 2027-01-31}}\n"
    (found,) = read([write(tmp_path, items=items)]).resources
    assert found.kind == "Pod"
    assert found.annotations == {"a": "2027-01-31"}


def test_every_kind_of_the_corpus_is_known() -> None:
    reading = read([CORPUS])
    assert {each.kind for each in reading.resources if not known(each)} == set()
