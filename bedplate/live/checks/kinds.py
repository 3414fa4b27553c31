"""Kinds that the plan makes objects of: served, at the version that it writes; and the version of the cluster."""

from collections.abc import Iterator

from bedplate.cluster.objects import Object, conditions, is_false, is_true, message, part, place
from bedplate.components.version import numbers
from bedplate.live.checks.nodes import abridged
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import CLUSTER_POLICY, DEFINITION, NODE, Kind
from bedplate.live.reading import Observed

OLDEST = 3
"""Minor versions that a kubelet may be behind (kubernetes.io, Version Skew Policy)."""


def served(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Kinds of the plan that are not served, and CRDs of their groups that do not work."""
    needed = desired.kinds | ({CLUSTER_POLICY} if "gpuOperator" in desired.facts.has else frozenset[Kind]())
    for kind in sorted(needed & observed.absent):
        definition = next((obj for obj in observed.of(DEFINITION) if _defines(obj, kind)), None)
        yield _absence(kind, definition)
    groups = {kind.group for kind in needed if "." in kind.group}
    for obj in observed.of(DEFINITION):
        if obj["spec"]["group"] in groups:
            yield from _state(obj)


def _defines(definition: Object, kind: Kind) -> bool:
    spec = definition["spec"]
    return (spec["group"], spec["names"]["kind"]) == (kind.group, kind.kind)


def _absence(kind: Kind, definition: Object | None) -> Finding:
    if definition is None:
        return finding("kinds.absent", str(kind), kind=kind.kind, group=kind.group)
    versions = [version["name"] for version in definition["spec"]["versions"] if version["served"]]
    return finding("kinds.version", str(kind), versions=", ".join(versions) or "none")


def _state(definition: Object) -> Iterator[Finding]:
    where = f"CRD {place(definition)[1]}"
    if is_true(definition, "Terminating"):
        yield finding("kinds.ends", where, message=message(conditions(definition)["Terminating"]))
    for condition in ("NamesAccepted", "Established"):
        if is_false(definition, condition):
            yield finding("kinds.not-established", where, message=message(conditions(definition)[condition]))
            return


def versions(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """An API server of another minor version than the profile's, and kubelets outside the supported skew."""
    ours, server = numbers(desired.facts.kubernetes_version), numbers(observed.version)[:2]
    if not server:
        return
    if server != ours:
        version = desired.facts.kubernetes_version
        yield finding("version.server", "API server", observed=observed.version, stated=version)
    skewed: dict[str, list[str]] = {}
    for node in observed.of(NODE):
        kubelet = part(node, "status", "nodeInfo").get("kubeletVersion", "")
        if kubelet and not 0 <= server[1] - numbers(kubelet)[1] <= OLDEST:
            skewed.setdefault(kubelet, []).append(place(node)[1])
    for kubelet, names in skewed.items():
        yield finding("version.skew", abridged(names), version=kubelet)
