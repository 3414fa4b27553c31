"""Every image of a plan: what its resources name, on its nodes' systems, and what jobs bring besides."""

from bedplate.components.facts import Facts
from bedplate.components.workload.clouds import DAEMON
from bedplate.plan.graph import Graph
from bedplate.plan.summary import resources
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile

from .images import Images, Nodes, of_plan


def images(graph: Graph, systems: tuple[str, ...]) -> Images:
    """Of everything that is planned; `systems` are those of the nodes that the user states."""
    profile = load(graph.profile or {})
    known = facts(profile)
    return of_plan(resources(graph), nodes(known, systems), besides(profile, known))


def nodes(known: Facts, stated: tuple[str, ...]) -> Nodes:
    """What tags of drivers end with on this cluster."""
    architectures = sorted({pool.arch for pool in known.gpu_pools}) or ["amd64"]
    return Nodes(known.node_os, stated, tuple(architectures))


def besides(profile: Profile, known: Facts) -> dict[str, str]:
    """Images by who brings them: the checks' own, and the daemon beside every pod of a fabric."""
    verification = {profile.verification.image: "bedplate verify"} if profile.verification else {}
    daemon = {DAEMON: "pods on the fabric: GPUDirect-TCPXO's daemon"} if known.fabric.kind == "tcpxo" else {}
    return {**verification, **daemon}
