"""Which section of the profile asks for which step, where presence alone does not say it."""

from collections.abc import Callable
from typing import TypeVar

from bedplate.components.cloud.gcp import driver_installer
from bedplate.components.facts import Facts
from bedplate.components.nodes import pool_labels
from bedplate.components.nodes.feature_discovery import NodeFeatureDiscoverySection
from bedplate.components.observability import google_monitors as google
from bedplate.components.observability import queue_monitors as monitors
from bedplate.components.observability.monitoring import AnyMonitoring
from bedplate.components.observability.prometheus_crds import PrometheusCrdsSection
from bedplate.components.observability.prometheus_stack import PrometheusStackSection
from bedplate.components.operators.dra_driver import compute_domains
from bedplate.components.operators.network_operator import NetworkOperatorSection
from bedplate.components.platforms import PLATFORMS
from bedplate.components.section import Section
from bedplate.components.storage import drivers
from bedplate.components.storage import volumes as storage
from bedplate.components.storage.section import StorageSection
from bedplate.components.tenancy.security_contexts import bound
from bedplate.components.tenancy.teams import TenancySection
from bedplate.components.training.runtimes import whole_pools
from bedplate.components.training.trainer import TrainerSection
from bedplate.components.verification.admission import AdmissionSection
from bedplate.components.verification.nccl import VerificationSection
from bedplate.components.verification.pools import ReadinessSection, device_pools
from bedplate.stacks.profile.fabrics import AnyFabric
from bedplate.stacks.profile.profile import Profile

S = TypeVar("S", bound=Section)


def rails(profile: Profile, known: Facts) -> AnyFabric | None:
    """The fabric, if pods attach its rails and some team does."""
    return profile.fabric if known.fabric.attaches_networks and known.namespaces else None


def pools_of_addresses(profile: Profile, known: Facts) -> AnyFabric | None:
    """The fabric, if nv-ipam hands out its addresses."""
    return profile.fabric if known.fabric.ipam == "nv-ipam" else None


def nic_settings(profile: Profile, _: Facts) -> NetworkOperatorSection | None:
    """The Network Operator, if it is to configure NICs."""
    return profile.network_operator if profile.network_operator and profile.network_operator.nics else None


def gpudirect(profile: Profile, known: Facts) -> AnyFabric | None:
    """The fabric, if it is one of GKE's."""
    return profile.fabric if known.fabric.kind in ("tcpxo", "gib") else None


def gke_driver(profile: Profile, known: Facts) -> Section | None:
    """The cloud that chooses the driver, if GKE's installer brings it beside the GPU Operator."""
    return (profile.cloud or profile.gpu_operator) if driver_installer.installs(known) else None


def sliced(profile: Profile, known: Facts) -> NodeFeatureDiscoverySection | None:
    """Clouds label nodes from their node group; elsewhere NFD does, where a pool has a rule."""
    if not (profile.has_nfd and pool_labels.rules(known)) or PLATFORMS[profile.platform].pool_label:
        return None
    return profile.nfd or NodeFeatureDiscoverySection()


def racks(profile: Profile, known: Facts) -> Section | None:
    """The DRA driver, if some team has a part of a rack."""
    return profile.dra_driver if compute_domains(known) else None


def teams_with_gpus(profile: Profile, known: Facts) -> TenancySection | None:
    """Tenancy, if there are teams in it and GPUs for them."""
    return profile.tenancy if known.teams and known.gpu_pools else None


def runtimes(profile: Profile, known: Facts) -> TrainerSection | None:
    """The Trainer, if some team has whole GPUs of some pool."""
    section = profile.training.trainer if profile.training else None
    return section if section and any(whole_pools(known, team) for team in known.teams) else None


def devices(profile: Profile, known: Facts) -> ReadinessSection | None:
    """Readiness, if nodes have to have anything besides CPU and memory, and are there when this stack is deployed."""
    return None if profile.makes_cluster or not device_pools(known) else profile.readiness


def scheduler(kind: type[S]) -> Callable[[Profile, Facts], S | None]:
    """The scheduling section, if it is of that kind."""
    return lambda p, _: p.scheduling if isinstance(p.scheduling, kind) else None


def own_monitoring(profile: Profile, _: Facts) -> PrometheusStackSection | None:
    """The monitoring section, if it is our own stack."""
    return profile.monitoring if isinstance(profile.monitoring, PrometheusStackSection) else None


def autoscaling(kind: type[S]) -> Callable[[Profile, Facts], S | None]:
    """The autoscaling section, if it is of that kind."""
    return lambda p, _: p.autoscaling if isinstance(p.autoscaling, kind) else None


def dashboards(profile: Profile, known: Facts) -> AnyMonitoring | None:
    """Monitoring, if somebody shows dashboards."""
    return profile.monitoring if known.monitoring and known.monitoring.dashboard_labels else None


def google_monitors(profile: Profile, known: Facts) -> AnyMonitoring | None:
    """Monitoring, if it is Google's and there is something to tell it."""
    return profile.monitoring if any(google.manifests(known)) else None


def queue_monitors(profile: Profile, known: Facts) -> AnyMonitoring | None:
    """Monitoring, if there is a scheduler or controller to scrape."""
    return profile.monitoring if list(monitors.queue_monitors(known)) else None


def prometheus_crds(profile: Profile, _: Facts) -> PrometheusCrdsSection | None:
    """The CRDs' part of our own monitoring."""
    return profile.monitoring.crds if isinstance(profile.monitoring, PrometheusStackSection) else None


def lustre(profile: Profile, _: Facts) -> drivers.AnyDriver | None:
    """Only the drivers that nobody runs for us."""
    driver = profile.storage.driver if profile.storage else None
    return driver if driver and drivers.DRIVERS[driver.kind].install else None


def volumes(profile: Profile, _: Facts) -> StorageSection | None:
    """Storage, if it makes classes or volumes."""
    section = profile.storage
    return section if section and (section.volumes or storage.class_manifests(section)) else None


def queues(kind: type[S]) -> Callable[[Profile, Facts], S | None]:
    """The scheduling section of that kind, if there are teams to have queues."""
    return lambda p, known: scheduler(kind)(p, known) if known.teams else None


def admission(profile: Profile, known: Facts) -> AdmissionSection | None:
    """The rules on the API server, if there are teams to hold them to."""
    return profile.admission if known.teams else None


def existing(profile: Profile, known: Facts) -> Section | None:
    """The sections that speak of what is there already, if any does."""
    return (profile.storage or profile.monitoring) if known.existing else None


def security_contexts(profile: Profile, known: Facts) -> TenancySection | None:
    """Tenancy, if its pods need more than the platform's own security contexts allow."""
    return profile.tenancy if known.platform == "openshift" and bound(known) else None


def proof(profile: Profile, _: Facts) -> VerificationSection | None:
    """Verification, unless nodes are let into the queues only after the deployment."""
    section = profile.verification
    return section if section and section.qualify is None else None


def teams(profile: Profile, known: Facts) -> TenancySection | None:
    """Tenancy, if there are teams in it."""
    return profile.tenancy if known.teams else None
