"""The profile of a cluster, with what it leaves open: checked as any other, and no guess in it that is not said."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.cluster.objects import part, place
from bedplate.components.facts.pools import RENAMED
from bedplate.components.platforms import PLATFORMS
from bedplate.live import kinds
from bedplate.live.discover import fabric, network, owners, platform, pools
from bedplate.live.discover.fabric import BY_NETWORK
from bedplate.live.discover.machine import GPU, machine
from bedplate.live.kinds import CLUSTER_POLICY, LOCAL_QUEUE, NIC_CLUSTER_POLICY, NODE
from bedplate.live.reading import Observed

ALWAYS = (
    "tenancy: who uses the cluster is yours to say; teams are the namespaces with a queue or a network of the rails",
    "serving, storage.volumes, verification: what for, as well",
)
NEEDED = (NODE, kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.DAEMON_SET)
"""Kinds without which the profile has holes, so that a missing list of them is reported."""
LISTED = (
    *(*NEEDED, kinds.STORAGE_CLASS, CLUSTER_POLICY, NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY, kinds.ATTACHMENT),
    *(*BY_NETWORK, kinds.VIRTUAL_FUNCTIONS, LOCAL_QUEUE, kinds.IP_POOL, kinds.CIDR_POOL, kinds.TOPOLOGY),
    *(kinds.SERVICE_CIDR, kinds.OPENSHIFT_NETWORK, kinds.PROMETHEUS),
)
"""Kinds that describe a cluster: those that every cluster has, and those of operators that may be there."""
ORDER = ("tenancy", "nfd", "networkOperator", "efaDevicePlugin", "multus", "whereabouts", "gpuOperator")


@dataclass(frozen=True)
class Draft:
    """What could be seen, and what could not."""

    profile: dict[str, Any]
    unseen: tuple[str, ...]


def draft(observed: Observed, name: str, context: str) -> Draft:
    """Of one look at a cluster."""
    where = platform.platform(observed)
    image = platform.node_os(platform.gpu_nodes(observed.of(NODE)))
    net, run = fabric.fabric(observed, where), owners.owners(observed, where)
    drafted = pools.pools(observed, where, net)
    owner = platform.driver_owner(observed, where, image)
    own = network.cluster_network(observed)
    head: dict[str, Any] = {
        "name": name,
        "platform": where,
        "nodeOs": image or "ubuntu",
        "kubernetesVersion": platform.kubernetes(observed),
        "context": context,
        **({"clusterNetwork": own} if own else {}),
        "driverOwner": owner,
        "gpuDirect": gpu_direct(observed, net["kind"]),
        "pools": drafted,
        "fabric": net | _others_devices(observed, net, run),
    }
    sections = run | _operators(observed, run, where)
    sections = people(observed) | sections
    parts = {key: sections[key] for key in (*ORDER, *sections) if key in sections}
    doubts = (
        *_hidden(observed),
        *platform.unsure(observed, image),
        *pools.unsure(drafted, observed),
        *fabric.unsure(net, observed, where),
        *owners.unsure(run, observed),
        *_proposed(observed, run, where),
        *network.unsure(own),
        *ALWAYS,
    )
    return Draft(head | parts, doubts)


def gpu_direct(observed: Observed, kind: str) -> str:
    """Peermem where ClusterPolicy says so; without RDMA nothing."""
    drivers = (part(obj, "spec", "driver", "rdma") for obj in observed.of(CLUSTER_POLICY))
    if any(rdma.get("enabled") for rdma in drivers):
        return "peermem"
    return "none" if kind in ("none", "tcpxo") else "dmabuf"


def people(observed: Observed) -> dict[str, Any]:
    """Teams, as far as namespaces have a queue or a network of the rails."""
    queues = [place(obj)[0] for obj in observed.of(LOCAL_QUEUE)]
    networks = [part(obj, "spec").get("networkNamespace") for kind in BY_NETWORK for obj in observed.of(kind)]
    names = list(dict.fromkeys(name for name in (*queues, *networks) if name))
    return {"tenancy": {"teams": [{"name": name} for name in names]}} if names else {}


def _advertised(observed: Observed) -> bool:
    return any(name.startswith(GPU) for node in observed.of(NODE) for name in machine(node).capacity)


def _operators(observed: Observed, run: dict[str, Any], where: str) -> dict[str, Any]:
    """Whoever advertises the GPUs now goes on; on a bare cluster that is proposed which does."""
    more: dict[str, Any] = {}
    if "gpuOperator" not in run:
        more = _plugin(observed) if _advertised(observed) else {"nfd": {}, "gpuOperator": {}}
    for obj in observed.of(CLUSTER_POLICY) if "gpuOperator" in run else ():
        more["gpuOperator"] = {**run["gpuOperator"], **_driver(part(obj, "spec", "driver"))}
    for obj in observed.of(NIC_CLUSTER_POLICY):
        if part(obj, "spec", "ofedDriver") and "networkOperator" in run:
            more["networkOperator"] = {**run["networkOperator"], "ofed": {"primaryNic": "other-vendor"}}
    return {} if PLATFORMS[where].own_operators and "gpuOperator" in more else more


def _plugin(observed: Observed) -> dict[str, Any]:
    """The site's own, and whether it has another name for a share of a GPU."""
    renamed = any(RENAMED in machine(node).capacity for node in observed.of(NODE))
    return {"existing": {"devicePlugin": {"renamesShared": True}}} if renamed else {"existingDevicePlugin": True}


def _driver(driver: Mapping[str, Any]) -> dict[str, str]:
    """What the operator was told of it: an `up` shall not change it by the way, nor give old GPUs open modules."""
    modules = driver.get("kernelModuleType") or ("proprietary" if driver.get("useOpenKernelModules") is False else None)
    said = {"kernelModules": modules, "driverVersion": driver.get("version")}
    return {} if driver.get("enabled") is False else {key: str(value) for key, value in said.items() if value}


def _others_devices(observed: Observed, net: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """Devices that somebody advertises without our operator."""
    if net["kind"] == "efa":
        return {} if "efaDevicePlugin" in run else {"existingPlugin": True}
    if net["kind"] not in ("infiniband", "roce") or "networkOperator" in run:
        return {}
    return {"existingDevices": devices} if (devices := fabric.existing_devices(observed, net)) else {}


def _hidden(observed: Observed) -> Iterator[str]:
    for kind, reason in observed.hidden.items():
        yield f"{kind}: {reason}" + ("; much of the profile follows from it" if kind in NEEDED else "")


def _proposed(observed: Observed, run: dict[str, Any], where: str) -> Iterator[str]:
    if "gpuOperator" not in run and not _advertised(observed) and not PLATFORMS[where].own_operators:
        yield "gpuOperator, nfd: nobody advertises GPUs; both are put in, and would be installed"
    if any(part(obj, "spec", "ofedDriver") for obj in observed.of(NIC_CLUSTER_POLICY)):
        yield "networkOperator.ofed.primaryNic: whose card carries the nodes' own network; other-vendor is put in"
