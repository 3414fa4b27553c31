"""Kinds that the plan makes objects of: served, at the version that it writes. And the version of all of it."""

from collections.abc import Iterator

from bedplate.components.version import numbers
from bedplate.jobs.objects import conditions, said
from bedplate.live.checks.nodes import some
from bedplate.live.finding import Finding
from bedplate.live.kinds import CLUSTER_POLICY, DEFINITION, NODE, Kind
from bedplate.live.reading import Object, Seen, part, place
from bedplate.live.wanted import Wanted

MISSING = "objects of it cannot be made; its chart, or who brings the CRD, did not"
HANGS = "no object of it can be made, and those that are there go with it"
MINOR = "charts, APIs and gates are chosen for the profile's version"
SKEW = "the kubelet's version is outside what Kubernetes supports beside this API server"
OLDEST = 3
"""Minor versions that a kubelet may be behind (kubernetes.io, Version Skew Policy)."""


def served(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Every kind of the plan."""
    needed = wanted.kinds | ({CLUSTER_POLICY} if "gpuOperator" in wanted.facts.has else frozenset[Kind]())
    for kind in sorted(needed & seen.absent):
        definition = next((one for one in seen.of(DEFINITION) if _defines(one, kind)), None)
        yield Finding("kinds", str(kind), _absence(kind, definition), MISSING)
    groups = {kind.group for kind in needed if "." in kind.group}
    for one in seen.of(DEFINITION):
        if one["spec"]["group"] in groups:
            yield from _state(one)


def _defines(definition: Object, kind: Kind) -> bool:
    spec = definition["spec"]
    return (spec["group"], spec["names"]["kind"]) == (kind.group, kind.kind)


def _absence(kind: Kind, definition: Object | None) -> str:
    if definition is None:
        return f"is not served: there is no CRD of {kind.kind} in {kind.group}"
    there = [version["name"] for version in definition["spec"]["versions"] if version["served"]]
    return f"is not served at this version, only at {', '.join(there) or 'none'}"


def _state(one: Object) -> Iterator[Finding]:
    found, where = conditions(one), f"CRD {place(one)[1]}"
    if found.get("Terminating", {}).get("status") == "True":
        yield Finding("kinds", where, f"is being deleted: {said(found['Terminating'])}", HANGS)
    for condition in ("NamesAccepted", "Established"):
        if found.get(condition, {}).get("status") == "False":
            yield Finding("kinds", where, f"is not established: {said(found[condition])}", HANGS)
            return


def versions(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of the API server and of the kubelets."""
    ours, server = numbers(wanted.facts.kubernetes_version), numbers(seen.version)[:2]
    if not server:
        return
    if server != ours:
        text = f"runs {seen.version}, the profile says {wanted.facts.kubernetes_version}"
        yield Finding("version", "API server", text, MINOR)
    told: dict[str, list[str]] = {}
    for node in seen.of(NODE):
        kubelet = part(node, "status", "nodeInfo").get("kubeletVersion", "")
        if kubelet and not 0 <= server[1] - numbers(kubelet)[1] <= OLDEST:
            told.setdefault(kubelet, []).append(place(node)[1])
    for kubelet, names in told.items():
        yield Finding("version", some(names), f"runs kubelet {kubelet}", SKEW)
