"""kube-prometheus-stack: Prometheus, its operator, node exporter, kube-state-metrics, and Grafana and Alertmanager."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

import pulumi
import pulumi_kubernetes as k8s
from pydantic import Field

from bedplate.components.chart import Chart
from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.observability.dcgm_exporter import NODE_LABEL, DcgmExporterSection
from bedplate.components.observability.operator_states import custom_resource_state, read_rules
from bedplate.components.observability.prometheus_crds import PrometheusCrdsSection
from bedplate.components.observability.remote_write import Workspace, account, sending
from bedplate.components.quantity import mib
from bedplate.components.secret import secret
from bedplate.components.section import DnsLabel, HelmSection, Section, Size

CHART = Chart.of("kube-prometheus-stack")
URL = f"http://prometheus-operated.{CHART.namespace}.svc:9090"
"""The operator's own Service, which has this name whatever the release is called."""
DASHBOARD_LABELS = {"grafana_dashboard": "1"}
"""What the chart's Grafana looks for in its own namespace."""
FOLDER_ANNOTATION = "grafana_folder"
GRAFANA_SECRET = "grafana-admin"  # noqa: S105 - the name of a Secret
ALERTMANAGER_SECRET = "alertmanager-monitoring-alertmanager"  # noqa: S105 - the name that the operator looks for
CONTROL_PLANE = ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy")
KEPT_FREE = Decimal("0.15")
"""Share of the volume that samples leave for the write-ahead log and compaction."""

EFA_IMAGE = r"^([\w-]+[.:][\w.:-]+)/([\w./-]+):([\w.-]+)(?:@(sha256:[0-9a-f]{64}))?$"
IMAGE_PARTS = ("registry", "repository", "tag", "digest")
"""As the chart puts an image together."""

Retention = Annotated[str, Field(pattern=r"^[0-9]+(h|d|w|y)$")]
"""How long Prometheus keeps samples, such as `30d`."""


class Storage(Section):
    """The volume of Prometheus; without one, its samples end with its pod."""

    size: Size
    storage_class: DnsLabel | None = None
    """Absent: the cluster's default class."""


class Grafana(Section):
    """Dashboards in the browser; the password of `admin` is the secret `grafanaPassword`."""


class Alertmanager(Section):
    """Tells people; who is told is the secret `alertmanagerConfig`, a whole Alertmanager configuration in YAML."""


class EfaExporter(Section):
    """AWS's node exporter with the collector `amazonefa` in the place of the stock one, which counts no byte of EFA.

    AWS publishes its source and no image (awslabs/awsome-distributed-ai 4.validation_and_observability).
    """

    image: Annotated[str, Field(pattern=EFA_IMAGE)]
    """What the site has built of it, with registry and tag, such as
    `111122223333.dkr.ecr.us-west-2.amazonaws.com/node_exporter_efa:v1.10.2`; a digest may follow."""


class PrometheusStackSection(HelmSection):
    """Our own Prometheus, its exporters, and Grafana (kube-prometheus-stack)."""

    kind: Literal["stack"]
    retention: Retention = "15d"
    storage: Storage | None = None
    grafana: Grafana | None = None
    alertmanager: Alertmanager | None = None
    remote_write: tuple[Workspace, ...] = ()
    """Managed workspaces that keep its samples, too; alerts and scalers go on asking this Prometheus."""
    control_plane: bool = False
    """Scrape scheduler, controller manager, etcd and kube-proxy; only where they listen beyond loopback."""
    profiling: bool = True
    """DCGM's profiling counters; Nsight and CUPTI fail beside them on Ampere and older (NVIDIA/DCGM#56)."""
    crds: PrometheusCrdsSection = PrometheusCrdsSection()
    dcgm_exporter: DcgmExporterSection | None = None
    """GPU metrics where no GPU Operator brings them."""
    efa_exporter: EfaExporter | None = None
    """What EFA devices count; with `fabric.kind: efa`."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Configuration keys of the secrets that this section needs."""
        needed = {"grafanaPassword": self.grafana, "alertmanagerConfig": self.alertmanager}
        return tuple(key for key, section in needed.items() if section is not None)


class PrometheusStack(Component[PrometheusStackSection], token="bedplate:observability:PrometheusStack"):
    """The monitoring of a cluster that has none."""

    url: str
    """Prometheus' HTTP API."""

    def _declare(self, args: Args[PrometheusStackSection], child: pulumi.ResourceOptions) -> dict[str, Any]:
        secret_resources(args.section, child)
        CHART.release("monitoring", args, namespace=CHART.namespace, values=helm_values(args), opts=child)
        self.url = URL
        return {"url": URL}


