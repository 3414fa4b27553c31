"""A recorded file as a Node: pure, and whatever else the file is ends in a single line."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bedplate.catalog import gpus as catalog
from bedplate.inspect.node import LEVELS, Gpu, Nic, Node, Pci
from bedplate.wrong import WrongError

LARGEST = 4 * 2**20
"""Bytes of a file; a machine of 16 GPUs and 128 virtual functions takes 40 KiB."""
FIRST, LAST = "bedplate node 1", "end"
AGAIN = "record it again with `bedplate inspect --collector`"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
NVIDIA = "10de"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CELLS = {"host": 2, "pci": 11, "rdma": 9, "net": 5, "acs": 2}
"""Of a row, at least, by its section."""
FACTS = ("name", "kernel", "arch", "os", "machine", "bios", "cpus", "iommu", "nvidia")
SECTIONS = (*CELLS, "gpus", "topology", LAST)
Sections = Mapping[str, list[str]]


def node(path: Path) -> Node:
    """The machine of a file; WrongError says what else it is."""
    try:
        return recorded(_text(path), str(path))
    except ValueError as error:
        raise WrongError(f"{path}: {error}; {AGAIN}") from error


def recorded(text: str, source: str) -> Node:
    """The machine of a record, with where it came from in what is wrong."""
    try:
        return parsed(text)
    except ValueError as error:
        raise WrongError(f"{source}: {error}; {AGAIN}") from error


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise WrongError(f"{path}: there is no such file; {AGAIN}")
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except OSError as error:
        raise WrongError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > LARGEST:
        raise ValueError(f"larger than {LARGEST // 2**20} MiB, which no machine's record is")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ValueError("not text") from error


def sections(text: str) -> Sections:
    """Lines by section; a file that breaks off, or is another, is refused with its line."""
    lines = text.replace("\r\n", "\n").split("\n")
    heads = [line.removeprefix("== ").strip() for line in lines if line.startswith("== ")]
    if FIRST not in heads:
        raise ValueError(f"its first line is not `== {FIRST}`: no record of a machine")
    if LAST not in heads:
        raise ValueError(f"it breaks off in `{heads[-1]}`")
    if lost := next((section for section in SECTIONS if heads.count(section) != 1), None):
        count = heads.count(lost)
        raise ValueError(f"it has {count or 'no'} section `{lost}`{': a file is of one machine' if count else ''}")
    by_name: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(lines, 1):
        _sound(number, line, name)
        if line.startswith("== "):
            name = line.removeprefix("== ").strip()
            by_name[name] = []
        elif name and line.strip():
            by_name[name].append(line)
    return by_name


def _sound(number: int, line: str, section: str) -> None:
    """Raise where a line could steer a terminal, or lacks cells."""
    if STEERING.search(line):
        raise ValueError(f"line {number} has control characters, which no record has")
    cells = CELLS.get(section, 1)
    if line.strip() and not line.startswith(("missing: ", "== ")) and line.count("|") < cells - 1:
        raise ValueError(f"line {number} has fewer than {cells} cells")


def parsed(text: str) -> Node:
    """The machine; ValueError says what is wrong with its record."""
    by_name = sections(text)
    host: dict[str, list[list[str]]] = {}
    for key, *cells in map(_cells, by_name["host"]):
        host.setdefault(key, []).append([*cells, "", "", ""])
    first = {key: host.get(key, [[""] * 4])[0] for key in FACTS}
    pci = {device.address: device for device in map(_pci, map(_cells, _rows(by_name["pci"])))}
    memory = [kib for _, kib in _sockets(host)]
    return Node(
        name=first["name"][0] or "unknown",
        gpus=tuple(_gpus(by_name["gpus"], pci)),
        nics=tuple(_nics(by_name, pci)),
        levels=dict(levels(by_name["topology"])),
        machine=" ".join(cell for cell in first["machine"] if cell),
        bios=first["bios"][0],
        kernel=first["kernel"][0],
        os=first["os"][0],
        version=first["os"][1],
        arch=ARCHITECTURES.get(first["arch"][0], first["arch"][0]),
        cpus=_cpus(first["cpus"][0]),
        memory_gib=round(sum(memory) / 2**20),
        sockets=len(memory),
        huge_pages={size: count for size, text, *_ in host.get("hugepages", []) if (count := _number(text))},
        iommu=first["iommu"][0],
        nvidia=first["nvidia"][0],
        containers=frozenset(row[0] for row in host.get("container", [])),
        modules={name: version for name, version, *_ in host.get("module", [])},
        default_routes=frozenset(row[0] for row in host.get("default", [])),
        redirecting=_redirecting(_rows(by_name["acs"])),
        missing=tuple(dict.fromkeys(_missing(by_name))),
    )


def _sockets(host: Mapping[str, list[list[str]]]) -> list[tuple[int, int]]:
    """Processors and KiB of each NUMA node that has processors; of all where the kernel does not say which."""
    every = [(_cpus(row[1]), _number(row[2])) for row in host.get("numa", [])]
    return [node for node in every if node[0]] or every


def _redirecting(lines: list[str]) -> frozenset[str] | None:
    rows = [_cells(line) for line in lines]
    return frozenset(row[0] for row in rows if re.search(r"(ReqRedir|CmpltRedir)\+", row[1])) if rows else None


def _missing(by_name: Sections) -> Iterator[str]:
    yield from (line for rows in by_name.values() for line in rows if line.startswith("missing: "))
    yield from (f"nvidia-smi: {line.strip()}" for line in _rows(by_name["gpus"]) if not re.match(r"\d+, ", line))


def _rows(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("missing: ")]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _number(text: str, absent: int = 0) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,12}", text) else absent


def _cpus(text: str) -> int:
    """How many a kernel's list has, such as `0-55,112-167`."""
    if not re.fullmatch(r"(\d{1,6}(-\d{1,6})?(,|$))*", text):
        raise ValueError(f"{text}: no list of processors")
    ranges = [part.split("-") for part in text.split(",") if part]
    return sum(int(part[-1]) - int(part[0]) + 1 for part in ranges)


