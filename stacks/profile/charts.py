"""The Helm charts of the product: the section each answers to, its values, and the versions whose keys we know."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from components.chart import Chart, version_tuple
from components.facts import Args
from components.network import efa_device_plugin, whereabouts
from components.nodes import feature_discovery
from components.observability import (
    autoscaling,
    dcgm_exporter,
    keda,
    monitoring,
    prometheus_adapter,
    prometheus_crds,
    prometheus_stack,
)
from components.operators import gpu_operator, network_operator
from components.scheduling import kai, kueue, volcano
from components.section import HelmSection, Section
from components.serving import vllm_stack
from components.serving.section import VllmStackServer
from components.storage import exascaler, fsx
from components.training import jobset, kuberay, leader_worker_set, trainer


@dataclass(frozen=True)
class Helm:
    """One chart as the profile knows it."""

    chart: Chart
    values: Callable[[Args[Any]], dict[str, Any]]
    """What the section stands for in the chart's vocabulary; an override must not touch it."""
    versions: tuple[str, ...]
    """Versions whose keys we know; a patch release of the same line is taken too."""

    def knows(self, version: str) -> bool:
        """The version is of a known line (major and minor), spelt as the chart spells it (with or without `v`)."""
        line = version_tuple(version)[:2]
        return any(version_tuple(v)[:2] == line and v.startswith("v") == version.startswith("v") for v in self.versions)

    def keys_version(self, version: str) -> str:
        """The known version of the same line, whose keys stand for this one's."""
        line = version_tuple(version)[:2]
        return next((v for v in self.versions if version_tuple(v)[:2] == line), self.chart.version)


NETWORK_OPERATOR_VERSIONS = ("24.7.0", "24.10.0", "25.1.0", "25.4.0", "25.7.0", "25.10.0", "26.1.2", "26.4.1")
GPU_OPERATOR_VERSIONS = ("v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0")

HELM: Mapping[type[HelmSection], Helm] = {
    feature_discovery.NodeFeatureDiscoverySection: Helm(
        feature_discovery.CHART, feature_discovery.helm_values, ("0.19.0",)
    ),
    network_operator.NetworkOperatorSection: Helm(
        network_operator.CHART, network_operator.helm_values, NETWORK_OPERATOR_VERSIONS
    ),
    efa_device_plugin.EfaDevicePluginSection: Helm(
        efa_device_plugin.CHART, efa_device_plugin.helm_values, ("v0.5.30",)
    ),
    whereabouts.WhereaboutsSection: Helm(whereabouts.CHART, whereabouts.helm_values, ("0.9.4",)),
    VllmStackServer: Helm(vllm_stack.CHART, vllm_stack.helm_values, ("0.1.12",)),
    fsx.FsxDriver: Helm(fsx.CHART, fsx.helm_values, ("1.17.0",)),
    exascaler.ExascalerDriver: Helm(exascaler.CHART, exascaler.helm_values, ("2.9.0",)),
    gpu_operator.GpuOperatorSection: Helm(gpu_operator.CHART, gpu_operator.helm_values, GPU_OPERATOR_VERSIONS),
    kueue.KueueSection: Helm(kueue.CHART, kueue.helm_values, ("0.19.2",)),
    volcano.VolcanoSection: Helm(volcano.CHART, volcano.helm_values, ("1.15.1",)),
    kai.KaiSection: Helm(kai.CHART, kai.helm_values, ("v0.17.0",)),
    jobset.JobSetSection: Helm(jobset.CHART, jobset.helm_values, ("0.12.0",)),
    trainer.TrainerSection: Helm(trainer.CHART, trainer.helm_values, ("2.3.0",)),
    leader_worker_set.LeaderWorkerSetSection: Helm(leader_worker_set.CHART, leader_worker_set.helm_values, ("0.10.0",)),
    kuberay.KubeRaySection: Helm(kuberay.CHART, kuberay.helm_values, ("1.7.0",)),
    prometheus_crds.PrometheusCrdsSection: Helm(prometheus_crds.CHART, prometheus_crds.helm_values, ("31.0.1",)),
    monitoring.PrometheusStackSection: Helm(prometheus_stack.CHART, prometheus_stack.helm_values, ("88.5.3",)),
    dcgm_exporter.DcgmExporterSection: Helm(dcgm_exporter.CHART, dcgm_exporter.helm_values, ("4.8.2",)),
    autoscaling.KedaSection: Helm(keda.CHART, keda.helm_values, ("2.20.2",)),
    autoscaling.PrometheusAdapterSection: Helm(prometheus_adapter.CHART, prometheus_adapter.helm_values, ("5.3.0",)),
}


def helm_sections(section: Section, above: str = "") -> Iterator[tuple[str, HelmSection]]:
    """Every Helm section of a profile at any depth, with its YAML path."""
    for name, field in type(section).model_fields.items():
        path = f"{above}.{field.alias or name}".lstrip(".")
        value = getattr(section, name)
        members = enumerate(value) if isinstance(value, tuple) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        for where, inner in ((path, value), *((f"{path}[{index}]", one) for index, one in members)):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(inner, HelmSection):
                yield where, inner
            if isinstance(inner, Section):
                yield from helm_sections(inner, where)
