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
from bedplate.stacks.profile.problem import Problem, keyed, problem
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
    for (name, first), (other, second) in combinations(enumerate(section.nics), 2):
        if first.overlaps(second):
            yield problem("nic_settings.overlap", second.nic_type, other=other, one=name)


def _place(profile: Profile, section: NetworkOperatorSection) -> Iterator[Problem]:
    """Where there are NICs of the site's at all, and an operator that knows these settings."""
    key, version = "networkOperator.nics", CHART.at(section).version
    if not isinstance(profile.fabric, RailFabric):
        yield problem("nic_settings.no-nics-there", "present", key, profile=profile)
    elif PLATFORMS[profile.platform].cloud:
        yield problem("nic_settings.firmware-of-the-cloud", "present", key, profile=profile)
    elif line(version) < SINCE:
        yield problem("nic_settings.too-early", version, chart=CHART)


def _pools(profile: Profile, key: str, settings: NicSettings) -> Iterator[Problem]:
    """Pools of the fabric, whose other NICs are left alone."""
    members = {pool.name: pool for pool in profile.pools if interfaces(profile, pool)}
    for name in settings.pools:
        if name not in members:
            yield problem("nic_settings.no-such-pool", name, key, members=members)
    for name in settings.pools or members:
        others = pool.hardware.extra_hcas if (pool := members.get(name)) and pool.hardware else 0
        if others and not (settings.pci_addresses or settings.part_numbers):
            yield problem("nic_settings.other-nics", None, key, name=name, others=others)


def _parts(profile: Profile, key: str, settings: NicSettings) -> Iterator[Problem]:
    """What the operator refuses, said before a node is drained for it."""
    fabric, virtual_functions = profile.fabric, settings.num_vfs
    if settings.gpu_direct and settings.pci_performance is None:
        yield problem("nic_settings.translation", "True", key)
    for name, part in (("roce", settings.roce), ("spectrumX", settings.spectrum_x)):
        if part and not isinstance(fabric, Roce):
            yield problem("nic_settings.not-on-infiniband", "present", key, name=name)
    if settings.roce and settings.spectrum_x:
        yield problem("nic_settings.roce-twice", "present", key)
    made = fabric.num_vfs if isinstance(fabric, RailFabric) and fabric.exposure == "sriov" else None
    if virtual_functions is not None and made is not None and virtual_functions < made:
        yield problem("nic_settings.too-few-functions", virtual_functions, key, made=made)
    functions = virtual_functions if virtual_functions is not None else made
    if settings.spectrum_x and functions not in (None, 1):
        yield problem("nic_settings.one-function", functions, key)


def _spectrum_x(key: str, settings: NicSettings, spectrum: SpectrumX, version: str) -> Iterator[Problem]:
    """What the operator's own image and the rails that are made here bear of it."""
    mode, planes = spectrum.multiplane_mode, spectrum.number_of_planes
    if settings.nic_type not in SUPER_NICS:
        yield problem("nic_settings.no-super-nic", settings.nic_type, key, super_nics=SUPER_NICS)
    if spectrum.version != ARCHITECTURE:
        yield problem("nic_settings.no-architecture", spectrum.version, key, architecture=ARCHITECTURE)
    elif semantic(version) < ARCHITECTURE_SINCE:
        yield problem("nic_settings.image-too-old", version, architecture=ARCHITECTURE, chart=CHART)
    if mode != "none":
        yield problem("nic_settings.several-planes", mode, key)
    elif planes != 1:
        yield problem("nic_settings.planes-without-mode", planes, key)
