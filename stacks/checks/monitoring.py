"""Rules about monitoring and autoscaling: one exporter of each thing, and somebody who scrapes it."""

from collections.abc import Iterator

from components.observability.monitoring import ExistingPrometheusSection
from components.observability.prometheus_stack import PrometheusStackSection
from components.platforms import CLOUDS
from stacks.profile.problem import Problem
from stacks.profile.profile import Profile


def check_monitoring(profile: Profile) -> Iterator[Problem]:
    """Every fault of the sections `monitoring` and `autoscaling`."""
    yield from _exporters(profile)
    yield from _efa(profile)
    section = profile.monitoring
    if isinstance(section, PrometheusStackSection) and section.control_plane and profile.platform in CLOUDS:
        reason = f"{profile.platform} runs the control plane, and its ports cannot be reached"
        yield Problem("monitoring.controlPlane", "true", reason, "remove it")
    if isinstance(section, PrometheusStackSection) and profile.platform == "openshift":
        reason = "OpenShift runs a Prometheus operator, and two would fight over its CRDs"
        yield Problem("monitoring.kind", "stack", reason, "use existing, with OpenShift's own Prometheus")
    if profile.autoscaling and section is None:
        reason = f"{profile.autoscaling.kind} reads its metrics from Prometheus, and nothing says where one is"
        yield Problem("monitoring", None, reason, "add monitoring of kind stack or existing, or remove autoscaling")


def _efa(profile: Profile) -> Iterator[Problem]:
    """Somebody must have EFA to read it."""
    if profile.fabric.kind == "efa":
        return
    section, reason = profile.monitoring, f"the fabric is {profile.fabric.kind}, and this reads EFA's devices"
    if isinstance(section, PrometheusStackSection) and section.efa_exporter:
        yield Problem("monitoring.efaExporter", section.efa_exporter.image, reason, "remove it")
    if isinstance(section, ExistingPrometheusSection) and "efa" in section.exporters:
        yield Problem("monitoring.exporters", "efa", reason, "remove it from the list")


def _exporters(profile: Profile) -> Iterator[Problem]:
    """DCGM is read once: two exporters give every series twice and fight over the profiler."""
    exporter = profile.monitoring.dcgm_exporter if profile.monitoring else None
    if exporter and profile.gpu_operator:
        reason = "the GPU Operator runs DCGM exporter already"
        yield Problem("monitoring.dcgmExporter", "present", reason, "remove it, or gpuOperator")
    if exporter and not any(pool.gpu for pool in profile.pools):
        yield Problem("monitoring.dcgmExporter", "present", "no pool has GPUs", "remove it")
