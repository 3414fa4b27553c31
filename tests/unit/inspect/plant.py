"""A machine as its kernel shows it: /sys and /proc in a folder, nvidia-smi and lspci beside it, and the collector run."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from bedplate.inspect.__main__ import COLLECTOR

GPU_IDS = {
    "NVIDIA H200": "2335",
    "NVIDIA H100 80GB HBM3": "2330",
    "NVIDIA B200": "2901",
    "NVIDIA GB200": "2941",
    "NVIDIA GB300": "31c2",
    "NVIDIA L40S": "26b9",
    "NVIDIA A100-SXM4-80GB": "20b2",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "2bb5",
    "Tesla V100-SXM3-32GB": "1db8",
    "NVIDIA H20": "2329",
    "NVIDIA GB10": "2e12",
}
MEMORY = {"NVIDIA GB10": "[N/A]", "Tesla V100-SXM3-32GB": "32768", "NVIDIA H20": "97871", "NVIDIA GB200": "189471"}
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.105.08  Release Build"


@dataclass(frozen=True)
class Card:
    """A PCI function: a GPU where `rdma` and `interface` are empty."""

    address: str
    numa: int
    switch: str = ""
    """Those with the same hang on one PCIe switch; `a/x` and `a/y` on two below one root port; empty: on none."""
    rdma: str = ""
    interface: str = ""
    device: str = "1021"
    link: str = "Ethernet"
    gbps: int = 400
    up: bool = True
    vfs: int = 16
    mtu: int = 9000
    firmware: str = "28.43.2566"
    model: str = "MT4129"
    above: tuple[str, ...] = ()
    parent: str = ""
    vendor: str = "15b3"
    iommu: str = "identity"


@dataclass(frozen=True)
class Machine:
    """What a source says of a machine."""

    source: str
    product: str
    gpus: tuple[Card, ...]
    nics: tuple[Card, ...]
    rows: tuple[str, ...] = ()
    """Of `nvidia-smi topo -m`: a GPU's levels to the NICs, a word each; empty: no driver is there."""
    old_head: bool = False
    """The matrix names devices, as it did before it had a legend."""
    apart: int = -1
    """A GPU without NVLink."""
    route: str = "eno1"
    os: str = 'ID=ubuntu\nVERSION_ID="24.04"\n'
    cpus: str = "0-223"
    numa: tuple[tuple[int, str, int], ...] = ((0, "0-55,112-167", 1024), (1, "56-111,168-223", 1024))
    """Number, processors and GiB of each NUMA node."""
    nvidia: str = OPEN
    kernel: str = ""
    acs: str = ""
    more: dict[str, str] = field(default_factory=dict)
    """Further files, by path."""


def path(card: Card) -> str:
    """Below /sys/devices; bridges' addresses are ours."""
    if not card.switch:
        return f"pci{card.address[:7]}/{card.address[:7]}:1e.0/{card.address}"
    root, *below = card.switch.split("/")
    number = f"{sum(map(ord, root)) % 256:02x}"
    ways = [f"pci0000:{number}", f"0000:{number}:01.0", f"0000:{number}:02.0"]
    for name in below:
        ways += [f"0000:{number}:{name}.0", f"0000:{number}:{name}.1"]
    return "/".join([*ways, f"0000:{number}:{card.address[-7:-2].replace(':', '')}.7", card.address])


def write(place: Path, text: str) -> None:
    """A file, with its folders."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"{text}\n")


def point(link: Path, target: Path) -> None:
    """A link, with its folders."""
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)


def plant(root: Path, one: Machine) -> None:
    """The machine's files."""
    for card in (*one.gpus, *one.nics):
        function(root, card, one)
    for card in one.nics:
        ports(root, card)
    sys = root / "sys"
    write(sys / "class/net/eno1/device/vendor", "0x8086")
    write(sys / "class/net/eno1/mtu", "1500")
    for number, cpus, gib in one.numa:
        write(sys / f"devices/system/node/node{number}/cpulist", cpus)
        write(sys / f"devices/system/node/node{number}/meminfo", f"Node {number} MemTotal:  {gib * 2**20} kB")
    write(sys / "devices/system/cpu/online", one.cpus)
    write(sys / "class/dmi/id/product_name", one.source.partition(":")[0])
    write(root / "etc/os-release", one.os)
    write(root / "proc/cmdline", "BOOT_IMAGE=/vmlinuz ro iommu=pt quiet")
    write(root / "proc/1/net/route", f"Iface\tDestination\n{one.route}\t00000000\t0100A8C0\nother\t0000A8C0")
    if one.rows:
        write(root / "proc/driver/nvidia/version", one.nvidia)
    for name, text in one.more.items():
        write(root / name, text)


