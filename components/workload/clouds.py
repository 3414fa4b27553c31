"""What a cloud's machines need of a pod so that it uses the fabric.

Azure's hypervisor hides the PCI topology of its ND machines, which NCCL must be told: each GPU and NIC is alone on a
bus of its own there, so that NCCL finds no NIC near a GPU and copies by way of the host. Azure's HPC image names a file
in `/etc/nccl.conf` (Azure/azhpc-images topology, customizations/ndv5.sh); the nodes of AKS have no such image, and
Azure's own test mounts the file from a ConfigMap (Azure/aks-rdma-infiniband mpi-job.yaml).

GKE has the plug-in's libraries on the node, and TCPXO a daemon (GKE's guides for GPUDirect-TCPXO and GPUDirect RDMA;
NVIDIA/aicr gke-tcpxo-networking).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.components.facts import NodePool
from bedplate.components.workload.extras import Extras


def extras(fabric: str, pool: NodePool, gpus: int) -> Extras:
    """For a pod with some GPUs of a node of the pool."""
    return azure_extras(pool.topology) if pool.topology else gke_extras(fabric, gpus)


FOLDER = "/etc/nccl-topology"
GPU_CLASS, NIC_CLASS, BRIDGE_CLASS = "0x030200", "0x020700", "0x060400"
VOLUME = "nccl-topology"


@dataclass(frozen=True)
class Socket:
    """One NUMA node: its processors, and the switches below it with the GPUs and NICs of each by their bus."""

    affinity: str
    switches: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Machine:
    """All that NCCL asks of a machine's topology."""

    cpu: str
    """Vendor, family and model."""
    speed: str
    sockets: tuple[Socket, ...]


_ROME = 'vendor="AuthenticAMD" familyid="23" modelid="49"'
_SAPPHIRE_RAPIDS = 'vendor="GenuineIntel" familyid="6" modelid="143"'


def _alone(*gpus: str, first: int) -> tuple[tuple[str, ...], ...]:
    """A switch for each GPU and the NIC of the same number."""
    return tuple((gpu, f"{0x100 + first + index:04x}") for index, gpu in enumerate(gpus))


MACHINES: Mapping[str, Machine] = {
    "ndv4": Machine(
        _ROME,
        "16 GT/s",
        (
            Socket("00000000,00000000,00ffffff", (("0003", "0103", "0004", "0104"),)),
            Socket("00000000,0000ffff,ff000000", (("0001", "0101", "0002", "0102"),)),
            Socket("000000ff,ffff0000,00000000", (("000d", "0107", "000e", "0108"),)),
            Socket("ffffff00,00000000,00000000", (("000b", "0105", "000c", "0106"),)),
        ),
    ),
    "ndv5": Machine(
        _SAPPHIRE_RAPIDS,
        "32.0 GT/s PCIe",
        (
            Socket("00000000,0000ffff,ffffffff", _alone("0001", "0002", "0003", "0008", first=1)),
            Socket("ffffffff,ffff0000,00000000", _alone("0009", "000a", "000b", "000c", first=5)),
        ),
    ),
}
"""By the name that Azure gives the file (Azure/azhpc-images topology/ndv4-topo.xml, ndv5-topo.xml)."""


def file_name(topology: str) -> str:
    """As Azure calls it; also the key of the ConfigMap."""
    return f"{topology}-topo.xml"


def azure_extras(topology: str) -> Extras:
    """For a pod on such a machine."""
    name = file_name(topology)
    return Extras(files={VOLUME: name}, mounts={VOLUME: FOLDER}, env={"NCCL_TOPO_FILE": f"{FOLDER}/{name}"})


def topology_files(topologies: Iterable[str]) -> dict[str, str]:
    """The files by their names."""
    return {file_name(one): "\n".join(_lines(MACHINES[one])) + "\n" for one in sorted(set(topologies) - {""})}


