"""That a team's pods stay in the team's networks, and that its Services take nobody's traffic: CEL beside the node's.

Multus gives a pod any network of any namespace that its annotation names, and runs before NetworkPolicies do. A rail
has few addresses on a node, and on clouds one owner: who takes it without GPUs takes it from a job that has them.
"""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.daemons import asks_for
from bedplate.components.tenancy.guards import MARKED, MARKS, Limit, Watch, texts
from bedplate.components.tenancy.teams import TenancySection
from bedplate.components.workload.controllers import CONTROLLERS, running
from bedplate.components.workload.templates import PODS, RAY_CLUSTERS, each_spec

NETWORKS = "k8s.v1.cni.cncf.io/networks"
OLD_NETWORKS = "kubernetes.v1.cni.cncf.io/networks"
SITE_NAMES = "external-dns."
"""Its annotations, by whatever prefix it was given."""
DEFAULT_NETWORK = "v1.multus-cni.io/default-network"
GKE_NETWORKS = "networking.gke.io/interfaces"
AS_JSON = '[\\\\[{"]'
"""What makes Multus take the annotation for JSON (multus-cni, parsePodNetworkAnnotation)."""
ELSEWHERE = r"(?i)namespace|\\\\"
"""JSON's keys are read whatever their case, and may be written with escapes."""
_PAIR = r'\\s*"(name|interface)"\\s*:\\s*"[A-Za-z0-9._-]+"\\s*'
ITEM = rf"\\{{{_PAIR}(,{_PAIR})?\\}}"
PLAIN = rf"^\\s*(\\[\\s*({ITEM}\\s*(,\\s*{ITEM}\\s*)*)?\\]|{ITEM})\\s*$"
"""JSON of names and interfaces alone. Others choose an address, a MAC, an InfiniBand identity, a port of the node, a
default route or arguments of the plug-in (k8snetworkplumbingwg/multus-cni, NetworkSelectionElement)."""
BEFORE, AFTER = "[^A-Za-z0-9.@-]", "[^A-Za-z0-9.-]"
"""What stands beside a network's name in either form; an interface's name has `@` before it. No list
of separators: Multus cuts whatever Unicode takes for a space."""


def network_watches(section: TenancySection, facts: Facts) -> Iterator[Watch]:
    """For every cluster: Multus may be the site's."""
    marks = MARKS.format("t")
    limits = (*_networks(marks), *_rails(marks, facts))
    yield Watch("network", PODS, limits, when=MARKED)
    served = [team.name for team in section.teams if team.limits.load_balancers]
    yield Watch("service", (("", "v1", "services"),), tuple(_services(served)), when=MARKED)
    ray = CONTROLLERS["kuberay"]
    if ray in running(facts.training):
        kinds = tuple((ray.group, ray.api.split("/")[1], plural) for plural in ray.plurals)
        yield Watch("ray", kinds, tuple(_ray(served)))


def _services(served: list[str]) -> Iterator[Limit]:
    """Types are the quota's to count; here, what asks for a name or an address of the site's besides."""
    yield Limit(
        "!has(object.spec.externalIPs) || size(object.spec.externalIPs) == 0",
        "externalIPs takes the traffic of any address from every node (CVE-2020-8554): remove it.",
    )
    address = "has(object.spec.loadBalancerIP) && object.spec.loadBalancerIP != ''"
    names = f"{MARKS.format('object')}.exists(k, k.startsWith('{SITE_NAMES}'))"
    yield Limit(
        f"request.namespace in {texts(served)} || !(({address}) || {names})",
        f"loadBalancerIP and {SITE_NAMES} take addresses and names of the site: the team needs limits.loadBalancers.",
    )


def _ray(served: list[str]) -> Iterator[Limit]:
    """Its operator makes for the team what members may not make (ray-project/kuberay@v1.7.0, raycluster_types.go).

    An Ingress (a Route on OpenShift) of any host, path and annotation, a Gateway, and NetworkPolicies of one's own
    rules, by which a pod would reach the node's services and other teams.
    """
    shown = "has(r.headGroupSpec.enableIngress) && r.headGroupSpec.enableIngress"
    gateway = "has(object.spec.upgradeStrategy) && has(object.spec.upgradeStrategy.clusterUpgradeOptions)"
    yield Limit(
        f"request.namespace in {texts(served)} || !({RAY_CLUSTERS}.exists(r, {shown}) || ({gateway}))",
        "enableIngress and clusterUpgradeOptions take addresses and names of the site: the team needs "
        "limits.loadBalancers.",
    )
    yield Limit(
        f"{RAY_CLUSTERS}.all(r, !has(r.networkPolicy))",
        "Whom pods reach is the platform's: remove networkPolicy.",
    )


def _networks(marks: str) -> Iterator[Limit]:
    value = f"{marks}['{NETWORKS}']"
    json = f"{value}.matches('{AS_JSON}')"
    named = f"{value}.split(',').all(n, !n.contains('/') || n.trim().startsWith(request.namespace + '/'))"
    own = f"({json} ? !{value}.matches('{ELSEWHERE}') : {named})"
    yield Limit(
        f"variables.templates.all(t, !('{NETWORKS}' in {marks}) || {own})",
        f"A network of another namespace is not the team's: name those of this one in {NETWORKS}.",
    )
    yield Limit(
        f"variables.templates.all(t, !('{NETWORKS}' in {marks}) || !{json} || {value}.matches('{PLAIN}'))",
        f"Addresses and identities on the fabric are the platform's: in {NETWORKS} name and interface alone.",
    )
    yield Limit(
        f"variables.templates.all(t, !('{OLD_NETWORKS}' in {marks}))",
        f"{OLD_NETWORKS} is not read here: use {NETWORKS}.",
    )
    yield Limit(
        f"variables.templates.all(t, !('{DEFAULT_NETWORK}' in {marks}))",
        f"The pod's first network is the cluster's, with its NetworkPolicies: remove {DEFAULT_NETWORK}.",
    )


def _rails(marks: str, facts: Facts) -> Iterator[Limit]:
    """Each name in a list of its own: RE2 has no way back to what it has matched."""
    gpus = sorted({pool.resource for pool in facts.gpu_pools})
    for key, names in ((NETWORKS, rail_names(facts)), (GKE_NETWORKS, list(facts.fabric.node_networks))):
        if not names:
            continue
        value, there = f"{marks}['{key}']", f"!('{key}' in {marks})"
        some = f"{value}.matches('(^|{BEFORE})({'|'.join(names)})($|{AFTER})')"
        again = f"{value}.matches('(?s)(^|{BEFORE})' + r + '({BEFORE}|{AFTER}.*{BEFORE})' + r + '($|{AFTER})')"
        escaped = f"!{value}.contains('\\\\') && " if key == GKE_NETWORKS else ""
        yield Limit(
            each_spec(f"{there} || ({escaped}(!{some} || {asks_for(gpus)}))"),
            f"The fabric's networks go with GPUs, which wait in the team's queue: ask for some, or remove {key}.",
        )
        yield Limit(
            f"variables.templates.all(t, {there} || !{texts(names)}.exists(r, {again}))",
            f"A network of the fabric twice would take another pod's addresses: name each once in {key}.",
        )


def rail_names(facts: Facts) -> list[str]:
    """Of all networks of the fabric, in whatever team's namespace and for whatever pool."""
    fabric = facts.fabric
    if not fabric.attaches_networks:
        return []
    wirings = {fabric.wiring(pool) for pool in facts.fabric_pools}
    return sorted({r.network(team.name, w) for r in fabric.rails for team in facts.teams for w in wirings})