def function(root: Path, card: Card, one: Machine) -> None:
    """A PCI function's files and the link to it."""
    gpu = not (card.rdma or card.interface)
    place = root / "sys/devices" / path(card)
    vendor, device = ("10de", GPU_IDS[one.product]) if gpu else (card.vendor, card.device)
    kind = "030200" if gpu else "020700" if card.link == "InfiniBand" else "020000"
    said = {"vendor": f"0x{vendor}", "device": f"0x{device}", "class": f"0x{kind}", "numa_node": str(card.numa)}
    said |= {"iommu_group/type": card.iommu}
    said |= {} if gpu or card.parent else {"sriov_totalvfs": str(card.vfs), "sriov_numvfs": "0"}
    for name, text in said.items():
        write(place / name, text)
    point(root / "sys/bus/pci/devices" / card.address, place)
    if card.parent:
        point(place / "physfn", root / "sys/bus/pci/devices" / card.parent)


def ports(root: Path, card: Card) -> None:
    """Its RDMA device, its interface and what is over that."""
    place = root / "sys/bus/pci/devices" / card.address
    if card.rdma:
        rdma = root / "sys/class/infiniband" / card.rdma
        point(rdma / "device", place)
        said = {"fw_ver": card.firmware, "hca_type": card.model, "board_id": "MT_0000000838"}
        said |= {"ports/1/state": "4: ACTIVE" if card.up else "1: DOWN", "ports/1/link_layer": card.link}
        said |= {"ports/1/rate": f"{card.gbps} Gb/sec (4X NDR)" if card.up else "40 Gb/sec (4X QDR)"}
        for name, text in said.items():
            write(rdma / name, text)
    if card.interface:
        net = root / "sys/class/net" / card.interface
        point(net / "device", place)
        write(net / "mtu", str(card.mtu))
        below = net
        for upper in card.above:
            write(below / f"upper_{upper}" / "name", upper)
            below = root / "sys/class/net" / upper


def programs(folder: Path, one: Machine) -> None:
    """nvidia-smi, where there is a driver, and lspci."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "lspci", f"#!/bin/sh\ncat <<'EOF'\n{one.acs or '0000:00:01.0 PCI bridge'}\nEOF")
    if one.rows:
        csv = (
            f"{index}, 0000{gpu.address.upper()}, {one.product}, {MEMORY.get(one.product, '81559')}, 580.105.08, Disabled"
            for index, gpu in enumerate(one.gpus)
        )
        words = ('case "$1" in topo)', *text(matrix(one)), ";; *)", *text("\n".join(csv)), ";; esac")
        write(folder / "nvidia-smi", "\n".join(("#!/bin/sh", *words)))
    for program in folder.iterdir():
        program.chmod(0o755)


def text(said: str) -> tuple[str, ...]:
    """Lines of a shell script that say it."""
    return ("cat <<'EOF'", said, "EOF")


def matrix(one: Machine) -> str:
    """As nvidia-smi prints it: an underlined head, a row for each GPU and NIC, and a legend."""
    devices = [card.rdma for card in one.nics if card.rdma]
    columns = devices if one.old_head else [f"NIC{index}" for index in range(len(devices))]
    gpus = [f"GPU{index}" for index in range(len(one.gpus))]
    head = "\t".join(("\x1b[4m", *gpus, *columns, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID\x1b[0m"))
    rows = [
        "\t".join((gpu, *(link(one, gpu, other) for other in gpus), *one.rows[index].split(), "0-55", "0", "N/A"))
        for index, gpu in enumerate(gpus)
    ]
    legend = [] if one.old_head else ["NIC Legend:", *(f"  {c}: {d}" for c, d in zip(columns, devices, strict=True))]
    return "\n".join([head, *rows, "Legend:", "  X    = Self", "  PIX  = at most a single PCIe bridge", *legend])


def link(one: Machine, gpu: str, other: str) -> str:
    """Between two GPUs; cards of PCIe have no NVLink."""
    if gpu == other:
        return " X "
    joined = "PRO" not in one.product and "L40" not in one.product and f"GPU{one.apart}" not in (gpu, other)
    return "NV18" if joined else "NODE"


def record(folder: Path, one: Machine, name: str = "gpu-1") -> str:
    """What the collector writes on such a machine."""
    root, commands = folder / "root", folder / "bin"
    plant(root, one)
    programs(commands, one)
    uname = f"#!/bin/sh\ncase $1 in -n) echo {name} ;; -r) echo {one.kernel or '6.8.0-90-generic'} ;; *) echo "
    arch = "aarch64" if one.product.startswith(("NVIDIA GB", "NVIDIA GH")) else "x86_64"
    write(commands / "uname", f"{uname}{arch} ;; esac")
    (commands / "uname").chmod(0o755)
    environment = {"PATH": f"{commands}:{os.environ['PATH']}", "BEDPLATE_ROOT": str(root)}
    done = subprocess.run(["sh", str(COLLECTOR)], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout
