"""Which chart versions we know, which pairs do not work together, and which values a profile may override.

A version outside the table is refused: no chart rejects unknown values, so a key that moved would be ignored in
silence. For the same reason an override is a key that the pinned chart honours, and that the profile does not own.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast

from semver import Version

from bedplate.catalog.advisories import NAMED
from bedplate.catalog.support import CHARTS, Span, kubernetes, of_release
from bedplate.charts import sets
from bedplate.components.chart import Chart
from bedplate.components.chart_keys import honours
from bedplate.components.operators.gpu_operator import NO_HCAS, OWN_HCAS_SINCE, GpuOperatorSection
from bedplate.components.platforms import PLATFORMS
from bedplate.components.section import HelmSection
from bedplate.components.version import line, minor, semantic
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.profile.charts import chart, component, helm_sections, values
from bedplate.stacks.profile.problem import Problem, problem
from bedplate.stacks.profile.profile import Profile

OLDEST_FOR_FAMILY = {"blackwell": (25, 3)}
"""Older GPU Operators have no driver for the GPU (B200 needs 570.133.20; GPU Operator platform support)."""

CDI_ON_RKE2_SINCE = (25, 10)


def check_versions(profile: Profile) -> Iterator[Problem]:
    """Pairs of versions that fail; each of them is known here (`versions_are_known`)."""
    low, high = map(minor, sets.kubernetes(profile.version_set))
    if low <= minor(profile.kubernetes_version) <= high:
        yield from _supported(profile)
    else:
        yield problem("versions.kubernetes-outside", profile.kubernetes_version, low=low, high=high)
    if profile.gpu_operator:
        yield from chain(_pairs(profile, profile.gpu_operator), _driver_containers(profile))


def _pairs(profile: Profile, section: GpuOperatorSection) -> Iterator[Problem]:
    """GPUDirect Storage leaves the NICs to those who ask for them; on RKE2 GPUs come by CDI from a release on.

    (GPU Operator release notes 25.3.1 and 25.3.2, "Known Issues".)
    """
    version, verbs = chart(section).version, profile.fabric.kind in ("infiniband", "roce")
    gpu = semantic(version)
    if NAMED["gpu-operator-26.3-hcas"].concerns(version) and verbs:
        yield problem("versions.every-hca", section.version)
    for pool in profile.pools:
        if pool.gpu and gpu < OLDEST_FOR_FAMILY.get(pool.gpu.family, (0, 0)):
            yield problem("versions.gpu-too-new", section.version, pool=pool)
    if section.gds and verbs and gpu < OWN_HCAS_SINCE:
        yield problem("versions.gds-takes-hcas", "True", version=version)
    if section.cdi and profile.platform == "rke2" and line(version) < CDI_ON_RKE2_SINCE:
        yield problem("versions.cdi-on-rke2", "True", version=version)


def versions_are_known(profile: Profile) -> Iterator[Problem]:
    """Chart versions that we know; of no other one it can be said which keys it takes, nor that it is a version."""
    for key, section in helm_sections(profile):
        releases = component(type(section)).CHART
        if section.version and not releases.knows(section.version):
            yield problem("versions.unknown-version", section.version, key, known=releases)


def _supported(profile: Profile) -> Iterator[Problem]:
    """Every release that is installed was tried on this Kubernetes, by its own project; what nobody knows is no yes."""
    version = profile.kubernetes_version
    for key, section in helm_sections(profile):
        releases = chart(section)
        span = _span(profile, releases.name, releases.version)
        if releases.name in CHARTS and span is None:
            yield problem("versions.span-unknown", section.version, key, known=releases)
        elif span is not None and minor(version) not in span:
            yield problem(
                "versions.kubernetes-unsupported",
                version,
                known=releases,
                span=span,
                instead=_instead(profile, key, releases),
            )


def _span(profile: Profile, name: str, version: str) -> Span | None:
    return kubernetes(name, line(version), profile.platform, profile.node_os)


def _instead(profile: Profile, key: str, releases: Chart) -> str:
    """Another release of the chart for this Kubernetes, the newest first; else a Kubernetes for this one."""
    release = minor(profile.kubernetes_version)
    for other in reversed(releases.versions):
        span = _span(profile, releases.name, other)
        if span is not None and release in span:
            return f"use {key}.version {other}, or a Kubernetes of those"
    return "use a Kubernetes of those"


def _driver_containers(profile: Profile) -> Iterator[Problem]:
    """The operator's driver is a container, built for the nodes' system or not there; clouds' images have another."""
    section, system = profile.gpu_operator, profile.node_os
    owned = OWNERSHIP.get((profile.platform, system, profile.driver_owner))
    if section is None or owned is None or not owned.driver or PLATFORMS[profile.platform].cloud:
        return
    releases = chart(section)
    named = {row.system for row in of_release(releases.name, line(releases.version))}
    if system not in named:
        yield problem("versions.no-driver-container", system, known=releases, system=system)


def installed(section: HelmSection | None) -> Version | None:
    """The version that will be installed; None where the section is absent."""
    return semantic(chart(section).version) if section else None


Path = tuple[str, ...]


def check_overrides(profile: Profile) -> Iterator[Problem]:
    """Dead paths change nothing, and owned ones would contradict the profile: both are refused."""
    overridden = [(key, section) for key, section in helm_sections(profile) if section.overrides]
    for key, section in overridden:
        owned = set(leaves(values(section, facts(profile))))
        yield from _override_faults(key, section, owned)
    yield from _hcas(profile)


def _hcas(profile: Profile) -> Iterator[Problem]:
    """Without GPUDirect Storage the variables of the device plugin are the site's, all but this one."""
    section = profile.gpu_operator
    env: Any = dict(leaf_values(section.overrides)).get(("devicePlugin", "env")) if section else None
    listed = cast("list[Any]", env) if isinstance(env, list) else []
    variables = [cast("dict[str, Any]", entry) for entry in listed if isinstance(entry, dict)]
    for name, value in NO_HCAS.items():
        if any(variable.get("name") == name and variable.get("value") != value for variable in variables):
            yield problem("versions.hcas-overridden", name)


def _override_faults(key: str, section: HelmSection, owned: set[Path]) -> Iterator[Problem]:
    installed = chart(section)
    for path, value in leaf_values(section.overrides):
        if any(path[: len(own)] == own or own[: len(path)] == path for own in owned):
            yield problem("versions.owned", value, key, path=".".join(path))
        elif honours(installed.name, installed.version, path) is False:
            yield problem("versions.dead-key", value, key, path=".".join(path), installed=installed)


def leaves(values: Mapping[str, Any]) -> Iterator[Path]:
    """Paths of all leaves; an empty mapping counts as one."""
    return (path for path, _ in leaf_values(values))


def leaf_values(values: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Paths and values of all leaves; lists are leaves."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaf_values(value, (*above, key))  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield (*above, key), value
