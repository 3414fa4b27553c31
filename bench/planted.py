"""What a node's pods would write, sound and bad, and a `kubectl` that reads it where the lab has no logs.

Nothing runs on simulated nodes. Everything else that the gate asks goes to the real `kubectl`, so that the gate is the
program as its users start it.
"""

import os
from collections.abc import Collection, Mapping
from itertools import cycle
from pathlib import Path

from bedplate.verify.node_log import SLOWED

GPU = "NVIDIA H100 80GB HBM3, 580.95.05, Enabled, 0"
MODULE = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build"
WELL = "network IB over 8 HCAs, 455.0 GB/s, floor 396 GB/s"
SLOW = "rank 0: 31.0 GB/s at 8 GiB, 405.0 must be"

STAND_IN = """#!/bin/sh
# {context} first, and the options of `kubectl logs -n HOME -l LABEL` wherever they stand
case " $* " in *" logs "*) ;; *) exec {kubectl} "$@" ;; esac
before= home= label=
for word do
    case $before in -n) home=$word ;; -l) label=$word ;; esac
    before=$word
done
node=$({kubectl} --context "$2" get pods -n "$home" -l "$label" -o 'jsonpath={{.items[0].spec.nodeName}}') || exit 1
[ -f "{logs}/$node" ] || node=sound
exec cat "{logs}/$node"
"""


def log(gpus: int = 8, links: int = 8, said: str = WELL, *, whole: bool = True) -> str:
    """Of a node: its GPUs, its links, and an all-reduce among its GPUs."""
    slowed = ", ".join("Not Active" for _ in SLOWED)
    lines = ["== gpus", *(f"{n}, {GPU}" for n in range(gpus)), "== clocks", *(f"{n}, {slowed}" for n in range(gpus))]
    lines += ["== module", MODULE, "== links"]
    lines += [f"mlx5_{n} 4: ACTIVE|400 Gb/sec (4X NDR)|Ethernet" for n in range(links)]
    return "\n".join([*lines, *(["== end", said] if whole else []), ""])


BAD = (log(gpus=7), log(links=7), log(said=SLOW), log(whole=False))
"""A GPU that is gone, a link that is down, NVLink that is slow, a log that breaks off."""


def stand_in(folder: Path, kubectl: Path, bad: Collection[str]) -> Mapping[str, str]:
    """The environment in which `kubectl` reads logs from files, a bad one for each of these nodes."""
    logs = folder / "logs"
    logs.mkdir()
    for name, text in [("sound", log()), *zip(sorted(bad), cycle(BAD), strict=False)]:
        (logs / name).write_text(text)
    command = folder / "bin" / "kubectl"
    command.parent.mkdir()
    command.write_text(STAND_IN.format(context="--context NAME", kubectl=kubectl, logs=logs))
    command.chmod(0o755)
    return {"PATH": f"{command.parent}:{os.environ['PATH']}", "KUBECACHEDIR": str(folder / "discovery")}
