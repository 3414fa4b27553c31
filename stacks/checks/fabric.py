"""Rules about the fabric: shapes that can form it, one owner of each device, and addresses enough for every node."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.platforms import PLATFORMS
from bedplate.stacks.checks.addresses import check_addresses
from bedplate.stacks.checks.networks import attaches
from bedplate.stacks.checks.rails import check_rails
from bedplate.stacks.facts.fabric import rails
from bedplate.stacks.profile.fabrics import Infiniband, RailFabric, Roce
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

CONNECTX_8 = 800
"""Gb/s of one; its forerunner has half."""


def check_fabric(profile: Profile) -> Iterator[Problem]:
    """Every fault of the fabric section."""
    section, possible = profile.fabric, PLATFORMS[profile.platform].fabrics
    if section.kind not in possible:
        fix = f"use {', '.join(sorted(possible))}"
        yield Problem("fabric.kind", section.kind, f"{profile.platform} nodes cannot form it", fix)
        return
    members = [p for p in profile.pools if p.hardware and section.kind in p.hardware.fabrics and p.rails != ()]
    if section.kind != "none" and not members:
        yield Problem("fabric.kind", section.kind, *_nobody(profile))
    yield from _published(profile, members)
    if isinstance(section, Infiniband | Roce):
        yield from chain(
            check_rails(profile, section, members),
            _rails(profile, section, members),
            _plugins(profile, section),
            check_addresses(profile, section, members),
        )
    yield from chain(_peermem(profile), _data_direct(profile, members), _primary(profile, members))


def _nobody(profile: Profile) -> tuple[str, str]:
    """Reason and fix where no pool can form the fabric: NICs that we have no way to may be there all the same."""
    reason = f"no pool has interfaces for it ({', '.join(pool.kind for pool in profile.pools)})"
    rate, kind = max((pool.hardware.idle_gbps, pool.kind) for pool in profile.pools if pool.hardware)
    if profile.platform == "gke" and rate:
        lost = f"the NICs of {kind}'s GPUs are not supported (GPUDirect-TCPX of A3 High, DRANET of A4X Max)"
        without = f"with kind none its nodes talk by their primary NIC, without {rate} Gb/s"
        return reason, f"{lost}: {without}; use jobs of one node, or a shape with tcpxo or gib"
    return reason, "use kind none, or another shape"


def _primary(profile: Profile, members: list[Pool]) -> Iterator[Problem]:
    """DOCA-OFED reloads the driver of all of NVIDIA's NICs, also of those that carry the node's own network."""
    ofed = profile.network_operator and profile.network_operator.ofed
    if not ofed:
        return
    key, fix = "networkOperator.ofed.primaryNic", "put DOCA-OFED into the node image and say fabric.hostOfed: true"
    if ofed.primary_nic == "nvidia":
        reason = "its driver would be reloaded under the node, and VLANs and bonds on it are not restored"
        yield Problem(key, ofed.primary_nic, reason, fix)
    beside = [pool for pool in members if pool.hardware and pool.hardware.extra_hcas]
    if ofed.primary_nic is None and beside:
        reason = f"nodes of {beside[0].name} have NVIDIA NICs beside the rails, whose driver would be reloaded too"
        yield Problem(key, None, reason, f"say other-vendor if the node's own network is on another card; else {fix}")


def _published(profile: Profile, members: list[Pool]) -> Iterator[Problem]:
    """A shape whose interface count nobody publishes must be given in full; RDMA pools have one interface count."""
    for pool in members:
        if pool.hardware and pool.hardware.nics is None:
            reason = "its number of interfaces is not published"
            fix = "give the shape in full, with nics: the cloud's own API knows (EC2: maximumEfaInterfaces)"
            yield Problem(f"pools[{profile.pools.index(pool)}].shape", pool.kind, reason, fix)
    # GKE attaches as many networks to every pod; everywhere else each pool has its own numbers.
    if profile.fabric.kind in ("tcpxo", "gib") and len({pool.hardware.nics for pool in members if pool.hardware}) > 1:
        counts = ", ".join(f"{pool.name} {pool.hardware.nics}" for pool in members if pool.hardware)
        fix = "use one cluster per kind of node"
        yield Problem("pools", counts, "pools of one fabric have different numbers of NICs", fix)


def _rails(profile: Profile, section: RailFabric, members: list[Pool]) -> Iterator[Problem]:
    """What rails need besides their names."""
    named = any(rails(profile, pool) for pool in members)
    if section.kind == "roce" and named and section.ipam is None:
        reason = "RoCE addresses are IP addresses: without one a pod has no usable GID and falls back to TCP"
        yield Problem("fabric.ipam", None, reason, "add ipam with a kind and a network")
    if (
        named
        and section.exposure != "exclusive"
        and not (profile.tenancy and any(t.rdma for t in profile.tenancy.teams))
    ):
        reason = "the rails' networks are made in the namespaces of teams with rdma, and there is none"
        yield Problem("tenancy.teams", None, reason, "add a team")


def _plugins(profile: Profile, section: RailFabric) -> Iterator[Problem]:
    """Exactly one producer of the RDMA resource, one Multus and one IPAM."""
    operator = profile.network_operator
    if operator is None and not section.existing_devices:
        reason = "nothing advertises the fabric's devices"
        fix = "add `networkOperator: {}`, or name what your own plugin has in fabric.existingDevices"
        yield Problem("networkOperator", None, reason, fix)
    if operator and section.existing_devices:
        reason = "the Network Operator's plugin and yours would both register the same NICs"
        yield Problem("fabric.existingDevices", dict(section.existing_devices), reason, "remove it, or networkOperator")
    brought = operator or profile.multus or PLATFORMS[profile.platform].multus or "multus" in profile.site_runs
    if attaches(profile) and not brought:
        reason = "pods attach rails, and nothing here runs Multus"
        fix = "add `multus: {}` or `networkOperator: {}`; or existing.multus where the site runs it"
        yield Problem("multus", None, reason, fix)
    if section.ipam and section.ipam.kind == "nv-ipam" and operator is None:
        fix = "use whereabouts"
        yield Problem("fabric.ipam.kind", "nv-ipam", "it comes with the Network Operator, which is absent", fix)
    here = PLATFORMS[profile.platform].own_operators or "whereabouts" in profile.site_runs
    if section.ipam and section.ipam.kind == "whereabouts" and profile.whereabouts is None and not here:
        fix = "add `whereabouts: {}`, or existing.whereabouts where the site runs it"
        yield Problem("whereabouts", None, "fabric.ipam names it, and nothing installs it", fix)
    if profile.whereabouts and (section.ipam is None or section.ipam.kind != "whereabouts"):
        fix = "remove it, or set fabric.ipam.kind to whereabouts"
        yield Problem("whereabouts", "present", "no network uses it", fix)


def _peermem(profile: Profile) -> Iterator[Problem]:
    """nvidia-peermem waits for DOCA-OFED for ever (k8s-driver-manager main.go), and OFED is installed once."""
    ofed, host = _ofed(profile)
    if profile.gpu_direct == "peermem" and not (ofed or host):
        reason = "nvidia-peermem needs DOCA-OFED, and the driver pod would wait for it for ever"
        yield Problem("gpuDirect", "peermem", reason, "use dmabuf, or add networkOperator.ofed or fabric.hostOfed")
    if ofed and (host or profile.platform == "oke" or profile.node_os == "dgxos"):
        reason = "the node image carries DOCA-OFED already; a second one takes the NICs away"
        yield Problem("networkOperator.ofed", "present", reason, "remove it")


def _ofed(profile: Profile) -> tuple[bool, bool]:
    """Whether the operator brings DOCA-OFED, and whether the node image does."""
    operator = profile.network_operator
    host = isinstance(profile.fabric, Infiniband | Roce) and profile.fabric.host_ofed
    return operator is not None and operator.ofed is not None, host


def _data_direct(profile: Profile, members: list[Pool]) -> Iterator[Problem]:
    """Grace has no ATS: ConnectX-8 reaches the GPUs by its Data Direct function, of which DOCA-OFED knows.

    (NVIDIA, "Grace Blackwell CX8 GPUDirect RDMA Guide", testing.) Of the clouds' images their owners have seen to it.
    """
    if profile.gpu_direct != "dmabuf" or any(_ofed(profile)) or PLATFORMS[profile.platform].cloud:
        return
    for pool in members:
        if pool.hardware and pool.hardware.arch == "arm64" and pool.hardware.nic_gbps >= CONNECTX_8:
            reason = (
                f"the NICs of pool {pool.name} reach its GPUs by Data Direct, which the inbox driver does not set up"
            )
            fix = (
                "add networkOperator.ofed, say fabric.hostOfed: true where the image has DOCA-OFED, or gpuDirect: none"
            )
            yield Problem("networkOperator.ofed", None, reason, fix)
            return
