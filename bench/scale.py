"""What the largest cluster costs whoever looks at it: `python -m bench.scale [NODES PODS]`.

The gate `pools-ready`, `bedplate doctor` and `bedplate init --from-cluster` against 10,000 nodes with 40,000 pods, all
of them a team's, so that each is looked at; each command in a process of its own, as its users start it. Seconds are
those of the processor, kubectl's included, because the wall is the stand-in server's as well (bench/crowd.py); memory
is that of the largest process at its highest. Prints figures and exits 1 if a target is missed.
"""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, NamedTuple

import yaml
from rich.console import Console

from bedplate.components.verification.proof import prove
from bedplate.folders import PROJECT
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bench.crowd import Crowd, server
from bench.crowd_objects import TEAM, gate, lists, well
from bench.lab import datacenter
from bench.measured import show

NODES, PODS = 10_000, 40_000
BEATS = 2_000
SECONDS, MIB, CHANGE_MS = 60, 500, 5
CONTEXT = "kwok-bench"


class Cost(NamedTuple):
    """Of one process with those that it starts."""

    wall: float
    processor: float
    mib: int
    status: int


def main(nodes: int = NODES, pods: int = PODS) -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    document = datacenter(nodes, scheduling={"kind": "kueue"}, tenancy={"teams": [{"name": TEAM}]})
    found = measured(document, pods)
    change = (found["gate, beats"].processor - found["gate"].processor) / BEATS * 1000
    costs = found.items()
    rows = ((name, f"{one.processor:.1f} s", f"{one.wall:.1f} s", f"{one.mib:,} MiB") for name, one in costs)
    show(("command", "processor", "wall", "memory"), rows)
    Console().print(f"{nodes:,} nodes, {pods:,} pods; one change of a node costs the gate {change:.2f} ms")
    limited = (found[name] for name in ("gate", "doctor", "from-cluster"))
    return 0 if change <= CHANGE_MS and all(one.processor <= SECONDS and one.mib <= MIB for one in limited) else 1


def measured(document: Mapping[str, Any], pods: int) -> dict[str, Cost]:
    """Of each command, against a crowd of its own."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "bench.yaml").write_text(yaml.safe_dump(dict(document)))
        (folder / "gate.json").write_text(json.dumps(gate(facts(load(dict(document))))))
        init = ("-m", "bedplate", "init", "seen", "--bare", "--into", str(folder), "--from-cluster", CONTEXT)
        commands = {
            "gate": (0, ("-m", "bench.scale", "gate", str(folder / "gate.json"))),
            "gate, beats": (BEATS, ("-m", "bench.scale", "gate", str(folder / "gate.json"))),
            "doctor": (0, ("-m", "bedplate", "doctor", str(folder / "bench.yaml"), "--json")),
            "from-cluster": (0, init),
        }
        return {name: _against(document, pods, beats, words, folder) for name, (beats, words) in commands.items()}


def _against(document: Mapping[str, Any], pods: int, beats: int, words: tuple[str, ...], folder: Path) -> Cost:
    known = facts(load(dict(document)))
    with server(Crowd(lists(known, pods), beats, well(known))) as here:
        Thread(target=here.serve_forever, daemon=True).start()
        try:
            return _cost(words, {"KUBECONFIG": str(_kubeconfig(folder, here.server_port))})
        finally:
            here.shutdown()


def _kubeconfig(folder: Path, port: int) -> Path:
    file = folder / "kubeconfig"
    cluster = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}
    context = {"name": CONTEXT, "context": {"cluster": "c", "user": "u"}}
    users = [{"name": "u", "user": {"token": "mine"}}]
    stated = {"clusters": [cluster], "contexts": [context], "users": users, "current-context": CONTEXT}
    file.write_text(json.dumps(stated))
    return file


def _cost(words: tuple[str, ...], more: Mapping[str, str]) -> Cost:
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", **more}
    began = time.monotonic()
    with Path(os.devnull).open("w") as nowhere:
        to = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), sys.stdout.fileno())]
        child = os.posix_spawn(sys.executable, [sys.executable, *words], environment, file_actions=to)
        _, status, used = os.wait4(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    return Cost(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, ended)


if __name__ == "__main__":
    if sys.argv[1:2] == ["gate"]:
        prove(json.loads(Path(sys.argv[2]).read_text()))
        sys.exit(0)
    os.chdir(PROJECT)
    sys.exit(main(*map(int, sys.argv[1:])))
