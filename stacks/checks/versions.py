"""Which chart versions we know, and which pairs do not work together.

A version outside the table is refused: no chart rejects unknown values, so a key that moved would be ignored in
silence.
"""

from collections.abc import Iterator

from components.chart import version_tuple
from components.section import HelmSection
from stacks.profile.charts import HELM, helm_sections
from stacks.profile.problem import Problem
from stacks.profile.profile import Profile

KUBERNETES = (31, 36)
"""Minor versions that the pins above are known to run on."""
OLDEST_FOR_FAMILY = {"blackwell": (25, 3)}
"""Older GPU Operators have no driver for the GPU (B200 needs 570.133.20; GPU Operator platform support)."""


def check_versions(profile: Profile) -> Iterator[Problem]:
    """Chart versions that we do not know, and pairs that fail."""
    for key, section in helm_sections(profile):
        helm = HELM[type(section)]
        if section.version and not helm.knows(section.version):
            reason = f"the keys of this version of {helm.chart.name} are not known"
            yield Problem(f"{key}.version", section.version, reason, f"use one of {', '.join(helm.versions)}")
    yield from _kubernetes(profile)
    yield from _pairs(profile)


def _kubernetes(profile: Profile) -> Iterator[Problem]:
    minor = version_tuple(profile.kubernetes_version)[1]
    low, high = KUBERNETES
    if not low <= minor <= high:
        fix = f"use 1.{low} to 1.{high}; 1.34 and 1.35 are what most components test"
        yield Problem("kubernetesVersion", profile.kubernetes_version, "outside what the pinned operators run on", fix)


def _pairs(profile: Profile) -> Iterator[Problem]:
    gpu = effective(profile.gpu_operator)
    nic = effective(profile.network_operator)
    if gpu[:2] == (26, 3) and gpu < (26, 3, 3) and profile.fabric.kind in ("infiniband", "roce"):
        reason = "26.3.0 to 26.3.2 put every HCA into every GPU pod (GPU Operator release notes 26.3.3)"
        yield Problem("gpuOperator.version", _version(profile.gpu_operator), reason, "use v26.3.3 or v26.7.0")
    minor = version_tuple(profile.kubernetes_version)[1]
    if nic[:2] == (26, 4) and minor > 35:  # noqa: PLR2004 - NVIDIA/cloud-native-stack compatibility table
        reason = "Network Operator 26.4 supports Kubernetes 1.31 to 1.35 (NVIDIA/cloud-native-stack)"
        yield Problem("kubernetesVersion", profile.kubernetes_version, reason, "use 1.35")
    for pool in profile.pools:
        oldest = OLDEST_FOR_FAMILY.get(pool.gpu.family) if pool.gpu else None
        if oldest and gpu and gpu < oldest:
            reason = f"its driver does not know {pool.gpu.product if pool.gpu else ''} of pool {pool.name}"
            yield Problem("gpuOperator.version", _version(profile.gpu_operator), reason, "use v25.3.4 or later")


def _version(section: HelmSection | None) -> str | None:
    return section.version if section else None


def effective(section: HelmSection | None) -> tuple[int, ...]:
    """Numbers of the version that will be installed; empty where the section is absent."""
    return version_tuple(HELM[type(section)].chart.at(section).version) if section else ()
