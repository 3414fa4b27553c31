"""What a profile says about images that no resource of its plan names: systems of nodes, and what jobs bring."""

from collections.abc import Mapping
from typing import Any

from components.workload.gke import DAEMON
from stacks.facts.derive import facts
from stacks.load import load

from .images import Nodes


def nodes(profile: Mapping[str, Any], stated: tuple[str, ...]) -> Nodes:
    """What tags of drivers end with on this cluster."""
    known = facts(load(profile))
    architectures = sorted({pool.arch for pool in known.gpu_pools}) or ["amd64"]
    return Nodes(known.node_os, stated, tuple(architectures))


def besides(profile: Mapping[str, Any]) -> dict[str, str]:
    """Images by who brings them: the checks' own, and the daemon beside every pod of a fabric."""
    sound = load(profile)
    verification = {sound.verification.image: "bedplate verify"} if sound.verification else {}
    daemon = {DAEMON: "pods on the fabric: GPUDirect-TCPXO's daemon"} if facts(sound).fabric.kind == "tcpxo" else {}
    return {**verification, **daemon}
