"""A pool as a GKE node pool: machine, GPUs and their driver, networks, placement and reservation."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_gcp as gcp

from bedplate.catalog.machines import MACHINES
from bedplate.components.cloud.gcp import driver_installer
from bedplate.components.cloud.gcp.networks import Attached
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.cloud.node_labels import node_labels, node_taints
from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.facts.capacity import QUEUED, FlexStart, Reservation, Spot

IMAGES = {"cos": "COS_CONTAINERD", "ubuntu": "UBUNTU_CONTAINERD"}
NO_GKE_PLUGIN = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
"""Keeps GKE's device plugin off where the GPU Operator's advertises the GPUs (NVIDIA docs, google-gke)."""
RESERVATION_NAME = "compute.googleapis.com/reservation-name"
CPU_DISK_GIB = 100
SURGE: Any = {"strategy": "SURGE", "max_surge": 0, "max_unavailable": 1}
"""GPUs are reserved to the last one, which leaves none for a surge."""


def node_pool(
    args: Args[GcpCloud],
    pool: NodePool,
    policy: pulumi.Input[str] | None,
    attached: Sequence[Attached],
    opts: pulumi.ResourceOptions,
) -> gcp.container.NodePool:
    """Declare it; its name is the pool's, because the platform selects nodes by GKE's label with that name."""
    section = args.section
    ours = pulumi.ResourceOptions(delete_before_replace=True, ignore_changes=ignored(pool, placed=policy is not None))
    networks: list[Any] = (
        [{"network": network.vpc, "subnetwork": network.subnet} for network in attached] if pool.nics else []
    )
    return gcp.container.NodePool(
        pool.name,
        name=pool.name,
        cluster=section.cluster or args.facts.cluster,
        location=section.location or section.region,
        node_locations=pool.zones,
        placement_policy={"type": "COMPACT", "policy_name": policy} if policy else None,
        network_config={"additional_node_network_configs": networks} if networks else None,
        upgrade_settings=SURGE if pool.gpus and not isinstance(pool.capacity, FlexStart) else None,
        node_config=node_config(section, args.facts, pool),
        opts=pulumi.ResourceOptions.merge(opts, ours),
        **size(pool),
        **upkeep(args.facts, pool),
    )


def upkeep(facts: Facts, pool: NodePool) -> dict[str, Any]:
    """GKE repairs no node of flex-start, refuses to be asked to, and upgrades them in a way of its own.

    (GKE documentation, "Run a large-scale workload with flex-start with queued provisioning"). A cluster in a release
    channel has repair only together with upgrades (GKE documentation, "Release channels").
    """
    if not isinstance(pool.capacity, FlexStart):
        repairs = facts.health is not None and facts.health.repairs
        return {"management": {"auto_repair": True, "auto_upgrade": True}} if repairs else {}
    queue = {"queued_provisioning": {"enabled": True}} if pool.queued else {}
    return {"management": {"auto_repair": False, "auto_upgrade": True}, **queue}


def ignored(pool: NodePool, *, placed: bool) -> list[str]:
    """What GKE reads back otherwise than it was written, and what an autoscaler changes.

    The placement's type comes back empty, and each difference would restart every node
    (hashicorp/terraform-provider-google#25388, GoogleCloudPlatform/cluster-toolkit#5691).
    """
    return [*(["placementPolicy.type"] if placed else []), *(["initialNodeCount"] if pool.autoscale else [])]


def size(pool: NodePool) -> dict[str, Any]:
    """Nodes per zone, or the bounds of the whole pool for the autoscaler."""
    zones = len(pool.zones)
    if pool.autoscale is None:
        return {"node_count": pool.nodes // zones}
    fewest, most = pool.bounds
    bounds = {"total_min_node_count": fewest, "total_max_node_count": most, "location_policy": "ANY"}
    return {"initial_node_count": pool.nodes // zones, "autoscaling": bounds}


def node_config(section: GcpCloud, facts: Facts, pool: NodePool) -> Any:  # noqa: ANN401 - the SDK's typed dict
    """The machine and what is on it."""
    return {
        "machine_type": pool.instance_type,
        "image_type": IMAGES[facts.node_os],
        "disk_size_gb": section.disk_gib if pool.gpus else CPU_DISK_GIB,
        "gvnic": {"enabled": True},
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "labels": {**node_labels(pool), **plugin_label(facts, pool)},
        "taints": [taint for taint in node_taints(pool) if taint["key"] != QUEUED["key"]],  # GKE's own
        "reservation_affinity": reservation_affinity(pool),
        **provisioning(pool),
        **({"service_account": section.service_account} if section.service_account else {}),
        **(gpu_config(section, facts, pool) if pool.gpus else {}),
    }


def gpu_config(section: GcpCloud, facts: Facts, pool: NodePool) -> dict[str, Any]:
    """The GPUs, who installs their driver, and the local SSDs that come with them."""
    machine = MACHINES[str(pool.instance_type)]
    elsewhere = facts.ownership.driver or driver_installer.installs(facts)
    driver = "INSTALLATION_DISABLED" if elsewhere else section.gpu_driver.upper()
    accelerator = {
        "type": machine.cloud_gpu,
        "count": pool.gpus,
        "gpu_driver_installation_config": {"gpu_driver_version": driver},
    }
    return {
        "guest_accelerators": [accelerator],
        **({"ephemeral_storage_local_ssd_config": {"local_ssd_count": ssds}} if (ssds := machine.local_ssds) else {}),
    }


def plugin_label(facts: Facts, pool: NodePool) -> dict[str, str]:
    """One device plugin per node: GKE's own goes where the GPU Operator's hands out what is installed beside it."""
    operators = "gpuOperator" in facts.has and facts.ownership.device_plugin
    return NO_GKE_PLUGIN if pool.gpus and operators else {}


def provisioning(pool: NodePool) -> dict[str, Any]:
    """How the machines are had where nobody keeps them."""
    match pool.capacity:
        case Spot():
            return {"spot": True}
        case FlexStart(max_run_hours=hours):
            return {"flex_start": True, "max_run_duration": f"{hours * 3600}s"}
        case _:
            return {}


def reservation_affinity(pool: NodePool) -> dict[str, Any]:
    """Take machines from the reservation only; on demand take none from any, so that nobody's are used up."""
    match pool.capacity:
        case Reservation(name=name, project=project, block=block):
            path = f"projects/{project}/reservations/{name}" if project else name
            path += f"/reservationBlocks/{block}" if block else ""
            return {
                "consume_reservation_type": "SPECIFIC_RESERVATION",
                "key": RESERVATION_NAME,
                "values": [path],
            }
        case _:
            return {"consume_reservation_type": "NO_RESERVATION"}
