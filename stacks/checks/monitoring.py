"""Rules about monitoring and autoscaling: one exporter of each thing, and somebody who scrapes it."""

from collections.abc import Iterator

from bedplate.components.observability.google import GooglePrometheusSection
from bedplate.components.observability.monitoring import AnyMonitoring, ExistingPrometheusSection
from bedplate.components.observability.prometheus_stack import PrometheusStackSection
from bedplate.components.observability.remote_write import AmazonWorkspace
from bedplate.components.platforms import CLOUDS
from bedplate.stacks.facts.monitoring import project
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile


def check_monitoring(profile: Profile) -> Iterator[Problem]:
    """Every fault of the sections `monitoring` and `autoscaling`."""
    yield from _exporters(profile)
    yield from _efa(profile)
    section = profile.monitoring
    if isinstance(section, PrometheusStackSection) and section.control_plane and profile.platform in CLOUDS:
        reason = f"{profile.platform} runs the control plane, and its ports cannot be reached"
        yield Problem("monitoring.controlPlane", "true", reason, "remove it")
    roles = {one.role_arn for one in _amazon(section) if one.role_arn}
    if len(roles) > 1:
        reason = "a service account has one role, and these are several"
        yield Problem("monitoring.remoteWrite", sorted(roles), reason, "let one role write to each workspace")
    if isinstance(section, PrometheusStackSection) and profile.platform == "openshift":
        reason = "OpenShift runs a Prometheus operator, and two would fight over its CRDs"
        yield Problem("monitoring.kind", "stack", reason, "use existing, with OpenShift's own Prometheus")
    if isinstance(section, GooglePrometheusSection):
        yield from _google(profile, section)
    if profile.autoscaling and section is None:
        reason = f"{profile.autoscaling.kind} reads its metrics from Prometheus, and nothing says where one is"
        yield Problem("monitoring", None, reason, "add monitoring, or remove autoscaling")


def _amazon(section: AnyMonitoring | None) -> list[AmazonWorkspace]:
    """Workspaces of AWS to which our Prometheus writes."""
    targets = section.remote_write if isinstance(section, PrometheusStackSection) else ()
    return [one for one in targets if isinstance(one, AmazonWorkspace)]


def _google(profile: Profile, section: GooglePrometheusSection) -> Iterator[Problem]:
    """Only GKE brings its kinds, and only whoever signs in as Google knows may ask it."""
    if profile.platform != "gke":
        reason = f"GKE brings the kinds of Google's managed Prometheus, and {profile.platform} does not"
        yield Problem("monitoring.kind", "google", reason, "use stack or existing")
    if project(profile, section) is None:
        reason = "whose metrics scalers read is not said"
        yield Problem("monitoring.project", None, reason, "name the project, or give cloud.project")
    if profile.autoscaling and profile.autoscaling.kind == "prometheus-adapter":
        reason = "it cannot sign in to Google's API, as KEDA does"
        yield Problem("autoscaling.kind", "prometheus-adapter", reason, "use keda")
    for key, server in keyed("serving.servers", profile.servers):
        if server.kind == "vllm-stack":
            reason = (
                "its chart has itself scraped by ServiceMonitors alone, which Google's managed Prometheus does not read"
            )
            fix = "use kind vllm, or monitoring.kind: stack"
            yield Problem(f"{key}.kind", "vllm-stack", reason, fix)


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
