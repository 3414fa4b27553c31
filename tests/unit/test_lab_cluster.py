"""What kwokctl is told, and what its complaints become."""

from pathlib import Path

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import COMPONENTS, Cluster, complaint
from bedplate.lab.control_plane import SCHEDULERS, configuration, schedulers


def test_the_control_plane_is_told_to_stay_on_loopback() -> None:
    told = configuration({})
    assert told["options"]["bindAddress"] == "127.0.0.1"
    flags = {flag["key"]: flag["value"] for flag in told["componentsPatches"][0]["extraArgs"]}
    assert flags["advertise-address"] == "127.0.0.1"
    assert flags["service-cluster-ip-range"].startswith("127.")


def test_nothing_of_the_lab_can_lose_a_lease_on_a_busy_machine() -> None:
    patches = {one["name"]: one["extraArgs"] for one in configuration({})["componentsPatches"]}
    assert {"key": "leader-elect", "value": "false"} in patches["kube-controller-manager"]
    assert yaml.safe_load(SCHEDULERS.read_text())["leaderElection"] == {"leaderElect": False}


def test_the_clusters_own_scheduler_leaves_pods_to_a_scheduler_that_really_runs() -> None:
    names = lambda *real: [one["schedulerName"] for one in schedulers(real)["profiles"]]  # noqa: E731
    assert names("jobset") == ["default-scheduler", "volcano", "kai-scheduler"]
    assert names("jobset", "volcano") == ["default-scheduler", "kai-scheduler"]


def test_admission_and_authorization_are_on() -> None:
    options = configuration({})["options"]
    assert options["kubeAuthorization"]
    assert options["kubeAdmission"]


def test_our_binaries_are_named_and_what_is_absent_is_left_to_kwokctl() -> None:
    options = configuration({"etcd": Path("bin/etcd"), "kwokctl": Path("bin/kwokctl")})["options"]
    assert options["etcdBinary"] == "bin/etcd"
    assert "kubeApiserverBinary" not in options


def test_a_log_record_of_kwokctl_becomes_a_sentence() -> None:
    record = '{"level":"INFO","msg":"Cluster is creating"}\n{"level":"ERROR","msg":"Execute exit","err":"empty path"}'
    assert complaint(record) == "Execute exit: empty path"


def test_other_output_is_kept_whole() -> None:
    assert complaint("error: one\nerror: two\n") == "error: one\nerror: two"


def test_a_missing_kwokctl_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabError, match="no `kwokctl` on the PATH"):
        Cluster().start()


def test_taking_away_a_lab_that_never_was_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Cluster("nowhere").stop()
    assert list(tmp_path.iterdir()) == []


def test_a_controller_that_gave_up_on_a_slow_api_server_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class SlowError(Exception):
        """Where the part of a start that is looked at here ends."""

    running, asked = set(COMPONENTS), list[tuple[str, ...]]()

    def stop(*_: object) -> None:
        raise SlowError

    monkeypatch.setattr(Cluster, "_create", lambda _: None)
    monkeypatch.setattr(Cluster, "processes", lambda _: dict.fromkeys(running, 1))
    monkeypatch.setattr(Cluster, "_kwokctl", lambda _, *words: asked.append(words))
    monkeypatch.setattr(Cluster, "authority", "")
    monkeypatch.setattr(Cluster, "apply", stop)
    for dead, starts in (("none", 0), ("kube-controller-manager", 1)):
        running.discard(dead)
        with pytest.raises(SlowError):
            Cluster("slow").start()
        assert len(asked) == starts
