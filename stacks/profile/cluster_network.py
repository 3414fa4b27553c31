"""The cluster's own network, as the site has set it up: nothing of it is installed here, and much follows from it."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, IPvAnyAddress

from bedplate.components.section import Cidr, Cidr6, Network, Section

DOMAIN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"


class Cilium(Section):
    """Cilium, alone or with a cloud's."""

    kind: Literal["cilium"]
    exclusive: bool = True
    """`cni.exclusive` of Cilium's chart, which is on by default: it renames the configuration of every other CNI
    plug-in to `*.cilium_bak`, Multus' too. Rails need `false`."""


class Plugin(Section):
    """Any other that pods get their first network from."""

    kind: Literal["calico", "canal", "flannel", "ovn-kubernetes", "cloud", "other"]
    """`canal` is Flannel with Calico's policies; `cloud` is the managed service's own; Flannel alone keeps no
    NetworkPolicy."""


IpVersion: TypeAlias = Literal[4, 6]
AnyCni = Annotated[Cilium | Plugin, Field(discriminator="kind")]


class ClusterNetwork(Section):
    """The cluster's own networks: the rails must not overlap them, and no team's `egress` opens them."""

    cni: AnyCni | None = None
    """The CNI plug-in of the cluster; absent: `bedplate doctor` looks, and nothing is checked before."""
    pod_cidr: Cidr | None = None
    """Addresses of pods on the primary network."""
    service_cidr: Cidr | None = None
    """Addresses of Services."""
    pod_cidr6: Cidr6 | None = None
    """Addresses of pods by IPv6. With both of IPv6 and none of IPv4 the cluster has IPv6 alone."""
    service_cidr6: Cidr6 | None = None
    """Addresses of Services by IPv6."""
    node_cidrs: tuple[Network, ...] = ()
    """Addresses of the nodes: their subnets, or the cloud network that holds them; of dual stack both."""
    name_servers: tuple[IPvAnyAddress, ...] = ()
    """Addresses at which pods ask for names, if those are no pods: kubelet's `clusterDNS`. By default port 53 is open
    at every link-local address, where caches on the nodes listen, and in the networks of Services."""
    domain: Annotated[str, Field(pattern=DOMAIN)] = "cluster.local"
    """The cluster's DNS domain: kubelet's `clusterDomain`."""

    @property
    def stated(self) -> tuple[tuple[str, Network], ...]:
        """Key and value of each that is named."""
        named = (
            ("podCidr", self.pod_cidr),
            ("serviceCidr", self.service_cidr),
            ("podCidr6", self.pod_cidr6),
            ("serviceCidr6", self.service_cidr6),
        )
        return (*((key, net) for key, net in named if net), *(("nodeCidrs", network) for network in self.node_cidrs))

    @property
    def pods_alone(self) -> tuple[tuple[str, Network], ...]:
        """Key and value of each in which pods alone have addresses: some plug-ins give them those of the nodes."""
        pods = [(key, network) for key, network in self.stated if key.startswith("podCidr")]
        return tuple(network for network in pods if not any(network[1].overlaps(nodes) for nodes in self.node_cidrs))

    def lacks(self, version: IpVersion) -> list[str]:
        """Keys that do not say where pods, Services and nodes of this version of IP are."""
        end = ENDS[version]
        own = [(key, net) for key, net in self.stated if net.version == version]
        there, six = {key for key, _ in own}, self.pod_cidr6 and self.service_cidr6
        if not end and six and not (self.pod_cidr or self.service_cidr):
            there |= {"podCidr", "serviceCidr"}
        return [key for key in (f"podCidr{end}", f"serviceCidr{end}", "nodeCidrs") if key not in there]

    @property
    def asked_for_names(self) -> tuple[str, ...]:
        """Networks in which pods ask for names, besides the pods of the name service."""
        if self.name_servers:
            return tuple(f"{server}/{server.max_prefixlen}" for server in self.name_servers)
        return (LINK_LOCAL, *(str(network) for network in (self.service_cidr, self.service_cidr6) if network))


ENDS: Mapping[IpVersion, str] = {4: "", 6: "6"}
"""Of the keys of networks, by the version of IP."""
LINK_LOCAL = "169.254.0.0/16"
"""Where caches on the nodes listen: 169.254.20.10 of Kubernetes' documentation, 169.254.25.10 of Kubespray
(kubernetes-sigs/kubespray, roles/kubespray_defaults), AKS' LocalDNS, GKE's metadata server. A cache in iptables mode
listens at the Service's address too, without NAT, so that a policy does not see the pods behind it
(kubernetes/kubernetes#70555)."""
