"""Which chart versions we know, and which pairs do not work together.

A version outside the table is refused: no chart rejects unknown values, so a key that moved would be ignored in
silence.
"""

from collections.abc import Iterator

from semver import Version

from bedplate.components.operators.gpu_operator import OWN_HCAS_SINCE
from bedplate.components.section import HelmSection
from bedplate.components.version import minor, semantic
from bedplate.stacks.profile.charts import chart, component, helm_sections
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

KUBERNETES = (31, 36)
"""Minor versions that the pins above are known to run on."""
OLDEST_FOR_FAMILY = {"blackwell": (25, 3)}
"""Older GPU Operators have no driver for the GPU (B200 needs 570.133.20; GPU Operator platform support)."""


def check_versions(profile: Profile) -> Iterator[Problem]:
    """Pairs of versions that fail; each of them is known here (`versions_are_known`)."""
    yield from _kubernetes(profile)
    yield from _pairs(profile)
    yield from _storage(profile)


def versions_are_known(profile: Profile) -> Iterator[Problem]:
    """Chart versions that we know; of no other one it can be said which keys it takes, nor that it is a version."""
    for key, section in helm_sections(profile):
        known = component(type(section)).CHART
        if section.version and not known.knows(section.version):
            reason = f"the keys of this version of {known.name} are not known"
            yield Problem(f"{key}.version", section.version, reason, f"use one of {', '.join(known.versions)}")


def _kubernetes(profile: Profile) -> Iterator[Problem]:
    low, high = KUBERNETES
    if not low <= minor(profile.kubernetes_version) <= high:
        fix = f"use 1.{low} to 1.{high}; 1.34 and 1.35 are what most components test"
        yield Problem("kubernetesVersion", profile.kubernetes_version, "outside what the pinned operators run on", fix)


def _pairs(profile: Profile) -> Iterator[Problem]:
    gpu, nic = installed(profile.gpu_operator), installed(profile.network_operator)
    if gpu and (26, 3) <= gpu < (26, 3, 3) and profile.fabric.kind in ("infiniband", "roce"):
        reason = "26.3.0 to 26.3.2 put every HCA into every GPU pod (GPU Operator release notes 26.3.3)"
        yield Problem("gpuOperator.version", _version(profile.gpu_operator), reason, "use v26.3.3 or v26.7.0")
    too_new = minor(profile.kubernetes_version) > 35  # noqa: PLR2004 - NVIDIA/cloud-native-stack compatibility table
    if nic and nic[:2] == (26, 4) and too_new:
        reason = "Network Operator 26.4 supports Kubernetes 1.31 to 1.35 (NVIDIA/cloud-native-stack)"
        yield Problem("kubernetesVersion", profile.kubernetes_version, reason, "use 1.35")
    for pool in profile.pools:
        oldest = OLDEST_FOR_FAMILY.get(pool.gpu.family) if pool.gpu else None
        if oldest and gpu and gpu < oldest:
            reason = f"its driver does not know {pool.gpu.product if pool.gpu else ''} of pool {pool.name}"
            yield Problem("gpuOperator.version", _version(profile.gpu_operator), reason, "use v25.3.4 or later")


def _storage(profile: Profile) -> Iterator[Problem]:
    """GPUDirect Storage leaves the NICs to those who ask for them."""
    section, gpu = profile.gpu_operator, installed(profile.gpu_operator)
    verbs = profile.fabric.kind in ("infiniband", "roce")
    if section and section.gds and verbs and gpu and gpu < OWN_HCAS_SINCE:
        reason = f"{chart(section).version} then puts every HCA into every GPU pod, whatever devicePlugin.env says"
        yield Problem("gpuOperator.gds", value=True, reason=reason, fix="use v25.3.4 or later, or remove gds")


def _version(section: HelmSection | None) -> str | None:
    return section.version if section else None


def installed(section: HelmSection | None) -> Version | None:
    """The version that will be installed; None where the section is absent."""
    return semantic(chart(section).version) if section else None
