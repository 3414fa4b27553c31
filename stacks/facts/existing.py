"""What the profile says the cluster has already: objects that others make, and that ours would fail without."""

from collections.abc import Iterator

from bedplate.components.facts.site import Existing
from bedplate.components.observability.google import API as GOOGLE_API
from bedplate.components.observability.google import GooglePrometheusSection
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.observability.prometheus_crds import CHART
from bedplate.components.observability.prometheus_stack import PrometheusStackSection
from bedplate.components.serving.picker import API, picker
from bedplate.components.serving.triton import TritonServer
from bedplate.components.storage.section import ClassCache
from bedplate.stacks.profile.profile import Profile

SITE_KINDS = {
    "multus": ("network-attachment-definitions.k8s.cni.cncf.io", "NetworkAttachmentDefinition"),
    "whereabouts": ("ippools.whereabouts.cni.cncf.io", "IPPool"),
    "nfd": ("nodefeaturerules.nfd.k8s-sigs.io", "NodeFeatureRule"),
}
"""Definition and kind that each brings."""
EBS_DRIVER = "ebs.csi.aws.com"
MONITOR_KINDS = ("ServiceMonitor", "PodMonitor", "PrometheusRule")
"""What we and the operators' charts make for a Prometheus that is there already."""

GOOGLE_KINDS = {
    "PodMonitoring": "podmonitorings",
    "ClusterPodMonitoring": "clusterpodmonitorings",
    "ClusterRules": "clusterrules",
}
"""Those of Google's managed Prometheus, which GKE brings with managed collection."""


def existing(profile: Profile) -> tuple[Existing, ...]:
    """Each once."""
    sources = (_site, _classes, _disks, _monitoring, _pools, _accounts)
    return tuple(existing for source in sources for existing in source(profile))


def _site(profile: Profile) -> Iterator[Existing]:
    """A kind of each part that the site runs, and that ours would fail without."""
    for runs, (name, kind) in SITE_KINDS.items():
        if runs in profile.site_runs:
            yield Existing("CustomResourceDefinition", name, f"existing.{runs}", kind)


def _accounts(profile: Profile) -> Iterator[Existing]:
    """Service accounts that servers and volumes only name, each once: others have tied them to rights in the cloud."""
    servers = profile.servers
    seen: dict[tuple[str, str], str] = {}
    for at, server in enumerate(servers):
        if not isinstance(server, TritonServer) and isinstance(server.account, str):
            seen.setdefault((server.namespace, server.account), f"serving.servers[{at}].weights.serviceAccount")
    for at, volume in enumerate(profile.volumes):
        if isinstance(volume.service_account, str):
            for home in volume.namespaces:
                seen.setdefault((home, volume.service_account), f"storage.volumes[{at}].serviceAccount")
    for (home, name), key in seen.items():
        yield Existing("ServiceAccount", name, key, namespace=home)


def _pools(profile: Profile) -> Iterator[Existing]:
    """The kind of what an endpoint picker chooses from, once; the gateway's owner installs it."""
    servers = profile.servers
    keys = [f"serving.servers[{at}].route.endpointPicker" for at, server in enumerate(servers) if picker(server)]
    yield from (Existing("CustomResourceDefinition", f"inferencepools.{API}", key, "InferencePool") for key in keys[:1])


def _classes(profile: Profile) -> Iterator[Existing]:
    made = profile.storage.made_classes if profile.storage else ()
    seen = dict(reversed([(name, key) for name, key in _named(profile) if name not in made]))
    yield from (Existing("StorageClass", name, key) for name, key in seen.items())


def _disks(profile: Profile) -> Iterator[Existing]:
    """EKS brings no driver for its disks (EKS User Guide, "Use Kubernetes volume storage with Amazon EBS")."""
    if profile.platform != "eks":
        return
    monitoring = profile.monitoring
    if isinstance(monitoring, PrometheusStackSection) and monitoring.storage:
        yield Existing("CSIDriver", EBS_DRIVER, "monitoring.storage")
    elif profile.storage and any(item.kind == "block" for item in profile.storage.existing_classes):
        yield Existing("CSIDriver", EBS_DRIVER, "storage.existingClasses")


def _named(profile: Profile) -> Iterator[tuple[str, str]]:
    """Every class by name, with the key that names it."""
    if profile.storage:
        yield from ((item.name, "storage.existingClasses") for item in profile.storage.existing_classes)
        if isinstance(profile.storage.cache, ClassCache):
            yield profile.storage.cache.name, "storage.cache"
    monitoring = profile.monitoring
    if isinstance(monitoring, PrometheusStackSection) and monitoring.storage and monitoring.storage.storage_class:
        yield monitoring.storage.storage_class, "monitoring.storage"


def _monitoring(profile: Profile) -> Iterator[Existing]:
    if isinstance(profile.monitoring, ExistingPrometheusSection):
        yield Existing("Namespace", profile.monitoring.namespace, "monitoring")
        for kind in MONITOR_KINDS:
            yield Existing("CustomResourceDefinition", f"{kind.lower()}s.{CHART.groups[0]}", "monitoring", kind)
    if isinstance(profile.monitoring, GooglePrometheusSection):
        yield Existing("Namespace", profile.monitoring.namespace, "monitoring")
        for kind, plural in GOOGLE_KINDS.items():
            yield Existing("CustomResourceDefinition", f"{plural}.{GOOGLE_API.partition('/')[0]}", "monitoring", kind)
