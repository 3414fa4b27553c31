"""The PCI topology of Azure's ND machines, which their hypervisor hides and NCCL must be told.

Each GPU and NIC is alone on a bus of its own there, so that NCCL finds no NIC near a GPU and copies by way of the host.
Azure's HPC image names a file in `/etc/nccl.conf` (Azure/azhpc-images topology, customizations/ndv5.sh); the nodes of
AKS have no such image, and Azure's own test mounts the file from a ConfigMap (Azure/aks-rdma-infiniband mpi-job.yaml).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bedplate.components.workload.extras import Extras

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


def extras(topology: str) -> Extras:
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
            yield from (f"      <pci {_pci(f'{one}:00:00.0', _class(one), machine)}/>" for one in devices)
            yield "    </pci>"
        yield "  </cpu>"
    yield "</system>"


def _class(bus: str) -> str:
    """Azure gives the NICs the numbers from 0x101 on."""
    return NIC_CLASS if int(bus, 16) > 0x100 else GPU_CLASS  # noqa: PLR2004 - said above


def _pci(bus: str, kind: str, machine: Machine) -> str:
    return f'busid="{bus}" class="{kind}" link_speed="{machine.speed}" link_width="16"'
