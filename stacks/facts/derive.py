"""Everything that follows from a profile, derived once: `facts(profile)`.

Each subject has a file of its own beside this one: fabric, pools, queues, storage, monitoring, policies. Takes a
profile that `stacks/checks/` found sound; says nothing about one that is not.
"""

from dataclasses import replace

from bedplate.components.cloud.elsewhere import OciCloud
from bedplate.components.facts import ChartSource, Facts, Health, Ownership
from bedplate.components.observability.health import HealthSection
from bedplate.components.operators.gpu_operator import CHART as GPU_OPERATOR
from bedplate.components.section import Section
from bedplate.components.tenancy.priorities import PRIORITY_CLASSES
from bedplate.stacks.facts.existing import existing
from bedplate.stacks.facts.fabric import fabric
from bedplate.stacks.facts.monitoring import monitoring
from bedplate.stacks.facts.pools import node_pool, turns
from bedplate.stacks.facts.queues import pool_capacity, queued_starts, scheduler, teams
from bedplate.stacks.facts.storage import cache, classes, volumes
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.profile import Profile

CDI_SINCE = (25, 10)
"""Line of the GPU Operator that hands GPUs out by CDI unless it is told not to."""


def facts(profile: Profile) -> Facts:
    """The cluster, derived."""
    fabric_facts, mounted = fabric(profile), volumes(profile)
    pools = tuple(node_pool(profile, fabric_facts, pool) for pool in profile.pools)
    capacity = {pool.name: pool_capacity(fabric_facts, pool) for pool in pools}
    members = teams(profile, pools, capacity)
    return Facts(
        cluster=profile.name,
        platform=profile.platform,
        node_os=profile.node_os,
        kubernetes_version=profile.kubernetes_version,
        context=profile.context,
        gpu_direct=profile.gpu_direct,
        host_ofed=isinstance(profile.fabric, RailFabric) and profile.fabric.host_ofed,
        ownership=ownership(profile),
        pools=pools,
        fabric=fabric_facts,
        namespaces=tuple(team.name for team in members if team.rdma),
        retired=frozenset(profile.tenancy.retire) if profile.tenancy else frozenset(),
        longest_grace=profile.tenancy.longest_grace if profile.tenancy else None,
        volumes=mounted,
        classes=classes(profile),
        cdi=cdi(profile),
        cache=cache(profile),
        charts=ChartSource(profile.charts.mirror if profile.charts else None),
        digests=profile.images.digests if profile.images else {},
        monitoring=monitoring(profile),
        health=health(profile.health),
        autoscaler=profile.autoscaling.kind if profile.autoscaling else None,
        has=present(profile) - ROAD,
        site_runs=profile.site_runs,
        cluster_networks=tuple(network for _, network in profile.cluster_network.stated),
        pod_networks=tuple(network for _, network in profile.cluster_network.pods_alone),
        name_servers=profile.cluster_network.asked_for_names,
        cluster_domain=profile.cluster_network.domain,
        existing=existing(profile),
        waivers=profile.waivers,
        training=present(profile.training) if profile.training else frozenset(),
        scheduler=scheduler(profile),
        capacity=capacity,
        teams=members,
        priority_classes=tuple(PRIORITY_CLASSES) if profile.tenancy else (),
        turns=turns(profile.network_operator, fabric_facts, pools),
        slowest_start=max((seconds for _, seconds in queued_starts(profile, mounted)), default=0),
    )


def cdi(profile: Profile) -> bool:
    """The chart's default since v25.10 (NVIDIA/gpu-operator, release notes), unless the profile says otherwise."""
    section = profile.gpu_operator
    if section is None:
        return False
    return GPU_OPERATOR.at(section).line >= CDI_SINCE if section.cdi is None else section.cdi


def health(section: HealthSection | None) -> Health | None:
    """Who acts on sick nodes, and how far."""
    if section is None:
        return None
    breaker = section.breaker
    return Health(section.level == "remediate", breaker.unhealthy_percent, breaker.at_once)


def ownership(profile: Profile) -> Ownership:
    """Who brings what; on OKE the cloud's add-on may have the device plugin already."""
    owned = OWNERSHIP[profile.platform, profile.node_os, profile.driver_owner]
    if isinstance(profile.cloud, OciCloud) and profile.cloud.gpu_plugin_addon:
        return replace(owned, device_plugin=False)
    return owned


ROAD = {"set", "upgrade", "images"}
"""Keys that say which releases and images a cluster has, and not what it has: on the way between two sets, and with
images by digest, nothing else changes."""


def present(section: Section) -> frozenset[str]:
    """YAML keys of the sections in it that are there."""
    fields = type(section).model_fields
    return frozenset(field.alias or name for name, field in fields.items() if getattr(section, name) is not None)
