"""The fabric: which network, how pods get at its devices, and its rails, as far as objects and resources tell."""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from bedplate.cluster.objects import Object, labels, part
from bedplate.live import kinds
from bedplate.live.discover.attachments import addresses, doubts, network, plugins, ranges, texts
from bedplate.live.discover.machine import MELLANOX, machine
from bedplate.live.discover.platform import MARKS
from bedplate.live.discover.rails import selectors, wirings
from bedplate.live.kinds import CIDR_POOL, IP_POOL, NODE, SRIOV_IB_NETWORK, SRIOV_NETWORK, VIRTUAL_FUNCTIONS, Kind
from bedplate.live.reading import Observed
from bedplate.stacks.hardware.shapes import SHAPES

EFA = "vpc.amazonaws.com/efa"
BY_NETWORK: Mapping[Kind, tuple[str, str]] = {
    kinds.MACVLAN_NETWORK: ("roce", "shared"),
    kinds.IPOIB_NETWORK: ("infiniband", "shared"),
    SRIOV_IB_NETWORK: ("infiniband", "sriov"),
    SRIOV_NETWORK: ("roce", "sriov"),
    kinds.HOST_DEVICE_NETWORK: ("", "host-device"),
}
"""What a kind of network says of the link and of its devices."""
OF_CLOUD = {"aks": "infiniband", "oke": "roce"}
NONE: dict[str, Any] = {"kind": "none"}


def fabric(observed: Observed, platform: str) -> dict[str, Any]:
    """The section as the profile writes it; `none` where nothing tells."""
    resources = {name for node in observed.of(NODE) for name in machine(node).devices}
    if EFA in resources:
        return {"kind": "efa"}
    if platform == "gke":
        return {"kind": _gke(observed) or "none"}
    exposure = _exposure(observed, resources)
    kind = OF_CLOUD.get(platform) or _link(observed)
    if not (exposure and kind and _has_nics(observed)):
        return NONE
    section: dict[str, Any] = {"kind": kind, "exposure": exposure, **_numbers(observed)}
    return {key: value for key, value in section.items() if value not in (None, [], {})}


def _gke(observed: Observed) -> str | None:
    """By the machine: its table says what it forms."""
    named = (SHAPES.get(machine(node).kind or "") for node in observed.of(NODE))
    return next((shape.fabrics[0] for shape in named if shape and shape.fabrics), None)


def _has_nics(observed: Observed) -> bool:
    return any(machine(node).has_nics for node in observed.of(NODE))


def _exposure(observed: Observed, resources: Iterable[str]) -> str | None:
    names = list(resources)
    by_network = (exposure for kind, (_, exposure) in BY_NETWORK.items() if observed.of(kind))
    plain = (MARKS["plugins"][plugin][1] for plugin in _plain(observed))
    if drafted := next(by_network, None) or next(plain, None):
        return drafted
    if observed.of(VIRTUAL_FUNCTIONS) or any(name.startswith("openshift.io/") for name in names):
        return "sriov"
    if any(name.startswith("rdma/") for name in names):
        return "shared"
    return "exclusive" if any("hostdev" in name for name in names) else None


def _link(observed: Observed) -> str | None:
    """By networks, virtual functions, the policy's selectors, NFD's classes, the devices' and the resources' names."""
    networks = [kind for network, (kind, _) in BY_NETWORK.items() if kind and observed.of(network)]
    functions = [
        MARKS["links"].get(str(part(function, "spec").get("linkType", "")).lower())
        for function in observed.of(VIRTUAL_FUNCTIONS)
    ]
    chosen = [link for policy in observed.of(kinds.NIC_CLUSTER_POLICY) for link in _links(policy)]
    plain = [kind for plugin in _plain(observed) if (kind := MARKS["plugins"][plugin][0])]
    named = [MARKS["names"].get(name[:2]) for wiring in wirings(observed) for name in wiring.names]
    marks = (MELLANOX.match(label) for node in observed.of(NODE) for label in labels(node))
    classes = [MARKS["classes"].get(mark[1] or "") for mark in marks if mark]
    offered = [MARKS["resources"].get(name) for node in observed.of(NODE) for name in machine(node).rdma]
    return next((link for link in (*networks, *functions, *chosen, *plain, *classes, *named, *offered) if link), None)


def _links(policy: Object) -> Iterator[str | None]:
    return (MARKS["links"].get(link.lower()) for select in selectors(policy) for link in select.get("linkTypes") or ())


