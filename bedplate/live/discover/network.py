"""`clusterNetwork` of a cluster: which plug-in runs, and which addresses its parts were given."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from bedplate.cluster.objects import Object, entries, part, place
from bedplate.live.kinds import DAEMON_SET, OPENSHIFT_NETWORK, SERVICE_CIDR
from bedplate.live.network import KUBEADM, PLUGINS, cilium, exclusive, names, written
from bedplate.live.reading import Observed
from bedplate.stacks.profile.cluster_network import ENDS, LINK_LOCAL, ClusterNetwork


def cluster_network(observed: Observed) -> dict[str, Any]:
    """As much of the section as the cluster tells."""
    section: dict[str, Any] = {"cni": _plugin(observed)}
    for key, texts in (("podCidr", _pods(observed)), ("serviceCidr", _services(observed))):
        networks = [network for text in texts if (network := _network(text))]
        for version, end in ENDS.items():
            section[f"{key}{end}"] = next((str(network) for network in networks if network.version == version), None)
    service, default = names(observed), ClusterNetwork()
    section["nameServers"] = _caches(observed, section)
    section["domain"] = service.domain if service.domain not in ("", default.domain) else None
    return {key: value for key, value in section.items() if value}


def unsure(section: dict[str, Any]) -> Iterator[str]:
    """What of it nobody told."""
    open_keys = [key for key in ("cni", "podCidr", "serviceCidr") if key not in section and f"{key}6" not in section]
    keys = ", ".join((*open_keys, "nodeCidrs"))
    yield f"clusterNetwork.{{{keys}}}: no rail overlaps these addresses, and no team's egress opens them"


def _plugin(observed: Observed) -> dict[str, Any] | None:
    there = {place(obj)[1] for obj in observed.of(DAEMON_SET)}
    kind = next((row["cni"] for name, row in PLUGINS.items() if name in there and "cni" in row), None)
    if kind == "cilium":
        # Without a word on it the chart's default holds.
        return {"kind": kind, **({"exclusive": False} if exclusive(observed) is False else {})}
    return {"kind": kind} if kind else None


def _pods(observed: Observed) -> Iterator[str]:
    for obj in observed.of(OPENSHIFT_NETWORK):
        yield from (str(network.get("cidr", "")) for network in entries(obj, "spec", "clusterNetwork"))
    yield from _kubeadm(observed, "podSubnet")
    for version in (4, 6):
        yield from cilium(observed, f"cluster-pool-ipv{version}-cidr").split()


def _services(observed: Observed) -> Iterator[str]:
    """Those that the API server has as objects since Kubernetes 1.33."""
    yield from _texts(observed.of(SERVICE_CIDR), "cidrs")
    yield from _texts(observed.of(OPENSHIFT_NETWORK), "serviceNetwork")
    yield from _kubeadm(observed, "serviceSubnet")


def _texts(objects: Any, key: str) -> Iterator[str]:  # noqa: ANN401 - objects of the API server
    for obj in objects:
        yield from map(str, part(obj, "spec").get(key) or ())


def _kubeadm(observed: Observed, key: str) -> list[str]:
    networking: Object = part(written(observed, *KUBEADM), "networking")
    return [text.strip() for text in str(networking.get(key) or "").split(",")]


def _caches(observed: Observed, section: dict[str, Any]) -> list[str]:
    """Name servers that kubelets tell, unless all of them are open by default."""
    usual = [
        ip_network(address) for address in (LINK_LOCAL, section["serviceCidr"], section["serviceCidr6"]) if address
    ]
    servers = names(observed).servers
    is_open = all(any(server in network for network in usual) for server in servers)
    return [] if is_open else list(map(str, servers))


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None
