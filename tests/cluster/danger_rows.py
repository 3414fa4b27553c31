"""Changes of a profile that are tried out, with the label that each has and deserves."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bedplate.review.danger import Danger

Edit = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Row:
    """One change."""

    name: str
    edit: Edit
    danger: Danger
    stays: bool = False
    """It cannot be undone: a claim is gone. So it comes last."""


def at(path: str, value: Any) -> Edit:
    """One key; a number in its path is an item of a list."""

    def edit(profile: dict[str, Any]) -> None:
        *way, last = path.split(".")
        place: Any = profile
        for word in way:
            place = place[int(word) if word.isdigit() else word]
        place[last] = value

    return edit


def team(place: int, **more: Any) -> Edit:
    """Some keys of a team."""
    return lambda profile: profile["tenancy"]["teams"][place].update(more)


def server(place: int, **more: Any) -> Edit:
    """Some keys of a server: 0 may roll with spare GPUs, 1 has none."""
    return lambda profile: profile["serving"]["servers"][place].update(more)


def another(profile: dict[str, Any]) -> None:
    """A server more, within its team's quota."""
    servers = profile["serving"]["servers"]
    servers.append(copy.deepcopy(servers[0]) | {"name": "another", "replicas": 1})


def volume(**more: Any) -> Edit:
    """A volume more."""
    made = {"name": "scratch", "namespaces": ["research"], "mode": "ReadWriteMany", "size": "1Ti", "path": "/scratch"}
    return lambda profile: profile["storage"]["volumes"].append(made | more)


def server_less(profile: dict[str, Any]) -> None:
    """The last server goes."""
    profile["serving"]["servers"].pop()


def volume_less(place: int, name: str) -> Edit:
    """A volume goes that was retired before."""

    def edit(profile: dict[str, Any]) -> None:
        profile["storage"]["volumes"].pop(place)
        profile["storage"]["retire"].remove(name)

    return edit


def team_less(profile: dict[str, Any]) -> None:
    """The last team goes, which was retired before."""
    profile["tenancy"] = {"teams": profile["tenancy"]["teams"][:-1]}


NOTHING = [
    Row("a longer time to end", at("tenancy.longestGrace", 900), Danger.NOTHING),
    Row("a team's priority", team(0, priority="best-effort"), Danger.NOTHING),
    Row("a team's group", team(0, group="scientists"), Danger.NOTHING),
    Row("a team without RDMA", team(3, rdma=False), Danger.NOTHING),
    Row("a team that may borrow", team(3, borrow=True), Danger.NOTHING),
    Row("guards that only warn", at("tenancy.confinement", "warn"), Danger.NOTHING),
    Row("more nodes", at("pools.1.nodes", 9), Danger.NOTHING),
    Row(
        "a level that jobs must fit", at("scheduling.topology.required", "fabric.topograph.run/tier-2"), Danger.NOTHING
    ),
    Row("mount options", at("storage.volumes.1.mountOptions", ["noatime"]), Danger.NOTHING),
    Row("a volume more", volume(fileSystem="lustre", directory="scratch"), Danger.NOTHING),
    Row("a volume of a class more", volume(storageClass="nfs-csi"), Danger.NOTHING),
    Row("a volume for a team more", at("storage.volumes.1.namespaces", ["research", "visitors"]), Danger.NOTHING),
]
ROLLS = [
    Row(f"a server's {name}", server(1, **{name: value}), Danger.ROLLS_PODS)
    for name, value in {
        "env": {"VLLM_LOGGING_LEVEL": "DEBUG"},
        "extraArgs": ["--enable-prefix-caching"],
        "image": "vllm/vllm-openai:v0.20.0",
        "maxModelLen": 4096,
        "gpuMemoryUtilization": 0.85,
        "servedModelName": "llama",
        "weights": {"kind": "volume", "volume": "models", "directory": "another"},
        "cpu": "64",
        "memory": "256Gi",
        "grace": 30,
        "spread": "host",
        "apiKey": True,
    }.items()
] + [Row("fewer replicas", server(0, replicas=1), Danger.ROLLS_PODS)]
REFUSED = [
    Row("levels of the topology", at("scheduling.topology.levels", ["fabric.topograph.run/tier-1"]), Danger.REFUSED),
    Row("a larger volume of a file system", at("storage.volumes.1.size", "30Ti"), Danger.REFUSED),
    Row("a smaller volume of a file system", at("storage.volumes.1.size", "10Ti"), Danger.REFUSED),
    Row("a smaller volume of a class", at("storage.volumes.3.size", "500Gi"), Danger.REFUSED),
]
EVICTS = [
    Row("another server", another, Danger.EVICTS_JOBS),
    Row("more replicas", server(0, replicas=3), Danger.EVICTS_JOBS),
    Row("a server's arguments, with spare GPUs", server(0, extraArgs=["--enable-prefix-caching"]), Danger.EVICTS_JOBS),
    Row("its environment, with spare GPUs", server(0, env={"VLLM_LOGGING_LEVEL": "DEBUG"}), Danger.EVICTS_JOBS),
]
RELOADS = [
    Row("a server less", server_less, Danger.RELOADS),
    Row("a server's name", server(1, name="tiny"), Danger.RELOADS),
]
LOSES = [
    Row("a team's share", team(0, share=5), Danger.LOSES_QUOTA),
    Row("a team's GPUs", team(1, gpus={"h100": 16}), Danger.LOSES_QUOTA),
    Row("more GPUs for one team", team(1, gpus={"h100": 32}), Danger.LOSES_QUOTA),
    Row("a team that may not borrow", team(0, borrow=False), Danger.LOSES_QUOTA),
    Row("a team more", lambda profile: profile["tenancy"]["teams"].append({"name": "new"}), Danger.LOSES_QUOTA),
    Row("fewer nodes", at("pools.1.nodes", 6), Danger.LOSES_QUOTA),
    Row("fewer nodes without GPUs", at("pools.0.shape", {"cpus": 32, "memoryGib": 128}), Danger.LOSES_QUOTA),
]
FINAL = [
    Row("a volume of a file system less", volume_less(1, "checkpoints"), Danger.EVICTS_JOBS, stays=True),
    Row("a volume of a class less", volume_less(3, "home"), Danger.LOSES_DATA, stays=True),
    Row("a team less", team_less, Danger.LOSES_DATA, stays=True),
]
ROWS = [*NOTHING, *ROLLS, *REFUSED, *EVICTS, *RELOADS, *LOSES, *FINAL]
