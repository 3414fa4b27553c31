"""How the operators are installed: versions, namespaces, taints, monitoring."""

from collections.abc import Iterator

from bedplate.components.chart_keys import honours, known_versions
from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import untolerated
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import ENFORCE, Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Severity, rule
from bedplate.policies.rules.driver.owner import GPU_OPERATOR, NFD
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, is_map, text, trees, whole

PRIVILEGED = {GPU_OPERATOR, "network-operator", "nvidia-dra-driver-gpu", "aws-efa-k8s-device-plugin", "dcgm-exporter"}
STRICT_BY_DEFAULT = {"talos", "openshift"}
"""Platforms that enforce a level where none is named."""
INJECTING = ((26, 3, 0), (26, 3, 2))
ENV_LAST = (25, 3, 3)
"""From here `devicePlugin.env` overrules what GDS sets."""
MONITOR_BY_DEFAULT = (26, 7)
PROMETHEUS = ("kube-prometheus-stack", "prometheus-operator-crds")
MONITORS = ("serviceMonitor", "podMonitor", "prometheusRule", "prometheusRules")
"""What charts call the values by which they make objects of Prometheus' kinds."""


@rule("GPU-117", ADVISORY, on=Release)
def gentle_upgrades(release: Release, _: Facts) -> Complaints:
    """Automatic driver upgrades go node by node and never by force."""
    if release.chart != GPU_OPERATOR or not release.switch("driver", "upgradePolicy", "autoUpgrade", default=True):
        return
    for path in (("gpuPodDeletion", "force"), ("drain", "enable")):
        if release.switch("driver", "upgradePolicy", *path, default=False):
            yield f"driver.upgradePolicy.{'.'.join(path)} is true with autoUpgrade"
    parallel = integer(release.value("driver", "upgradePolicy", "maxParallelUpgrades", default=1))
    if parallel not in (None, 1):
        yield f"driver.upgradePolicy.maxParallelUpgrades is {parallel} with autoUpgrade"


@rule("GPU-118", MANDATORY, on=Release)
def no_injecting_operator(release: Release, facts: Facts) -> Complaints:
    """GPU operator 26.3.0 to 26.3.2 with CDI, and any with GDS, puts all verbs devices into each GPU container."""
    if release.chart != GPU_OPERATOR or not facts.on_verbs:
        return
    gds = release.switch("gds", "enabled", default=False)
    if gds and () < release.numbers < ENV_LAST:
        yield f"version {release.version} with gds.enabled sets MOFED_ENABLED after devicePlugin.env"
        return
    env = release.value("devicePlugin", "env", default=[])
    asked = [each.get("value") for each in trees(env) if each.get("name") == "MOFED_ENABLED"]
    if "false" in asked or not whole(env):
        return
    if "true" in asked:
        yield f"devicePlugin.env sets MOFED_ENABLED on {facts.fabric}"
    elif gds:
        yield f"gds.enabled is true on {facts.fabric}"
    elif INJECTING[0] <= release.numbers <= INJECTING[1] and release.switch("cdi", "enabled", default=True):
        yield f"version {release.version} on {facts.fabric}"


@rule("GPU-120", MANDATORY, also=ADVISORY, on=Stack)
def privileged_namespaces(stack: Stack) -> Complaints:
    """The namespaces of the GPU, network and DRA operators and of device plugins are labelled for what runs there.

    Without a label the cluster's default decides, which most clusters leave at privileged.
    """
    for release in stack.all_releases:
        namespace = stack.namespace(release.namespace)
        if release.chart not in PRIVILEGED or namespace is None or release.namespace == "kube-system":
            continue
        level = namespace.labels.get(ENFORCE)
        if level != "privileged" and whole(namespace.at("metadata")):
            what = f"holds {release.chart} and its {ENFORCE} label is {text(level) or 'missing'}"
            surely = level is not None or stack.facts.platform in STRICT_BY_DEFAULT
            yield Complaint(what, severity=None if surely else ADVISORY, about=namespace)


NVIDIA_TAINT = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
TOLERATING: dict[str, tuple[tuple[str, ...], object]] = {
    GPU_OPERATOR: (("daemonsets", "tolerations"), NVIDIA_TAINT),
    NFD: (("worker", "tolerations"), []),
    "aws-efa-k8s-device-plugin": (("tolerations",), []),
    "dcgm-exporter": (("tolerations",), []),
}
"""Where each chart takes the tolerations of its DaemonSet, and its default."""


def _operands(stack: Stack) -> Iterator[tuple[Resource, str, object]]:
    for release in stack.all_releases:
        if release.chart in TOLERATING:
            path, default = TOLERATING[release.chart]
            yield release.resource, ".".join(path), release.value(*path, default=default)
    for policy in stack.of("NicClusterPolicy"):
        tolerations = policy.at("spec", "tolerations")
        yield policy, "spec.tolerations", NVIDIA_TAINT if tolerations is None else tolerations


