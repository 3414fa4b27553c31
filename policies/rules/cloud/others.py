"""Google Cloud, Azure and Oracle: the constructs that carry RDMA."""

from bedplate.catalog.machines import Machine, like
from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import outside
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import items, text, whole


def _on(fabric: str, name: str) -> Machine | None:
    """The machine of that name, or of its family, if its interfaces form the fabric."""
    return next((each for each in like(name) if fabric in each.fabrics), None)


@rule("CLD-806", MANDATORY, on=Stack)
def google_networks(stack: Stack) -> Complaints:
    """a3-mega has 8 gVNIC networks; a3-ultra and a4 have 8 subnets in a VPC with the RoCE profile.

    Pools that the profile keeps out of the fabric need none of it.
    """
    for pool in stack.of("NodePool"):
        name = text(pool.at("nodeConfig", "machineType"))
        roce = _on("gib", name)
        machine = roce or _on("tcpxo", name)
        networks = pool.at("networkConfig", "additionalNodeNetworkConfigs")
        if machine is None or not whole(pool.at("networkConfig")):
            continue
        if not items(networks) and outside(stack.facts, pool.at("name")):
            continue
        if len(items(networks)) < (machine.nics or 0):
            what = f"{name} has {len(items(networks))} additional node networks of {machine.nics}"
            yield Complaint(what, about=pool)
        if pool.at("placementPolicy") is None and pool.at("nodeConfig", "reservationAffinity") is None:
            yield Complaint(f"{name} has neither placement policy nor reservation", about=pool)
        if roce and stack.of("Network") and not _roce_profile(stack):
            yield Complaint(f"{name} has no network with the RoCE profile", about=pool)


def _roce_profile(stack: Stack) -> bool:
    profiles = [network.at("networkProfile") for network in stack.of("Network")]
    return any(not whole(each) or "vpc-roce" in text(each) for each in profiles)


@rule("CLD-807", MANDATORY, on=("AgentPool", "KubernetesClusterNodePool"))
def azure_one_fabric(pool: Resource, facts: Facts) -> Complaints:
    """An ND pool is in one zone at most, and its driver mode is that of the profile."""
    size = text(pool.at("vmSize"))
    if not _on("infiniband", size):
        return
    zones = items(pool.at("availabilityZones")) or items(pool.at("zones"))
    if len(zones) > 1:
        yield f"{size} spans {len(zones)} zones"
    mode = text(pool.at("gpuProfile", "driver")) or text(pool.at("gpuDriver"))
    if mode == "Install" and facts.driver_owner == "operator":
        yield Complaint(f"{size} installs a driver and so does the GPU operator", "Set the GPU driver mode to None")
    if mode == "None" and facts.driver_owner == "cloud":
        what = f"{size} has the driver mode None and nothing else brings one"
        yield Complaint(what, "Set the GPU driver mode to Install")


@rule("CLD-808", MANDATORY, on=Stack)
def oracle_cluster_network(stack: Stack) -> Complaints:
    """OKE's own node pools cannot join a cluster network: BM.GPU shapes come from one of the RDMA constructs."""
    for pool in stack.of("NodePool", "InstancePool"):
        shape = text(pool.at("nodeShape")) or text(pool.at("shape"))
        clusters = stack.of("ClusterNetwork", "ComputeCluster", "ComputeGpuMemoryCluster")
        linked = any(each.urn in pool.dependencies or pool.urn in each.dependencies for each in clusters)
        if _on("roce", shape) and not linked and (pool.kind == "NodePool" or stack.complete):
            yield Complaint(f"{shape} is in no cluster network", about=pool)