def _pci(cells: list[str]) -> Pci:
    address, path, vendor, device, kind, numa, driver, iommu, most, active, parent = cells[:11]
    if not ADDRESS.fullmatch(address):
        raise ValueError(f"{address} is no PCI address")
    numbers = (_number(most), _number(active))
    ids = (vendor.removeprefix("0x"), device.removeprefix("0x"), kind.removeprefix("0x"))
    return Pci(
        address, tuple(path[path.find("pci") :].split("/")), *ids, _number(numa, -1), driver, iommu, *numbers, parent
    )


def _gpus(lines: list[str], pci: Mapping[str, Pci]) -> Iterator[Gpu]:
    """Of nvidia-smi's CSV; without it the functions that are GPUs, and the catalogue's names of them."""
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    rows_there = [row for row in rows if len(row) == 6 and row[0].isdigit()]  # noqa: PLR2004 - what collect.sh asks for
    for index, bus, name, memory, driver, mig in rows_there:
        place = bus.lower()[-len("0000:00:00.0") :]
        if place not in pci:
            raise ValueError(f"GPU {index} has the PCI address {bus}, which the kernel does not list")
        yield Gpu(int(index), pci[place], name.replace(" ", "-"), _number(memory), driver, mig == "Enabled")
    if not rows_there:
        plain = [
            device
            for device in pci.values()
            if device.vendor == NVIDIA and device.kind.startswith("03") and not device.parent
        ]
        for index, device in enumerate(sorted(plain, key=lambda other: other.address)):
            model = next((gpu for gpu in catalog.GPUS.values() if device.device in gpu.pci), None)
            memory = model.memory_gib * 1024 if model else 0
            yield Gpu(index, device, model.product if model else "", memory, "", mig=False)


def _nics(by_name: Sections, pci: Mapping[str, Pci]) -> Iterator[Nic]:
    """A port each; of a device with two ports that which has a link."""
    ports = sorted(_ports(by_name, pci), key=lambda port: port.active)
    yield from sorted({port.name: port for port in ports}.values(), key=lambda port: (port.pci.address, port.name))


def _ports(by_name: Sections, pci: Mapping[str, Pci]) -> Iterator[Nic]:
    interfaces = {row[1]: row for row in reversed([_cells(line) for line in _rows(by_name["net"])]) if row[1]}
    for line in _rows(by_name["rdma"]):
        name, address, _port, firmware, model, _board, state, rate, link = _cells(line)[:9]
        if address not in pci:
            continue  # soft RoCE, and others that are no card
        interface, _, mtu, _, above = interfaces.get(address, ["", "", "", "", ""])[:5]
        active = state.endswith("ACTIVE")
        gbps = round(float(rate.split()[0])) if active and re.match(r"\d{1,5}(\.\d+)? ", rate) else 0
        seen, uppers = (firmware, model, active, gbps, link), tuple(above.split())
        functions = sum(other.card == pci[address].card and not other.parent for other in pci.values())
        yield Nic(name, pci[address], *seen, interface, _number(mtu), functions, uppers)


def levels(lines: list[str]) -> Iterator[tuple[tuple[int, str], str]]:
    """Of `nvidia-smi topo -m`: its columns are NIC0 … with a legend, of older releases the devices themselves.

    Its head is underlined (ESC [4m), of which the recorder keeps what is printable.
    """
    legend = {match[1]: match[2] for line in lines if (match := re.match(r"\s*(NIC\d+):\s+(\S+)\s*$", line))}
    rows = [re.sub(r"\[\d*m", "", line).split() for line in lines]
    columns = next((row for row in rows if row[:1] == ["GPU0"] and "X" not in row), list[str]())
    for row in rows:
        if row and (match := re.match(r"GPU(\d+)$", row[0])) and "X" in row:
            for column, level in zip(columns, row[1:], strict=False):
                if level in LEVELS or level.startswith("NV"):
                    yield (int(match[1]), legend.get(column, column)), level