def _lines(machine: Machine) -> Iterator[str]:
    """As NCCL reads it (NVIDIA/nccl src/graph/xml.cc)."""
    bridges = 0
    yield '<system version="1">'
    for number, socket in enumerate(machine.sockets):
        yield f'  <cpu numaid="{number}" affinity="{socket.affinity}" arch="x86_64" {machine.cpu}>'
        for devices in socket.switches:
            bridges += 1
            yield f"    <pci {_pci(f'ffff:ff:{bridges:02x}.0', BRIDGE_CLASS, machine)}>"
            yield from (f"      <pci {_pci(f'{device}:00:00.0', _class(device), machine)}/>" for device in devices)
            yield "    </pci>"
        yield "  </cpu>"
    yield "</system>"


def _class(bus: str) -> str:
    """Azure gives the NICs the numbers from 0x101 on."""
    return NIC_CLASS if int(bus, 16) > 0x100 else GPU_CLASS  # noqa: PLR2004 - said above


def _pci(bus: str, kind: str, machine: Machine) -> str:
    return f'busid="{bus}" class="{kind}" link_speed="{machine.speed}" link_width="16"'


DAEMON = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21"
"""Receive-path daemon; its version goes with the plug-in that the node pool's installer brings."""
ENTRY_POINT = "/fts/entrypoint_rxdm_container.sh"
LIBRARIES = "/usr/local/nvidia"
LIBRARY_PATH = {"LD_LIBRARY_PATH": f"{LIBRARIES}/lib64"}
NCCL_LIBRARIES = {"NCCL_LIB_DIR": f"{LIBRARIES}/lib64"}
"""Where the plug-in's environment script looks for its tuner and its check of the configuration; it sets neither
without it (container-engine-accelerators, gpudirect-tcpxo/README.md, NCCL configs)."""
STARTED = "/run/health-check"
"""File that the daemon makes when it is ready (gpudirect-tcpxo/best-practice.md)."""


def gke_extras(fabric: str, gpus: int) -> Extras:
    """For a pod on this fabric."""
    match fabric:
        case "tcpxo":
            return _tcpxo(gpus)
        case "gib":
            return Extras(
                volumes={"nvidia-libraries": "/home/kubernetes/bin/nvidia", "gib": "/home/kubernetes/bin/gib"},
                mounts={"nvidia-libraries": LIBRARIES, "gib": "/usr/local/gib"},
                env=LIBRARY_PATH,
            )
        case _:
            return Extras()


def _tcpxo(gpus: int) -> Extras:
    devices = [*(f"nvidia{i}" for i in range(gpus)), "nvidiactl", "nvidia-uvm", "dmabuf_import_helper"]
    return Extras(
        volumes={
            "nvidia-libraries": "/home/kubernetes/bin/nvidia",
            "aperture-devices": "/dev/aperture_devices",
            "node-sys": "/sys",
            "node-proc-sys": "/proc/sys",
        },
        mounts={"nvidia-libraries": LIBRARIES, "aperture-devices": "/dev/aperture_devices"},
        env={**LIBRARY_PATH, **NCCL_LIBRARIES, "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY": "/dev/aperture_devices"},
        annotations={
            "devices.gke.io/container.tcpxo-daemon": "".join(f"- path: /dev/{device}\n" for device in devices)
        },
        sidecars=(_daemon(),),
    )


def _daemon() -> dict[str, Any]:
    """A native sidecar: the worker starts when it is ready, and it does not keep a finished job from ending."""
    start = f"chmod 755 {ENTRY_POINT} && {ENTRY_POINT} --num_hops=2"
    size = {"cpu": "1", "memory": "2Gi"}
    return {
        "name": "tcpxo-daemon",
        "image": DAEMON,
        "restartPolicy": "Always",
        "command": ["/bin/sh", "-c"],
        "args": [start],
        "env": [
            {"name": name, "value": value} for name, value in {**LIBRARY_PATH, "HEALTH_CHECK_LOG_FILE": STARTED}.items()
        ],
        "startupProbe": {"exec": {"command": ["cat", STARTED]}, "periodSeconds": 5, "failureThreshold": 24},
        "resources": {"requests": size, "limits": size},
        "securityContext": {"capabilities": {"add": ["NET_ADMIN", "NET_BIND_SERVICE"]}},
        "volumeMounts": [
            {"name": "nvidia-libraries", "mountPath": LIBRARIES, "readOnly": True},
            {"name": "node-sys", "mountPath": "/hostsysfs"},
            {"name": "node-proc-sys", "mountPath": "/hostprocsysfs"},
        ],
    }
