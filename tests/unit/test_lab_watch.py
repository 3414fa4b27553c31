"""The lab waits by one watch after the other, with pauses between those that end early."""

from pathlib import Path

import pytest

from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import counts, watch
from tests.unit.cluster.stub import Stub


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    return Stub(tmp_path, monkeypatch)


def waited(stub: Stub, seconds: float) -> dict[str, str]:
    cluster = Cluster("x", {"kubectl": stub.here / "kubectl"})
    return watch(cluster, "pods -n research", "{{.status.phase}}", counts("Running", 2), seconds)


def test_all_are_seen_by_one_watch(stub: Stub) -> None:
    stub.plays(list="echo 'a Running'; echo 'b Pending'; echo 'b Running'; exec sleep 20")
    assert waited(stub, 60) == {"a": "Running", "b": "Running"}
    assert len(stub.calls) == 1


def test_a_watch_that_ends_early_is_begun_anew_and_not_at_once(stub: Stub) -> None:
    stub.plays(list="echo 'a Running'; printf 'b Runni'")
    with pytest.raises(LabError, match=r"^pods -n research: not reached within 2 s: 1 Running$"):
        waited(stub, 2)
    assert 3 <= len(stub.calls) <= 6


def test_what_kubectl_complains_of_is_said(stub: Stub) -> None:
    stub.plays(list="echo 'Error from server (Forbidden): pods is forbidden' >&2; exit 1")
    with pytest.raises(LabError, match=r"within 1 s: nothing; pods -n research: .*pods is forbidden$"):
        waited(stub, 1)
