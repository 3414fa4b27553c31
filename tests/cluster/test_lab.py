"""The lab itself: what runs, where it listens, what it leaves behind."""

import ipaddress
import os
import select
import signal
from pathlib import Path

import pytest

from bedplate.lab.__main__ import main
from bedplate.lab.binaries import KUBERNETES, LabError
from bedplate.lab.cluster import COMPONENTS, Cluster, alive


def listening(pid: int) -> list[str]:
    """The addresses on which a process listens, from the kernel's own tables."""
    inodes = {link.readlink().name for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
    found: list[str] = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            local, state, inode = (line.split()[column] for column in (1, 3, 9))
            if state == "0A" and f"socket:[{inode}]" in inodes:
                found.append(address(local.split(":")[0]))
    return found


def address(kernel: str) -> str:
    """An address as the kernel prints it: 32-bit words in the machine's byte order."""
    words = [bytes.fromhex(kernel[start : start + 8])[::-1] for start in range(0, len(kernel), 8)]
    return str(ipaddress.ip_address(b"".join(words)))


@pytest.mark.parametrize(
    ("kernel", "printed"),
    [("0100007F", "127.0.0.1"), ("00000000", "0.0.0.0"), ("0" * 24 + "01000000", "::1")],  # noqa: S104 - as data
)
def test_addresses_of_the_kernel_are_read(kernel: str, printed: str) -> None:
    assert address(kernel) == printed


def test_every_component_runs_and_listens_on_loopback_alone(cluster: Cluster) -> None:
    processes = cluster.processes()
    assert set(processes) == set(COMPONENTS)
    for component, pid in processes.items():
        addresses = listening(pid)
        assert addresses, f"{component} listens nowhere"
        assert all(ipaddress.ip_address(a).is_loopback for a in addresses), f"{component} listens on {addresses}"


def test_services_get_addresses_that_never_leave_the_machine(cluster: Cluster) -> None:
    ip = cluster.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
    assert ipaddress.ip_address(ip).is_loopback


def test_the_api_server_says_the_pinned_version(cluster: Cluster) -> None:
    assert f'"gitVersion": "{KUBERNETES}"' in cluster.kubectl("get", "--raw", "/version")


def test_a_second_start_changes_nothing(cluster: Cluster) -> None:
    before = cluster.processes()
    cluster.start()
    assert cluster.processes() == before


def test_an_unknown_field_is_refused(cluster: Cluster) -> None:
    typo = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "typo", "namespace": "default"}, "date": {}}
    with pytest.raises(LabError, match=r"unknown field|field not declared"):
        cluster.apply([typo])


def test_a_lab_that_is_taken_away_leaves_no_process_and_no_file(cluster: Cluster) -> None:
    other = Cluster(f"{cluster.name}-other", cluster.binaries)
    other.start()
    processes = other.processes()
    assert len(processes) == len(COMPONENTS)
    other.stop()
    assert not other.folder.exists()
    assert [name for name, pid in processes.items() if alive(pid)] == []
    assert len(cluster.processes()) == len(COMPONENTS), "the neighbour still runs"


def test_a_process_that_died_is_named_and_the_next_start_brings_it_back(cluster: Cluster) -> None:
    scheduler = cluster.processes()["kube-scheduler"]
    end = os.pidfd_open(scheduler)
    os.kill(scheduler, signal.SIGKILL)
    select.select([end], [], [], 10)
    os.close(end)
    with pytest.raises(LabError, match=r"kube-scheduler of lab .* does not run: "):
        cluster.check()
    cluster.start()
    assert set(cluster.processes()) == set(COMPONENTS)


def test_status_names_what_runs(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--name", cluster.name, "status"]) == 0
    assert f"kube-apiserver           process {cluster.processes()['kube-apiserver']}" in capsys.readouterr().out