@rule("GPU-121", MANDATORY, on=Stack)
def operands_reach_gpu_nodes(stack: Stack) -> Complaints:
    """Discovery, device plugins and exporters tolerate every taint of the GPU pools.

    The GPU and network operators tolerate nvidia.com/gpu by themselves; node feature discovery tolerates nothing.
    """
    for resource, key, tolerations in _operands(stack):
        if not whole(tolerations):
            continue
        for pool in stack.facts.gpu_pools:
            for taint in untolerated(pool, tolerations):
                what = f"{key} does not tolerate {taint.key}:{taint.effect} of pool {pool.name}"
                yield Complaint(what, about=resource)


def _monitors(release: Release) -> bool | None:
    """Whether a release makes a ServiceMonitor for the exporter."""
    if release.chart == "dcgm-exporter":
        return release.switch("serviceMonitor", "enabled", default=True)
    exporter = release.switch("dcgmExporter", "enabled", default=True)
    default = release.numbers >= MONITOR_BY_DEFAULT
    monitor = release.switch("dcgmExporter", "serviceMonitor", "enabled", default=default)
    return monitor if exporter else exporter


@rule("GPU-122", ADVISORY, on=Stack)
def one_exporter(stack: Stack) -> Complaints:
    """Either the GPU operator's exporter or the standalone chart, and a ServiceMonitor that Prometheus selects."""
    operators = [each for each in stack.releases(GPU_OPERATOR) if each.switch("dcgmExporter", "enabled", default=True)]
    standalone = stack.releases("dcgm-exporter")
    if operators and standalone:
        yield Complaint("runs beside the GPU operator's DCGM exporter", about=standalone[0].resource)
    for prometheus in stack.releases("kube-prometheus-stack"):
        key = ("prometheus", "prometheusSpec", "serviceMonitorSelectorNilUsesHelmValues")
        if not prometheus.switch(*key, default=True) or prometheus.value("prometheus", "prometheusSpec") is UNKNOWN:
            continue
        if prometheus.value("prometheus", "prometheusSpec", "serviceMonitorSelector") is not None:
            continue
        for release in filter(_monitors, [*operators, *standalone]):
            prefix = ("dcgmExporter",) if release.chart == GPU_OPERATOR else ()
            labels = release.value(*prefix, "serviceMonitor", "additionalLabels", default={})
            if whole(labels) and dig(labels, "release") is None:
                what = "makes a ServiceMonitor without the label `release` that Prometheus selects by"
                yield Complaint(what, f"Set {'.'.join(key)}: false", about=release.resource)


SWITCHES = {
    GPU_OPERATOR: ("dcgmExporter", "serviceMonitor", "enabled"),
    "dcgm-exporter": ("serviceMonitor", "enabled"),
    "kueue": ("enablePrometheus",),
}
"""Where charts switch their monitors off."""


@rule("GPU-130", ADVISORY, on=Stack)
def monitors_are_on(stack: Stack) -> Complaints:
    """What a release says to be off, beside a Prometheus that reads monitors; what it leaves out is its chart's."""
    readers = stack.releases("kube-prometheus-stack")
    for release in stack.releases(*SWITCHES) if readers else ():
        path = SWITCHES[release.chart]
        together = any(stack.deployed_together(release.resource, reader.resource) for reader in readers)
        if together and release.value(*path) is False:
            yield Complaint(f"{'.'.join(path)} is false beside kube-prometheus-stack", about=release.resource)


@rule("GPU-123", MANDATORY, also=ADVISORY, on=Stack)
def monitor_after_crd(stack: Stack) -> Complaints:
    """A release that makes a ServiceMonitor, a PodMonitor or a PrometheusRule waits for the CRDs.

    The GPU operator skips the monitor by itself since 26.7, and so may a chart that we do not know.
    """
    if not stack.complete or stack.facts.existing_prometheus is not False:
        return
    crds = stack.releases(*PROMETHEUS)
    for release in stack.all_releases:
        severity = _needs_kinds(release)
        if not severity:
            continue
        if stack.lacks(*PROMETHEUS):
            what = "makes a ServiceMonitor but nothing brings the Prometheus CRDs"
        elif crds and not any(stack.waits_for(release.resource, each.resource) for each in crds):
            what = "makes a ServiceMonitor but does not wait for the Prometheus CRDs"
        else:
            continue
        yield Complaint(what, severity=severity, about=release.resource)


def _needs_kinds(release: Release) -> Severity | None:
    """How grave it is that the kinds are not there; None: the release does without."""
    if release.chart in PROMETHEUS or not release.numbers:
        return None
    if release.chart == GPU_OPERATOR and release.numbers >= MONITOR_BY_DEFAULT:
        return None
    if release.chart in (GPU_OPERATOR, "dcgm-exporter"):
        return MANDATORY if _monitors(release) else None
    if not any(_switched_on(release, release.values, ())):
        return None
    return MANDATORY if known_versions(release.chart) else ADVISORY


def _switched_on(release: Release, values: Tree, above: tuple[str, ...]) -> Iterator[bool]:
    """Each monitor of the values, whether it is on; what stands below a switch that nobody turned on is off."""
    for key, below in values.items():
        path = (*above, key)
        if not is_map(below):
            continue
        if key in MONITORS:
            yield below.get("enabled") is True
        elif below.get("enabled", not honours(release.chart, release.version, (*path, "enabled"))) is True:
            yield from _switched_on(release, below, path)
