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
from bedplate.stacks.profile.problem import Problem, problem
from bedplate.stacks.profile.profile import Profile

CONNECTX_8 = 800
"""Gb/s of one; its forerunner has half."""


def check_fabric(profile: Profile) -> Iterator[Problem]:
    """Every fault of the fabric section."""
    section, possible = profile.fabric, PLATFORMS[profile.platform].fabrics
    if section.kind not in possible:
        yield problem("fabric.not-on-platform", section.kind, profile=profile, possible=sorted(possible))
        return
    members = [p for p in profile.pools if p.hardware and section.kind in p.hardware.fabrics and p.rails != ()]
    if section.kind != "none" and not members:
        yield _nobody(profile)
    yield from _published(profile, members)
    if isinstance(section, Infiniband | Roce):
        yield from chain(
            check_rails(profile, section, members),
            _rails(profile, section, members),
            _plugins(profile, section),
            check_addresses(profile, section, members),
        )
    yield from chain(_peermem(profile), _data_direct(profile, members), _primary(profile, members))


def _nobody(profile: Profile) -> Problem:
    """Where no pool can form the fabric; NICs that we have no way to may be there all the same."""
    kinds, of = [pool.kind for pool in profile.pools], profile.fabric.kind
    rate, kind = max((pool.hardware.idle_gbps, pool.kind) for pool in profile.pools if pool.hardware)
    if profile.platform == "gke" and rate:
        return problem("fabric.no-members-idle-nics", of, kinds=kinds, kind=kind, rate=rate)
    return problem("fabric.no-members", of, kinds=kinds)


def _primary(profile: Profile, members: list[Pool]) -> Iterator[Problem]:
    """DOCA-OFED reloads the driver of all of NVIDIA's NICs, also of those that carry the node's own network."""
    ofed = profile.network_operator and profile.network_operator.ofed
    if not ofed:
        return
    if ofed.primary_nic == "nvidia":
        yield problem("fabric.primary-nic-reloaded", ofed.primary_nic)
    beside = [pool for pool in members if pool.hardware and pool.hardware.extra_hcas]
    if ofed.primary_nic is None and beside:
        yield problem("fabric.nics-beside-rails", beside=beside)


def _published(profile: Profile, members: list[Pool]) -> Iterator[Problem]:
    """A shape whose interface count nobody publishes must be given in full; RDMA pools have one interface count."""
    for pool in members:
        if pool.hardware and pool.hardware.nics is None:
            yield problem("fabric.nics-unpublished", pool.kind, index=profile.pools.index(pool))
    # GKE attaches as many networks to every pod; everywhere else each pool has its own numbers.
    if profile.fabric.kind in ("tcpxo", "gib") and len({pool.hardware.nics for pool in members if pool.hardware}) > 1:
        counts = ", ".join(f"{pool.name} {pool.hardware.nics}" for pool in members if pool.hardware)
        yield problem("fabric.nics-differ", counts)


def _rails(profile: Profile, section: RailFabric, members: list[Pool]) -> Iterator[Problem]:
    """What rails need besides their names."""
    named = any(rails(profile, pool) for pool in members)
    if section.kind == "roce" and named and section.ipam is None:
        yield problem("fabric.roce-without-ipam")
    if named and section.exposure != "exclusive" and not any(team.rdma for team in profile.teams):
        yield problem("fabric.no-team-with-rdma")


def _plugins(profile: Profile, section: RailFabric) -> Iterator[Problem]:
    """Exactly one producer of the RDMA resource, one Multus and one IPAM."""
    operator = profile.network_operator
    if operator is None and not section.existing_devices:
        yield problem("fabric.nobody-advertises")
    if operator and section.existing_devices:
        yield problem("fabric.advertised-twice", dict(section.existing_devices))
    brought = operator or profile.multus or PLATFORMS[profile.platform].multus or "multus" in profile.site_runs
    if attaches(profile) and not brought:
        yield problem("fabric.multus-missing")
    if section.ipam and section.ipam.kind == "nv-ipam" and operator is None:
        yield problem("fabric.nv-ipam-without-operator", "nv-ipam")
    here = PLATFORMS[profile.platform].own_operators or "whereabouts" in profile.site_runs
    if section.ipam and section.ipam.kind == "whereabouts" and profile.whereabouts is None and not here:
        yield problem("fabric.whereabouts-missing")
    if profile.whereabouts and (section.ipam is None or section.ipam.kind != "whereabouts"):
        yield problem("fabric.whereabouts-unused", "present")


def _peermem(profile: Profile) -> Iterator[Problem]:
    """nvidia-peermem waits for DOCA-OFED for ever (k8s-driver-manager main.go), and OFED is installed once."""
    ofed, host = _ofed(profile)
    if profile.gpu_direct == "peermem" and not (ofed or host):
        yield problem("fabric.peermem-without-ofed", "peermem")
    if ofed and (host or profile.platform == "oke" or profile.node_os == "dgxos"):
        yield problem("fabric.ofed-twice", "present")


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
            yield problem("fabric.data-direct-without-ofed", pool=pool)
            return