def secret_resources(section: PrometheusStackSection, opts: pulumi.ResourceOptions) -> None:
    """What the pods read as Secrets, so that no chart value ever holds it; a pod waits for its Secret by itself."""
    if section.grafana:
        _secret(GRAFANA_SECRET, {"admin-user": "admin", "admin-password": secret("grafanaPassword")}, opts)
    if section.alertmanager:
        _secret(ALERTMANAGER_SECRET, {"alertmanager.yaml": secret("alertmanagerConfig")}, opts)


def _secret(name: str, data: dict[str, pulumi.Input[str]], opts: pulumi.ResourceOptions) -> None:
    k8s.core.v1.Secret(name, metadata={"name": name, "namespace": CHART.namespace}, string_data=data, opts=opts)


def helm_values(args: Args[PrometheusStackSection]) -> dict[str, Any]:
    """Fixed names, selectors that see every monitor and rule, and no CRDs: they were here first (chart 88.5.3)."""
    section = args.section
    return {
        "fullnameOverride": "monitoring",
        "crds": {"enabled": False},
        "prometheus": {
            "prometheusSpec": {**prometheus_spec(section), **sending(section.remote_write, args.facts.cluster)},
            **account(section.remote_write),
        },
        "grafana": grafana_values(section),
        "alertmanager": alertmanager_values(section),
        "kube-state-metrics": {
            "fullnameOverride": "kube-state-metrics",
            "customResourceState": custom_resource_state(args.facts),
            "rbac": {"extraRules": read_rules(args.facts)},
        },
        "prometheus-node-exporter": {
            "fullnameOverride": "node-exporter",
            # The chart tolerates NoSchedule only, and a node that lost its GPUs must not vanish from the charts.
            "tolerations": [{"operator": "Exists"}],
            "prometheus": {"monitor": {"relabelings": [NODE_LABEL]}},
            **({"image": image_values(section.efa_exporter.image)} if section.efa_exporter else {}),
        },
        **{part: {"enabled": section.control_plane} for part in CONTROL_PLANE},
        # GKE answers names with kube-dns, which has no metrics where the chart looks for CoreDNS's.
        "coreDns": {"enabled": args.facts.platform != "gke"},
    }


def image_values(image: str) -> dict[str, str]:
    """The image in the chart's parts."""
    found = re.fullmatch(EFA_IMAGE, image)
    assert found is not None  # noqa: S101 - the section's pattern
    return {part: value for part, value in zip(IMAGE_PARTS, found.groups(), strict=True) if value}


def prometheus_spec(section: PrometheusStackSection) -> dict[str, Any]:
    """By default the chart's Prometheus sees only what carries the label `release`."""
    kinds = ("serviceMonitor", "podMonitor", "probe", "rule", "scrapeConfig")
    return {
        **{f"{kind}SelectorNilUsesHelmValues": False for kind in kinds},
        "retention": section.retention,
        **(storage_values(section.storage) if section.storage else {}),
    }


def storage_values(storage: Storage) -> dict[str, Any]:
    """The claim, and a size at which old samples go before the volume is full."""
    claim: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": storage.size}},
        **({"storageClassName": storage.storage_class} if storage.storage_class else {}),
    }
    return {
        "retentionSize": f"{int(mib(storage.size) * (1 - KEPT_FREE))}MiB",
        "storageSpec": {"volumeClaimTemplate": {"spec": claim}},
    }


def grafana_values(section: PrometheusStackSection) -> dict[str, Any]:
    """Without `admin.existingSecret` the chart draws a new password at every upgrade.

    By default its sidecar loads what has the label in any namespace, Secrets too, and may read all of them: a team's
    ConfigMap would write over the platform's pages, or into any folder that its annotation names.
    """
    if section.grafana is None:
        return {"enabled": False}
    return {
        "enabled": True,
        "admin": {"existingSecret": GRAFANA_SECRET, "userKey": "admin-user", "passwordKey": "admin-password"},
        "rbac": {"namespaced": True},
        "sidecar": {
            "dashboards": {
                "searchNamespace": CHART.namespace,
                "folderAnnotation": FOLDER_ANNOTATION,
                "provider": {"foldersFromFilesStructure": True},
            }
        },
    }


def alertmanager_values(section: PrometheusStackSection) -> dict[str, Any]:
    """Alerts are evaluated and shown without it; it only tells people."""
    if section.alertmanager is None:
        return {"enabled": False}
    return {"enabled": True, "alertmanagerSpec": {"useExistingSecret": True}}
