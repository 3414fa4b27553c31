"""Rules about NIC firmware: what the NIC Configuration Operator refuses, and what would reach other people's NICs.

The operator's refusals are its CRD's rules and pkg/configuration/configvalidation.go
(Mellanox/nic-configuration-operator at network-operator-v26.4.1).
"""

from collections.abc import Iterator
from itertools import chain, combinations

from bedplate.components.operators.network_operator import CHART, NetworkOperatorSection
from bedplate.components.operators.nic_settings import SUPER_NICS, NicSettings, SpectrumX
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import line, semantic
from bedplate.stacks.facts.fabric import interfaces
from bedplate.stacks.profile.fabrics import RailFabric, Roce
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

SINCE = (26, 4)
"""The release whose templates are known here."""
ARCHITECTURE, ARCHITECTURE_SINCE = "RA2.2", semantic("26.4.1")
"""The one that NICs can be configured for: each wants a release of DOCA's congestion control (bindata/spectrum-x: RA1.3
2.10.0, RA2.0 3.1.0, RA2.1 3.3.0, RA2.2 3.4.0), and without a NicFirmwareSource the operator has its own image's alone
(pkg/firmware/manager.go, InstallDocaSpcXCC; Dockerfile.nic-configuration-daemon: 26.4.0 DOCA 3.3.0, 26.4.1 3.4.0).
NVIDIA's Launch Kit holds the same (Mellanox/network-operator-docs docs/k8s-launch-kit/profiles/spectrum-x.rst).

Its modes of several planes set NUM_OF_PF to 2 or 4; rails over them are SpectrumXRailPoolConfigs, which are not made
here."""


def check_nic_settings(profile: Profile) -> Iterator[Problem]:
    """Every fault of `networkOperator.nics`."""
    section = profile.network_operator
    if section is None or not section.nics:
        return
    if unfit := list(_place(profile, section)):
        yield from unfit
        return
    for key, settings in keyed("networkOperator.nics", section.nics):
        yield from chain(_pools(profile, key, settings), _parts(profile, key, settings))
        if settings.spectrum_x:
            version = CHART.at(section).version
            yield from _spectrum_x(f"{key}.spectrumX", settings, settings.spectrum_x, version)
    for (one, first), (other, second) in combinations(enumerate(section.nics), 2):
        if first.overlaps(second):
            reason = f"a NIC could be meant by nics[{one}] too, and the operator then configures it by neither"
            fix = "give them different pools, nicType, pciAddresses or partNumbers"
            yield Problem(f"networkOperator.nics[{other}]", second.nic_type, reason, fix)


def _place(profile: Profile, section: NetworkOperatorSection) -> Iterator[Problem]:
    """Where there are NICs of the site's at all, and an operator that knows these settings."""
    key, version = "networkOperator.nics", CHART.at(section).version
    if not isinstance(profile.fabric, RailFabric):
        yield Problem(key, "present", f"a fabric of kind {profile.fabric.kind} has no NICs of NVIDIA's", "remove it")
    elif PLATFORMS[profile.platform].cloud:
        yield Problem(key, "present", f"the firmware of NICs on {profile.platform} is the cloud's", "remove it")
    elif line(version) < SINCE:
        reason = "the templates of that release have other keys"
        yield Problem("networkOperator.version", version, reason, f"use {CHART.version}, or remove nics")


def _pools(profile: Profile, key: str, settings: NicSettings) -> Iterator[Problem]:
    """Pools of the fabric, whose other NICs are left alone."""
    members = {pool.name: pool for pool in profile.pools if interfaces(profile, pool)}
    for name in settings.pools:
        if name not in members:
            yield Problem(f"{key}.pools", name, "no pool of the fabric has this name", f"use {', '.join(members)}")
    for pool in members.values():
        if not settings.pools or pool.name in settings.pools:
            yield from _beside(key, settings, pool)


def _beside(key: str, settings: NicSettings, pool: Pool) -> Iterator[Problem]:
    others = pool.hardware.extra_hcas if pool.hardware else 0
    if others and not (settings.pci_addresses or settings.part_numbers):
        reason = f"nodes of {pool.name} have {others} NVIDIA NICs beside the rails, which would be reconfigured too"
        yield Problem(f"{key}.pciAddresses", None, reason, "name the rails' NICs by pciAddresses or partNumbers")


def _parts(profile: Profile, key: str, settings: NicSettings) -> Iterator[Problem]:
    """What the operator refuses, said before a node is drained for it."""
    if settings.gpu_direct and settings.pci_performance is None:
        reason = "the operator turns translation off only together with pciPerformance"
        yield Problem(f"{key}.gpuDirect", value=True, reason=reason, fix="add `pciPerformance: {}`")
    for name, part in (("roce", settings.roce), ("spectrumX", settings.spectrum_x)):
        if part and not isinstance(profile.fabric, Roce):
            yield Problem(f"{key}.{name}", "present", "the operator refuses it on InfiniBand", "remove it")
    if settings.roce and settings.spectrum_x:
        yield Problem(f"{key}.roce", "present", "spectrumX includes it, and the operator refuses both", "remove it")
    asked, made = settings.num_vfs, _functions(profile)
    if asked is not None and made is not None and asked < made:
        reason = f"fabric.numVfs makes {made} of them on each port"
        yield Problem(f"{key}.numVfs", asked, reason, f"remove it, or use {made}")
    functions = asked if asked is not None else made
    if settings.spectrum_x and functions not in (None, 1):
        reason = "the operator enables Spectrum-X only with one virtual function a port"
        yield Problem(f"{key}.spectrumX", functions, reason, "use fabric.numVfs 1 and no other numVfs")


def _functions(profile: Profile) -> int | None:
    """Of the fabric; None where it has none."""
    fabric = profile.fabric
    return fabric.num_vfs if isinstance(fabric, RailFabric) and fabric.exposure == "sriov" else None


def _spectrum_x(key: str, settings: NicSettings, asked: SpectrumX, version: str) -> Iterator[Problem]:
    """What the operator's own image and the rails that are made here bear of it."""
    mode, planes = asked.multiplane_mode, asked.number_of_planes
    if settings.nic_type not in SUPER_NICS:
        yield Problem(key, settings.nic_type, "no such NIC runs Spectrum-X", f"use nicType {', '.join(SUPER_NICS)}")
    if asked.version != ARCHITECTURE:
        reason = "the operator's image has the congestion control of another one, and nothing here installs more"
        yield Problem(f"{key}.version", asked.version, reason, f"use {ARCHITECTURE}")
    elif semantic(version) < ARCHITECTURE_SINCE:
        reason = f"its image does not have the congestion control of {ARCHITECTURE}"
        yield Problem("networkOperator.version", version, reason, f"use {CHART.version}")
    if mode != "none":
        reason = "it makes several functions of each NIC, and nothing here makes rails of those: pods would have a part"
        yield Problem(f"{key}.multiplaneMode", mode, reason, "use none")
    elif planes != 1:
        yield Problem(f"{key}.numberOfPlanes", planes, "multiplaneMode is none", "use 1")