def _plain(observed: Observed) -> list[str]:
    """Plug-ins of networks that nobody's operator makes."""
    return [
        kind
        for attachment in plugins(observed)
        if isinstance(kind := attachment.value.get("type"), str) and kind in MARKS["plugins"]
    ]


def _numbers(observed: Observed) -> dict[str, Any]:
    """MTU, virtual functions and addresses, where all rails agree."""
    made = [part(obj, "spec") for kind in (VIRTUAL_FUNCTIONS, kinds.MACVLAN_NETWORK) for obj in observed.of(kind)]
    sizes, cuts = ({spec.get(key) for spec in made} - {None, 0} for key in ("mtu", "numVfs"))
    return {
        "mtu": sizes.pop() if len(sizes) == 1 else None,
        "numVfs": cuts.pop() if len(cuts) == 1 else None,
        "ipam": _addresses(observed) or _whereabouts(observed),
    }


def _addresses(observed: Observed) -> dict[str, Any] | None:
    """Nv-ipam's pools; whoever else hands addresses out keeps them in each network."""
    shared, own = observed.of(IP_POOL), observed.of(CIDR_POOL)
    field = "subnet" if shared else "cidr"
    subnets_as_text = [part(obj, "spec").get(field) for obj in (shared or own)]
    subnets = [subnet for text in subnets_as_text if (subnet := network(str(text or "")))]
    if not subnets:
        return None
    first = part((shared or own)[0], "spec")
    section: dict[str, Any] = {"kind": "nv-ipam", "network": str(_around(subnets)), "railPrefix": subnets[0].prefixlen}
    if own:
        return section | {"nodePrefix": first.get("perNodeNetworkPrefix"), "gateway": first.get("gatewayIndex")}
    return section | {"blockSize": first.get("perNodeBlockSize")}


def _whereabouts(observed: Observed) -> dict[str, Any] | None:
    """It has no pools of its own: each network says its range."""
    every = (address.value for address in addresses(observed, BY_NETWORK) if address.value.get("type") == "whereabouts")
    allocations = [(subnet, ipam) for ipam in every for text in ranges(ipam) if (subnet := network(text))]
    if not allocations:
        return None
    first, ipam = min(allocations, key=lambda pair: pair[0])
    around = _around([subnet for subnet, _ in allocations])
    section: dict[str, Any] = {"kind": "whereabouts", "network": str(around), "railPrefix": first.prefixlen}
    gateway = network(f"{ipam.get('gateway')}/32")
    if gateway and gateway.subnet_of(first):
        section["gateway"] = int(gateway.network_address) - int(first.network_address)
    kept = [text for text in texts(ipam.get("exclude")) if text != f"{ipam.get('gateway')}/32"]
    return section | ({"exclude": kept} if kept else {})


def _around(subnets: list[IPv4Network]) -> IPv4Network:
    """The smallest network that begins with the first rail and holds all of them."""
    supernet, last = min(subnets), max(subnets)
    while not supernet.supernet_of(last):
        supernet = supernet.supernet()
    return supernet


def existing_devices(observed: Observed, section: Mapping[str, Any]) -> dict[str, int]:
    """What a device plugin of the site advertises of the fabric, as many as a pod with a whole node asks for.

    One of what many pods share, and one of each port's own; of virtual functions of all ports as many as there are
    ports. By the node that has the most.
    """
    host = max(map(machine, observed.of(NODE)), key=lambda host: len(host.rdma), default=None)
    if host is None or section["exposure"] == "shared" or len(host.rdma) > 1:
        return dict.fromkeys(host.rdma if host else (), 1)
    ports = len(section.get("rails", ())) or host.gpus
    return {name: min(count, ports) if section["exposure"] == "sriov" else count for name, count in host.rdma.items()}


def unsure(section: Mapping[str, Any], observed: Observed, platform: str) -> Iterator[str]:
    """What neither labels nor resources tell."""
    yield from doubts(observed, BY_NETWORK)
    if section["kind"] == "none" and _has_nics(observed) and platform != "gke":
        text = "nodes have NVIDIA's NICs, and nothing says their link or how pods get them"
        yield f"fabric: {text}: write kind (infiniband or roce) and exposure; none is put in"
    if section["kind"] in ("infiniband", "roce"):
        yield "fabric: hcas, trafficClass and qpsPerConnection: only the hosts and switches know"
        if not wirings(observed) and section["exposure"] != "exclusive":
            yield "fabric.rails: the names of the network devices: `ip link` on a node"
