"""How the cluster's own network is set up: what its CNI plug-in, kubeadm and a kubelet say, as far as they may be read.

ConfigMaps of kube-system alone, and one kubelet's configuration (`nodes/NAME/proxy/configz`, Kubernetes documentation,
"Reconfiguring a kubelet"). Whoever may not read them sees nothing else the worse for it.
"""

import json
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NamedTuple, cast

import yaml

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.objects import Object, part, place
from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.folders import beside
from bedplate.live.kinds import CONFIG_MAP, NODE, Kind
from bedplate.live.reading import Get, Observed, look

HOME = "kube-system"
KUBELET = Kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration")
"""No API server lists it: one that a kubelet told is kept as if it did."""
KUBEADM = ("kubeadm-config", "ClusterConfiguration")
OF_KUBELETS = ("kubelet-config", "kubelet")
"""ConfigMap and key: kubeadm's, and so Kubespray's."""
CILIUM = "cilium-config"
PLUGINS = beside(__file__, "cni.toml")
"""By DaemonSet, what is known of a CNI plug-in."""


class Names(NamedTuple):
    """What kubelets tell pods of the name service."""

    servers: tuple[IPv4Address | IPv6Address, ...] = ()
    domain: str = ""


def network(get: Get, observed: Observed) -> Observed:
    """What may be read of it, beside what was seen; where ConfigMaps were listed already they are not listed anew."""
    maps = Observed() if observed.knows(CONFIG_MAP) else Observed(look(get, [CONFIG_MAP], [HOME]).objects)
    return observed.with_more(maps).with_more(Observed({KUBELET: _kubelet(get, observed)}))


def names(observed: Observed) -> Names:
    """Of a kubelet, else of kubeadm's ConfigMap for all."""
    for obj in (*observed.of(KUBELET), written(observed, *OF_KUBELETS)):
        servers = tuple(address for text in obj.get("clusterDNS") or () if (address := _address(text)))
        if servers or obj.get("clusterDomain"):
            return Names(servers, str(obj.get("clusterDomain") or "").rstrip("."))
    return Names()


def exclusive(observed: Observed) -> bool | None:
    """Cilium takes the other plug-ins' configuration away; None where there is no Cilium, or it may not be read."""
    obj = observed.find(CONFIG_MAP, CILIUM, HOME)
    return None if obj is None else part(obj, "data").get("cni-exclusive") == "true"


def cilium(observed: Observed, key: str) -> str:
    """A value of Cilium's; empty where there is none."""
    obj = observed.find(CONFIG_MAP, CILIUM, HOME)
    return str(part(obj, "data").get(key) or "") if obj else ""


def written(observed: Observed, name: str, key: str) -> Mapping[str, Any]:
    """The document within a ConfigMap of kube-system; empty where there is none that can be read."""
    obj = observed.find(CONFIG_MAP, name, HOME)
    try:
        document: object = yaml.load(part(obj or {}, "data").get(key) or "", BoundedLoader)  # noqa: S506 - a safe one
    except yaml.YAMLError:
        return {}
    return cast("Mapping[str, Any]", document) if isinstance(document, dict) else {}


def _kubelet(get: Get, observed: Observed) -> list[Object]:
    """The first that answers for its node; all of a cluster have one name service."""
    for node in observed.of(NODE)[:1]:
        try:
            answer = json.loads(get(f"/api/v1/nodes/{place(node)[1]}/proxy/configz"))
            return [answer["kubeletconfig"]]
        except (ClusterError, ValueError, LookupError, TypeError):
            return []
    return []


def _address(text: object) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(str(text))
    except ValueError:
        return None
