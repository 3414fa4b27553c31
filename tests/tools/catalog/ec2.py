"""EC2's own catalogue, as Karpenter's generated page of instance types gives it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from bedplate.catalog import quotas, table

SOURCE = "karpenter-aws"
TYPE = re.compile(r"### `(.+)`")
CELL = re.compile(r" \|(?:[\w.]+/)?([^|/]+)\|([^|]+)\|")
GENERATION = re.compile(r"[a-z]+\d+")
MIB, MBPS = 1024, 1000
LEFT_OUT = {
    "g4ad": "GPUs of AMD",
    "g5g": "T4G: no platform of the GPU Operator",
    "g6f": "parts of a GPU",
    "gr6f": "parts of a GPU",
    "g7": "RTX PRO 4500 Server Edition: no product label or PCI id published",
}
"""Families that are no rows, each with the reason."""
Type = Mapping[str, str]


def types(page: str) -> dict[str, Type]:
    """Labels and resources of each instance type by their last word, `instance-cpu`, `efa`."""
    found: dict[str, dict[str, str]] = {}
    here: dict[str, str] = {}
    for line in page.splitlines():
        if name := TYPE.fullmatch(line):
            here = found.setdefault(name[1], {})
        elif cell := CELL.fullmatch(line):
            here[cell[1]] = cell[2]
    return {name: one for name, one in found.items() if "instance-gpu-name" in one}


def rows(known: Sequence[table.Row], page: Mapping[str, Type], gpus: Sequence[table.Row]) -> list[table.Row]:
    """The file with what EC2 says of each machine, and the machines that it has and the file has not."""
    models = {row["ec2"]: row for row in gpus if table.said(row["ec2"])}
    ours = [{**row, **_said(page[row["name"]])} if row["name"] in page else row for row in known]
    names = {row["name"] for row in known}
    lacking = {name: one for name, one in page.items() if name not in names and name.split(".")[0] not in LEFT_OUT}
    return [*ours, *_new(lacking, models, tuple(known[0]))]


def _said(one: Type) -> table.Row:
    """The columns that the page knows: the rate of an interface is its part of the whole."""
    efa = int(one.get("efa", 0))
    rate = str(int(one["instance-network-bandwidth"]) // MBPS // efa) if efa else table.NONE
    return {
        "gpus": one["instance-gpu-count"],
        "cpus": one["instance-cpu"],
        "memory_gib": str(int(one["instance-memory"]) // MIB),
        "pods": one.get("pods", table.UNKNOWN),
        "arch": one["arch"],
        "fabrics": "efa" if efa else table.NONE,
        "nics": str(efa) if efa else table.NONE,
        "nic_gbps": rate,
        "source": SOURCE,
    }


def _new(page: Mapping[str, Type], models: Mapping[str, table.Row], columns: Sequence[str]) -> Iterator[table.Row]:
    for name, one in page.items():
        gpu, said = models[model(one)], _said(one)
        efa, market = said["nics"] != table.NONE, (quotas.on_demand(name), quotas.spot(name))
        guessed = {
            "name": name,
            "family": GENERATION.match(name)[0],  # type: ignore[index]
            "gpu": gpu["name"],
            "nvlink": "1" if gpu["form"] == "pcie" else said["gpus"],
            "scarce": "no",
            **dict.fromkeys(("local_ssds", "usd_hour", "kw", "busbw", "busbw_more"), table.UNKNOWN),
            "ena_card": table.UNKNOWN if efa else "no",
            "card_step": "1" if efa else table.NONE,
            "efa_plugin": table.UNKNOWN if efa else table.NONE,
            **{
                key: one.code if one else table.UNKNOWN
                for key, one in zip(("quota", "spot_quota"), market, strict=True)
            },
        }
        yield {column: {**guessed, **said}.get(column, table.NONE) for column in columns}


def model(one: Type) -> str:
    """EC2's name of a GPU and its memory, as the column `ec2` has them."""
    return f"{one['instance-gpu-name']}/{one['instance-gpu-memory']}"
