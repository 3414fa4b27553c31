"""That a team's pods stay in the team's networks, and that its Services take nobody's traffic: CEL beside the node's.

Multus gives a pod any network of any namespace that its annotation names, and runs before NetworkPolicies do.
"""

from collections.abc import Iterator

from components.tenancy.guards import MARKED, MARKS, Limit, Watch
from components.workload.templates import PODS

NETWORKS = "k8s.v1.cni.cncf.io/networks"
DEFAULT_NETWORK = "v1.multus-cni.io/default-network"
AS_JSON = '[\\\\[{"]'
"""What makes Multus take the annotation for JSON (multus-cni, parsePodNetworkAnnotation)."""
ELSEWHERE = r"(?i)namespace|\\\\"
"""JSON's keys are read whatever their case, and may be written with escapes."""


def network_watches() -> Iterator[Watch]:
    """For every cluster: Multus may be the site's."""
    marks = MARKS.format("t")
    yield Watch("network", PODS, tuple(_networks(marks)), when=MARKED)
    yield Watch(
        "service",
        (("", "v1", "services"),),
        (
            Limit(
                "!has(object.spec.externalIPs) || size(object.spec.externalIPs) == 0",
                "externalIPs takes the traffic of any address from every node (CVE-2020-8554): remove it.",
            ),
        ),
    )


def _networks(marks: str) -> Iterator[Limit]:
    value = f"{marks}['{NETWORKS}']"
    named = f"{value}.split(',').all(n, !n.contains('/') || n.trim().startsWith(request.namespace + '/'))"
    own = f"({value}.matches('{AS_JSON}') ? !{value}.matches('{ELSEWHERE}') : {named})"
    yield Limit(
        f"variables.templates.all(t, !('{NETWORKS}' in {marks}) || {own})",
        f"A network of another namespace is not the team's: name those of this one in {NETWORKS}.",
    )
    yield Limit(
        f"variables.templates.all(t, !('{DEFAULT_NETWORK}' in {marks}))",
        f"The pod's first network is the cluster's, with its NetworkPolicies: remove {DEFAULT_NETWORK}.",
    )
