"""MIG profiles of each GPU, from the layouts that the GPU Operator gives its MIG manager.

The manager's `all-balanced` names the PCI ids of each kind of GPU, with its profiles of 1, 2 and 3 slices (1 and 2, of
GPUs with four). The others of that kind are sized by them: as much memory for one slice as for two, as much for four as
for three, and all. How many fit, and whether the profile exists, is what the layout of its name says.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from bedplate.catalog import table

ALL, BALANCED = "all-", "all-balanced"
LACKING = {("233b", "1g.35gb"): 4}
"""What the layouts leave out: H200 NVL has the profiles of H200 (NVIDIA MIG User Guide, "H200 MIG Profiles")."""
Config = Mapping[str, Sequence[Mapping[str, Any]]]


def profiles(config_map: str) -> dict[str, dict[str, int]]:
    """PCI device id, lower case, to its profiles and the most of each that one GPU holds."""
    layouts: Config = yaml.safe_load(yaml.safe_load(config_map)["data"]["config.yaml"])["mig-configs"]
    return {
        pci: {name: most for name in _names(layouts, block["mig-devices"]) if (most := _most(layouts, name, pci))}
        for block in layouts[BALANCED]
        for pci in _ids(block)
    }


def rows(known: Sequence[table.Row], found: Mapping[str, Mapping[str, int]]) -> list[table.Row]:
    """The file with the profiles of every GPU whose id the manager knows; the others have no MIG."""
    return [{**row, "mig": _cell(found.get(row["pci"].split()[0], {}))} for row in known]


def _cell(found: Mapping[str, int]) -> str:
    return " ".join(f"{name}:{most}" for name, most in found.items()) or table.NONE


def _names(layouts: Config, balanced: Mapping[str, int]) -> Iterator[str]:
    """In the order of NVIDIA's tables, plain ones first."""
    memory = {int(name[0]): int(name[3:-2]) for name in balanced}
    one, two, three = memory[1], memory[2], memory.get(3)
    if three is None:  # four slices
        plain = [f"1g.{one}gb", f"2g.{two}gb", _whole(layouts, 4, 2 * two)]
    else:
        plain = [f"1g.{one}gb", f"1g.{two}gb", f"2g.{two}gb", f"3g.{three}gb", f"4g.{three}gb"]
        plain.append(_whole(layouts, 7, 2 * three))
    yield from plain
    yield from _with_media(layouts, plain if three is None else plain[:1])


def _whole(layouts: Config, slices: int, gb: int) -> str:
    """The whole GPU; names round memory, so it may be a GB less than two halves."""
    name = f"{slices}g.{gb}gb"
    return name if f"{ALL}{name}" in layouts else f"{slices}g.{gb - 1}gb"


def _with_media(layouts: Config, plain: Sequence[str]) -> Iterator[str]:
    """Those that take, leave or share the media engines or graphics: of seven slices the smallest alone can."""
    names = [name for blocks in layouts.values() for one in blocks for name in one.get("mig-devices") or ()]
    for each in plain:
        only = (f"{each}+me",) if each.startswith("1g") and len(plain) == 1 else (f"{each}+", f"{each}-")
        yield from (name for name in dict.fromkeys(names) if name.startswith(only))


def _most(layouts: Config, name: str, pci: str) -> int:
    """By a layout of this profile alone, for this GPU or for whichever."""
    if (pci, name) in LACKING:
        return LACKING[pci, name]
    alone = [one for blocks in layouts.values() for one in blocks if list(one.get("mig-devices") or ()) == [name]]
    mine = [one for one in alone if pci in _ids(one)] or [one for one in alone if "device-filter" not in one]
    return int(mine[0]["mig-devices"][name]) if mine else 0


def _ids(block: Mapping[str, Any]) -> list[str]:
    """`0x233010DE` is `2330`."""
    found: str | list[str] = block.get("device-filter", [])
    return [one[2:6].lower() for one in ([found] if isinstance(found, str) else found)]
