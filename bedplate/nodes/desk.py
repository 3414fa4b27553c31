"""Whoever stands at the desk of one cluster: its profile's pools, and the nodes that are of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bedplate.cluster.objects import Object, name
from bedplate.cluster.reader import Reader
from bedplate.components.facts import Facts, NodePool
from bedplate.live.checks.nodes import is_of_pool
from bedplate.nearest import meant
from bedplate.nodes.maintenance import Site
from bedplate.nodes.pods import standing
from bedplate.nodes.story import Moment, closed, faults, is_ours, story
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load_stack
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.problem import Problem, ProfileError
from bedplate.stacks.providers import guard
from bedplate.verify import gate

Member = tuple[NodePool, Object]


@dataclass(frozen=True)
class NodeStatus:
    """What is known of one node."""

    node: Object
    pool: NodePool
    obstacles: tuple[str, ...]
    """What keeps jobs off it, or will; empty: the queues hand it out, and all is as the profile says."""
    moments: tuple[Moment, ...] = ()
    pods: tuple[Object, ...] = ()
    """Those that a drain would end."""


@dataclass(frozen=True)
class Desk:
    """One cluster, and what its profile says of nodes."""

    stack: str
    """As the user named it."""
    facts: Facts
    site: Site

    @cached_property
    def members(self) -> list[Member]:
        """Every node of a pool that the profile knows by labels, as one look showed them."""
        pools = [pool for pool in self.facts.pools if pool.selector]
        nodes = Reader(self.site.context).look("/api/v1/nodes")[0]
        found = ((next((pool for pool in pools if is_of_pool(node, pool)), None), node) for node in nodes)
        return [(pool, node) for pool, node in found if pool]

    def named(self, names: Sequence[str]) -> list[Member]:
        """The nodes of these names; ProfileError for each that is in no pool."""
        members = {name(node): (pool, node) for pool, node in self.members}
        if strange := [given for given in names if given not in members]:
            reason, none = "no such node of a pool", "`kubectl get nodes` lists them"
            raise ProfileError([Problem("NODE", one, reason, meant(one, members) or none) for one in strange])
        return [members[given] for given in names]

    def statuses(self, names: Sequence[str]) -> list[NodeStatus]:
        """The whole of these nodes; without names, of every node what keeps jobs off it."""
        if not names:
            return [NodeStatus(node, pool, self._obstacles(pool, node)) for pool, node in self.members]
        return [self._status(pool, node) for pool, node in self.named(names)]

    def _status(self, pool: NodePool, node: Object) -> NodeStatus:
        moments = story(node, self.site.events(name(node)))
        pods = standing(self.site.pods(name(node)))
        return NodeStatus(node, pool, self._obstacles(pool, node), tuple(moments), tuple(pods))

    def _obstacles(self, pool: NodePool, node: Object) -> tuple[str, ...]:
        return (*closed(pool, node), *faults(self.facts, pool, node))

    def short(self, drained: Sequence[Member]) -> Iterator[str]:
        """A line for each pool that has fewer nodes than a deployment needs once these have left."""
        gone = {name(node) for _, node in drained}
        for pool in {pool.name: pool for pool, _ in drained}.values():
            there = [node for own, node in self.members if own.name == pool.name and name(node) not in gone]
            whole = [node for node in there if not gate.is_cordoned(node)]
            if len(whole) < pool.required:
                yield (
                    f"pool {pool.name}: {len(whole)} of {pool.bounds[0]} nodes are left; `bedplate up` waits for "
                    f"{pool.required} at pools-ready (pools[].minReady)"
                )

    def unfit(self, members: Sequence[Member]) -> Iterator[str]:
        """Why nodes cannot come back yet: faults to mend, and the cordons of others."""
        for pool, node in members:
            if gate.is_cordoned(node) and not is_ours(node):
                yield f"{name(node)}: somebody else has cordoned it; if that was you: kubectl uncordon {name(node)}"
            elif not closed(pool, node):
                yield f"{name(node)}: is in already"
            yield from (f"{name(node)}: {fault}" for fault in faults(self.facts, pool, node))


def desk(stack: str) -> tuple[Desk | None, int]:
    """The desk of a stack's cluster; None, with the exit status, where the kubeconfig leads to another one."""
    files, own = named(stack)
    profile = load_stack(own, files)
    if status := guard(own, files):
        return None, status
    return Desk(stack, facts(profile), Site(profile.context)), 0
