"""Kinds that the plan makes objects of: served, at the version that it writes; and the version of the cluster."""

from collections.abc import Iterator

from bedplate.cluster.objects import Object, conditions, is_false, is_true, message, part, place
from bedplate.components.version import numbers
from bedplate.live.checks.nodes import abridged
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding
from bedplate.live.kinds import CLUSTER_POLICY, DEFINITION, NODE, Kind
from bedplate.live.reading import Observed

MISSING = "objects of it cannot be made; its chart, or who brings the CRD, did not"
HANGS = "no object of it can be made, and those that are there go with it"
MINOR = "charts, APIs and gates are chosen for the profile's version"
SKEW = "the kubelet's version is outside what Kubernetes supports beside this API server"
OLDEST = 3
"""Minor versions that a kubelet may be behind (kubernetes.io, Version Skew Policy)."""


def served(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Kinds of the plan that are not served, and CRDs of their groups that do not work."""
    needed = desired.kinds | ({CLUSTER_POLICY} if "gpuOperator" in desired.facts.has else frozenset[Kind]())
    for kind in sorted(needed & observed.absent):
        definition = next((obj for obj in observed.of(DEFINITION) if _defines(obj, kind)), None)
        yield Finding("kinds", str(kind), _absence(kind, definition), MISSING)
    groups = {kind.group for kind in needed if "." in kind.group}
    for obj in observed.of(DEFINITION):
        if obj["spec"]["group"] in groups:
            yield from _state(obj)


def _defines(definition: Object, kind: Kind) -> bool:
    spec = definition["spec"]
    return (spec["group"], spec["names"]["kind"]) == (kind.group, kind.kind)


def _absence(kind: Kind, definition: Object | None) -> str:
    if definition is None:
        return f"is not served: there is no CRD of {kind.kind} in {kind.group}"
    versions = [version["name"] for version in definition["spec"]["versions"] if version["served"]]
    return f"is not served at this version, only at {', '.join(versions) or 'none'}"


def _state(definition: Object) -> Iterator[Finding]:
    where = f"CRD {place(definition)[1]}"
    if is_true(definition, "Terminating"):
        why = message(conditions(definition)["Terminating"])
        yield Finding("kinds", where, f"is being deleted: {why}", HANGS)
    for condition in ("NamesAccepted", "Established"):
        if is_false(definition, condition):
            why = message(conditions(definition)[condition])
            yield Finding("kinds", where, f"is not established: {why}", HANGS)
            return


def versions(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """An API server of another minor version than the profile's, and kubelets outside the supported skew."""
    ours, server = numbers(desired.facts.kubernetes_version), numbers(observed.version)[:2]
    if not server:
        return
    if server != ours:
        what = f"runs {observed.version}, the profile says {desired.facts.kubernetes_version}"
        yield Finding("version", "API server", what, MINOR)
    skewed: dict[str, list[str]] = {}
    for node in observed.of(NODE):
        kubelet = part(node, "status", "nodeInfo").get("kubeletVersion", "")
        if kubelet and not 0 <= server[1] - numbers(kubelet)[1] <= OLDEST:
            skewed.setdefault(kubelet, []).append(place(node)[1])
    for kubelet, names in skewed.items():
        yield Finding("version", abridged(names), f"runs kubelet {kubelet}", SKEW)
