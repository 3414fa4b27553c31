"""Fabric sections: which network carries RDMA, and how pods get at its devices. One class per kind."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from bedplate.components.section import Cidr, Hca, InterfaceName, Section

Mtu = Annotated[int, Field(ge=1500, le=9978)]


class Ipam(Section):
    """Where pods get their addresses on the rails from."""

    kind: Literal["nv-ipam", "whereabouts"]
    """nv-ipam comes with the Network Operator; whereabouts is a release of its own."""
    network: Cidr
    """Address space of all rails together; rail i takes the i-th subnet of it."""
    rail_prefix: Annotated[int, Field(ge=12, le=29)] = 24
    """Prefix length of one rail's subnet."""
    block_size: PositiveInt = 8
    """Addresses that one node holds on one rail (nv-ipam's perNodeBlockSize), so the most pods there with a network."""
    node_prefix: Annotated[int, Field(ge=24, le=31)] | None = None
    """Routed rails: each node has a subnet of its own of this length on every rail (nv-ipam's CIDRPool), such as 31 for
    one pod and its switch port; absent: the nodes of a rail share one subnet, as within one leaf or L2 unit."""
    gateway: NonNegativeInt | None = None
    """Which address of a subnet the switch has, counted from its first: 1 for .1, 0 only with nodePrefix 31. No pod
    gets it; absent: the rails have no router, and a pod may have .1."""
    exclude: tuple[Cidr, ...] = ()
    """Addresses within the network that others have, such as the hosts' own or a switch's second one."""
    routes: tuple[Cidr, ...] = ()
    """What pods reach by each rail's gateway; with nodePrefix by default the rail itself, that is its other nodes."""
    hosts: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Node names in the order of their subnets, with nodePrefix: the first has the first subnet of every rail. Needed
    where switch ports have their addresses already; absent: nv-ipam hands subnets out as nodes come."""


class _Environment(Section):
    """What a site tells the libraries of every pod on its fabric."""

    env: Mapping[str, str] = Field(default_factory=dict)
    """Variables of NCCL, UCX, NVSHMEM and SHARP for every pod on the fabric, over ours: {NCCL_IB_SL: "1"} for the
    service level of adaptive routing, {NCCL_COLLNET_ENABLE: "1"} where switches run SHARP."""


class _Rails(_Environment):
    """What InfiniBand and RoCE share."""

    rails: tuple[InterfaceName, ...] = ()
    """Network device of each rail on the nodes, rail 0 first: one per NIC of the shape; a pool may have its own."""
    hcas: tuple[Hca, ...] = ()
    """RDMA devices of the rails (`mlx5_0`, …), where others are visible too: NCCL, NIXL and NVSHMEM are told them by
    NCCL_IB_HCA, UCX_NET_DEVICES and NVSHMEM_HCA_LIST, and would take those of storage besides."""
    ipam: Ipam | None = None
    """Addresses on the rails; absent where pods use verbs alone."""
    num_vfs: Annotated[int, Field(ge=1, le=16)] = 8
    """Virtual functions per port with `exposure: sriov`; the Network Operator refuses more than 16 on InfiniBand."""
    host_ofed: bool = False
    """The node image carries DOCA-OFED already, so the Network Operator must not install another."""
    existing_devices: dict[str, PositiveInt] = Field(default_factory=dict)
    """Extended resources that a device plugin of the site advertises already, with the count for a whole node."""


class Infiniband(_Rails):
    """InfiniBand, one subnet."""

    kind: Literal["infiniband"]
    exposure: Literal["shared", "exclusive", "sriov", "host-device"]
    """shared: all HCAs to several pods; exclusive: whole HCAs, verbs only; sriov: virtual functions; host-device: whole
    HCAs with their network device."""
    mtu: Mtu | None = None
    """IPoIB MTU; absent: the port's own."""


class Roce(_Rails):
    """RDMA over converged Ethernet, version 2."""

    kind: Literal["roce"]
    exposure: Literal["shared", "sriov", "host-device"]
    """shared: all NICs to several pods, each with a macvlan; sriov: virtual functions; host-device: whole NICs."""
    mtu: Mtu | None = None
    """MTU of the pods' networks. With `exposure: sriov` the SR-IOV operator sets the ports to it too, 9000 by default.
    Otherwise the ports are the site's to set (netplan, NetworkManager), at least as large; absent: the ports' own."""
    traffic_class: Annotated[int, Field(ge=0, le=255)] | None = None
    """NCCL_IB_TC of the lossless queue: DSCP shifted left by two; absent: the fabric marks traffic itself."""
    qps_per_connection: PositiveInt | None = None
    """NCCL_IB_QPS_PER_CONNECTION; 4 spreads flows where the fabric balances with ECMP."""


class Efa(_Environment):
    """AWS Elastic Fabric Adapter."""

    kind: Literal["efa"]
    hugepages: Annotated[str, Field(pattern=r"^[0-9]+Mi$")] = "5120Mi"
    """2 MiB huge pages that a pod with EFA asks for (EKS EFA guide)."""
    existing_plugin: bool = False
    """The site runs AWS's EFA device plugin (or the DRA driver) itself, so that `efaDevicePlugin` stays absent."""


class _GkeNetworks(Section):
    """GKE multi-networking: Network objects that exist beside the default one."""

    networks: tuple[str, ...] = ()
    """Names of the GKE Network objects, one per GPU interface; by default vpc1… (tcpxo) or rdma-0… (gib)."""


class Tcpxo(_GkeNetworks):
    """GPUDirect-TCPXO of a3-megagpu-8g."""

    kind: Literal["tcpxo"]


class Gib(_GkeNetworks):
    """GPUDirect RDMA with gIB of a3-ultragpu, a4 and a4x."""

    kind: Literal["gib"]


class NoFabric(Section):
    """No RDMA: jobs of one node lose nothing, those of several talk by TCP over the cluster's own network."""

    kind: Literal["none"]


AnyFabric = Annotated[Infiniband | Roce | Efa | Tcpxo | Gib | NoFabric, Field(discriminator="kind")]
RailFabric = Infiniband | Roce
