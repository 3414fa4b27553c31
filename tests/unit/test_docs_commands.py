"""Every command that the pages show: those that need no cluster run, of the others command and options are known.

A line that another tool answers for is marked by that tool's name, in `BROUGHT`.
"""

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from bedplate.cli import main
from bedplate.commands import COMMANDS
from tests.rooms import ROOT
from tests.stack_files import document
from tests.unit.inspect.test_machines import recorded
from tests.unit.test_docs import PAGES

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:\.venv/bin/)?bedplate [^`]+|make [a-z-]+[^`]*|python -m [^`]+)`")
BROUGHT = frozenset(
    [
        "kubectl",
        "helm",
        "pulumi",
        "git",
        "aws",
        "gcloud",
        "curl",
        "export",
        ".ci/pulumi",
        "python",
        "pip",
        "openssl",
        "ssh",
    ]
)
"""Tools of the reader's own, and `.ci/pulumi`, which tests/unit/test_workflows.py runs: these lines need his cluster."""
CLUSTER = frozenset(["preview", "up", "down", "adopt", "pulumi", "lab", "preflight", "verify", "doctor", "node"])
"""Commands that ask a cluster or a cloud."""
HISTORY = frozenset({"diff", "fleet"})
"""Needs a clone with a main branch: tests/unit/review/test_command.py runs it."""
PLACEHOLDER = re.compile(r"<[a-z]+>|\bprod\b|\b[A-Z]{2,}\b(?!-[0-9])|…|\||[A-Z]+\.\.\.")
PAGES_OF_TODAY = [page for page in PAGES if page.name != "CHANGELOG.md" and "decisions" not in page.parts]
"""The others say what was, in the words of their time."""


def shown(page: Path) -> Iterator[str]:
    """The lines of consoles and of code that begin with a command, and commands in a sentence."""
    text = page.read_text(encoding="utf-8")
    for language, body in FENCE.findall(text):
        lines = body.replace("\\\n", " ").splitlines()
        yield from (line.strip().removeprefix("$ ") for line in lines if line.strip().startswith("$ "))
        yield from (line for line in lines if language in ("bash", "sh") and line and not line.startswith((" ", "#")))
    rest = FENCE.sub("", text)
    yield from INLINE.findall(rest)
    words = "|".join(["bedplate", *map(re.escape, BROUGHT)])
    yield from re.findall(rf"^    ((?:\.venv/bin/)?(?:{words}) .*)$", rest, re.MULTILINE)


def ours(line: str) -> list[str]:
    """The words of the `bedplate` in a line, if there is one."""
    parts = re.split(r"\s[|]\s|&&|;", line.split("  #", maxsplit=1)[0].split(" # ", maxsplit=1)[0])
    found = [part.strip().removeprefix(".venv/bin/") for part in parts]
    return next((shlex.split(part)[1:] for part in found if part.startswith("bedplate ")), [])


ALL = [(page, line) for page in PAGES_OF_TODAY for line in shown(page)]
OURS = sorted({" ".join(words) for _, line in ALL if (words := ours(line))})
NEEDS_KUBECTL = ("job submit", "job why", "job list", "job logs", "job cancel")
RUNNING = [
    one
    for one in OURS
    if one.split(maxsplit=1)[0] not in CLUSTER | HISTORY
    and " " in one
    and not one.startswith(NEEDS_KUBECTL)
    and not {"--from-cluster", "--cluster"} & {*one.split()}
    and not PLACEHOLDER.search(one)
    and (not one.startswith(("releases check", "releases update")) or "--offline" in one)  # they ask OSV and registries
]


def test_the_pages_show_commands_of_every_kind() -> None:
    assert len(OURS) > 60
    assert len(RUNNING) > 18


@pytest.mark.parametrize("page", PAGES_OF_TODAY, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_commands_that_somebody_answers_for(page: Path) -> None:
    targets = set(re.findall(r"^([a-z][a-z -]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    made = {name for names in targets for name in names.split()}
    for line in shown(page):
        words = [word for word in line.split() if not re.match(r"[A-Z_0-9]+=", word)]
        if words[0] == "make":
            assert words[1] in made, line
        elif not ours(line):
            assert words[0] in BROUGHT, line
        assert not re.match(r"python -m (bedplate\.)?(plan|policies|lab|sizing|review|jobs|upgrades)\b", line), (
            "say `bedplate`"
        )


@cache
def helped(*words: str) -> str:
    """What a command says about itself."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main([*words, "--help"])
    return said.getvalue()


@pytest.mark.parametrize(
    "line", [one for one in OURS if one.split()[0] not in {"preview", "up", "down", "adopt", "pulumi", "--debug"}]
)
def test_a_command_of_ours_and_its_options_are_known(line: str) -> None:
    words = shlex.split(line)
    assert words[0] in {command.name for command in COMMANDS}
    verbs = [word for word in words[1:2] if re.fullmatch(r"[a-z]+", word) and f" {word}" in helped(words[0])]
    known = helped(words[0]) + (
        helped(words[0], *verbs)
        if verbs and words[0] in ("job", "node", "profile", "size", "rules", "lab", "releases", "fleet")
        else ""
    )
    assert [word for word in words if word.startswith("--") and word.partition("=")[0] not in known] == []


MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages speak of."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "job.yaml").symlink_to(ROOT / "examples" / "jobs" / "trainjob.yaml")
    profile = yaml.safe_dump(document("onprem-h100-roce"))
    for name in ("my-cluster.yaml", "cluster.yaml"):
        (folder / name).write_text(profile)
    for name in ("manifests", "overlays", "deploy"):
        (folder / name).mkdir()
    (folder / "overlays" / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    for name in ("manifest.yaml", "manifests/a.yaml", "overlays/a.yaml", "deploy/a.yaml"):
        (folder / name).write_text(MANIFEST)
    (folder / "gpu-07.node").write_text(recorded("xe9680"))
    (folder / ".bedplate-baseline.json").write_text('{"known": {}}')
    return folder


@pytest.mark.parametrize("line", RUNNING)
def test_a_command_that_needs_no_cluster_runs(
    line: str, desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(MANIFEST.encode())))
    assert main(shlex.split(line)) == 0, capsys.readouterr().err
