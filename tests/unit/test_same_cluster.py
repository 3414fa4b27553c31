"""A destroy or a refresh begins only on the cluster that the stack's state is of."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bedplate.cluster import identity
from bedplate.engine import command as engine
from bedplate.engine import tool
from tests.unit.cluster.stub import Stub

STACK = "onprem-h100-roce"
CLI = """#!{python}
import pathlib, sys
here = pathlib.Path(__file__).parent
with (here / "told").open("a") as told:
    told.write(" ".join(sys.argv[1:3]) + "\\n")
if sys.argv[1:3] == ["stack", "export"]:
    print((here / "state.json").read_text())
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """A CLI whose stack is of cluster `ours`, and a kubectl."""
    (tmp_path / "pulumi").write_text(CLI.replace("{python}", sys.executable))
    (tmp_path / "pulumi").chmod(0o755)
    monkeypatch.setattr(tool, "cli", lambda: str(tmp_path / "pulumi"))
    monkeypatch.setattr("bedplate.stacks.providers.guard", lambda *_: 0)
    monkeypatch.setenv("PULUMI_BACKEND_URL", "file:///state")
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "")
    identity.identity.cache_clear()
    identity.identity_if_read.cache_clear()
    state(tmp_path, {"context": "c", "clusterUid": "ours"})
    return Stub(tmp_path, monkeypatch)


def state(folder: Path, *outputs: dict[str, Any] | None) -> None:
    resources = [{"urn": "x", "outputs": one} if one else {"urn": "y"} for one in (None, *outputs)]
    (folder / "state.json").write_text(json.dumps({"deployment": {"resources": resources}}))


def told(desk: Stub) -> list[str]:
    return [line.split()[0] for line in (desk.here / "told").read_text().splitlines()]


@pytest.mark.parametrize("words", [["destroy", STACK], ["pulumi", "refresh", STACK]])
def test_another_cluster_is_refused_before_anything_goes(
    desk: Stub, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    desk.plays(list='echo \'{"metadata": {"uid": "theirs"}}\'')
    assert engine.main(words) == engine.WRONG
    said = capsys.readouterr().err
    assert said.startswith(f"{STACK}: context c leads to another cluster than this stack's")
    assert len(said.splitlines()) == 1
    assert told(desk) == ["stack"]


@pytest.mark.parametrize(
    "answer", ['echo \'{"metadata": {"uid": "ours"}}\'', "echo 'Unable to connect to the server: EOF' >&2; exit 1"]
)
def test_its_own_cluster_and_one_that_does_not_answer_are_pulumis_matter(desk: Stub, answer: str) -> None:
    desk.plays(list=answer)
    assert engine.main(["destroy", STACK]) == 0
    assert told(desk) == ["stack", "destroy"]


def test_a_state_that_says_nothing_asks_no_cluster(desk: Stub) -> None:
    state(desk.here, {"context": "c"})
    assert engine.main(["destroy", STACK]) == 0
    assert desk.calls == []
