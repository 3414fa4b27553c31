"""What the templates of each chart make of its values, image by image; `make_chart_images` keeps it with the defaults.

`{a.b|c.d|=e}` is the first of these values that is not empty, `=e` the one that the template writes itself: mostly
`.Chart.AppVersion`, which is VERSION where a chart and its images are released together.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One image."""

    image: str
    when: tuple[str, ...] = ()
    """Values that must all be set for it to be pulled."""
    system: bool = False
    """The operator ends its tag with the nodes' system."""


def plain(path: str, *when: str, tag: str = "") -> Row:
    """`repository` and `tag`, as most charts have it."""
    return Row(f"{{{path}.repository}}:{{{path}.tag{'|=' + tag if tag else ''}}}", when)


def registered(path: str, *when: str, tag: str = "") -> Row:
    """`registry` as well, and one for all."""
    end = f"|={tag}" if tag else ""
    return Row(f"{{global.imageRegistry|{path}.registry}}/{{{path}.repository}}:{{{path}.tag{end}}}", when)


def hashed(path: str, *when: str, tag: str = "", key: str = "sha") -> Row:
    """With a digest, which the chart writes without its algorithm."""
    row = registered(path, *when, tag=tag)
    return row._replace(image=f"{row.image}@sha256:{{{path}.{key}|=}}")


def nvidia(path: str, *when: str, tag: str = "", system: bool = False) -> Row:
    """`repository`, `image` and `version`."""
    return Row(f"{{{path}.repository}}/{{{path}.image}}:{{{path}.version{'|=' + tag if tag else ''}}}", when, system)


def kai(path: str, *when: str) -> Row:
    """Of the Config that the chart writes for its operator (templates/_helpers.tpl)."""
    name, tag = f"{{{path}.image.name}}", f"{{{path}.image.tag|global.tag|=vVERSION}}"
    return Row(f"{{{path}.image.registry|global.registry}}/{name}:{tag}", when)


def volcano(part: str, switch: str) -> Row:
    """One registry and one tag for all parts, unless a part has its own tag."""
    tag = f"{{basic.{part}_image_tag_version|basic.image_tag_version}}"
    return Row(f"{{basic.image_registry}}/{{basic.{part}_image_name}}:{tag}", (f"custom.{switch}_enable",))


def keda(part: str) -> Row:
    where = f"image.{part}"
    return Row(f"{{global.image.registry|{where}.registry}}/{{{where}.repository}}:{{{where}.tag|=VERSION}}")


def sriov(part: str) -> Row:
    """Told to the SR-IOV operator in its environment, which starts them."""
    return Row(f"{{sriov-network-operator.images.{part}}}", ("sriovNetworkOperator.enabled",))


SANDBOX = "sandboxWorkloads.enabled"
KPS_GRAFANA = "grafana.enabled"
TABLES: Mapping[str, tuple[Row, ...]] = {
    "aws-efa-k8s-device-plugin": (plain("image"),),
    "aws-fsx-csi-driver": (
        plain("image"),
        *(plain(f"sidecars.{one}.image") for one in ("livenessProbe", "nodeDriverRegistrar", "provisioner", "resizer")),
    ),
    "dcgm-exporter": (plain("image"),),
    "exa-csi": (
        *map(plain, ("image", "registrar", "provisioner", "attacher", "resizer", "csi_snapshotter")),
        plain("metrics.exporter", "metrics.enabled"),
    ),
    "gpu-operator": (
        # templates/operator.yaml; the validator is the operator's own image since v25.10.
        nvidia("operator", tag="VERSION"),
        nvidia("validator", tag="VERSION"),
        nvidia("operator.initContainer"),
        nvidia("driver", "driver.enabled", system=True),  # controllers/object_controls.go resolveDriverTag
        nvidia("driver.manager"),  # the operator is told of it in any case
        nvidia("gds", "gds.enabled", system=True),
        nvidia("gdrcopy", "gdrcopy.enabled", system=True),
        nvidia("toolkit", "toolkit.enabled"),
        nvidia("devicePlugin", "devicePlugin.enabled"),
        nvidia("gfd", "gfd.enabled"),
        nvidia("dcgm", "dcgm.enabled"),
        nvidia("dcgmExporter", "dcgmExporter.enabled"),
        nvidia("migManager", "migManager.enabled"),
        nvidia("nodeStatusExporter", "nodeStatusExporter.enabled", tag="VERSION"),
        nvidia("vgpuManager", "vgpuManager.enabled", system=True),
        nvidia("vgpuManager.driverManager", SANDBOX),
        *(
            nvidia(one, SANDBOX, f"{one}.enabled")
            for one in ("vgpuDeviceManager", "vfioManager", "kataManager", "sandboxDevicePlugin", "ccManager")
        ),
        nvidia("vfioManager.driverManager", SANDBOX, "vfioManager.enabled"),
        nvidia("kataSandboxDevicePlugin", SANDBOX, "kataSandboxDevicePlugin.enabled"),
        nvidia("draDriver", "gpuCluster.deployCR"),
        plain("node-feature-discovery.image", "nfd.enabled"),
    ),
    "jobset": (plain("image"),),
    "kai-scheduler": (
        *map(kai, ("operator", "crdupgrader")),
        kai("kaiConfigDeployer", "kaiConfigDeployer.enabled"),
        kai("topologyMigration", "topologyMigration.enabled"),
        kai("postCleanup", "postCleanup.enabled"),
        *(
            kai(one, f"{one}.enabled")
            for one in ("podgrouper", "podgroupcontroller", "binder", "scheduler", "queuecontroller", "admission")
        ),
        # The operator starts it where a shard has the numa plug-in, nodescaleadjuster with an autoscaler.
        kai("numaPlacementExporter"),
        kai("nodescaleadjuster"),
        Row(
            "{nodescaleadjuster.scalingPodImage.registry|global.registry}/{nodescaleadjuster.scalingPodImage.name}"
            ":{nodescaleadjuster.scalingPodImage.tag|global.tag|=vVERSION}"
        ),
        Row(
            "{binder.resourceReservationImage.registry|global.registry}/{binder.resourceReservationImage.name}"
            ":{binder.resourceReservationImage.tag|global.tag|=vVERSION}"
        ),
    ),
    "keda": tuple(map(keda, ("keda", "metricsApiServer", "webhooks"))),
    "kube-prometheus-stack": (
        hashed("prometheusOperator.image", "prometheusOperator.enabled", tag="v0.93.1"),
        hashed("prometheusOperator.prometheusConfigReloader.image", "prometheusOperator.enabled", tag="v0.93.1"),
        hashed("prometheusOperator.thanosImage", "prometheusOperator.enabled"),
        hashed(
            "prometheusOperator.admissionWebhooks.patch.image", "prometheusOperator.admissionWebhooks.patch.enabled"
        ),
        hashed(
            "prometheusOperator.admissionWebhooks.deployment.image",
            "prometheusOperator.admissionWebhooks.deployment.enabled",
            tag="v0.93.1",
        ),
        hashed("prometheus.prometheusSpec.image", "prometheus.enabled"),
        hashed("alertmanager.alertmanagerSpec.image", "alertmanager.enabled"),
        hashed("thanosRuler.thanosRulerSpec.image", "thanosRuler.enabled"),
        hashed("grafana.image", KPS_GRAFANA, tag="13.2.0"),
        hashed("grafana.sidecar.image", KPS_GRAFANA),
        registered("grafana.testFramework.image", KPS_GRAFANA, "grafana.testFramework.enabled"),
        hashed("grafana.downloadDashboardsImage", KPS_GRAFANA, "grafana.dashboards"),
        hashed(
            "grafana.initChownData.image", KPS_GRAFANA, "grafana.persistence.enabled", "grafana.initChownData.enabled"
        ),
        hashed("grafana.imageRenderer.image", KPS_GRAFANA, "grafana.imageRenderer.enabled"),
        hashed("kube-state-metrics.image", "kubeStateMetrics.enabled", tag="v2.20.0"),
        hashed("kube-state-metrics.kubeRBACProxy.image", "kube-state-metrics.kubeRBACProxy.enabled"),
        hashed("prometheus-node-exporter.image", "nodeExporter.enabled", tag="v1.12.1-distroless", key="digest"),
        hashed("prometheus-node-exporter.kubeRBACProxy.image", "prometheus-node-exporter.kubeRBACProxy.enabled"),
        hashed(
            "prometheus-node-exporter.permissionInitContainer.image",
            "prometheus-node-exporter.permissionInitContainer.enabled",
        ),
        hashed("prometheus-windows-exporter.image", "windowsMonitoring.enabled", tag="0.31.7", key="digest"),
        hashed("crds.upgradeJob.image.busybox", "crds.upgradeJob.enabled"),
        # Its tag is the cluster's own version, so the chart names none.
        hashed("crds.upgradeJob.image.kubectl", "crds.upgradeJob.enabled"),
    ),
    "kubeflow-trainer": (
        registered("image", tag="vVERSION"),
        registered("dataCache.cacheImage", "dataCache.enabled", tag="vVERSION"),
        plain("jobset.image", "jobset.install"),
        plain("dataCache.lws.image.manager", "dataCache.enabled"),
        *(
            registered("runtimes.installer.image", switch)
            for switch in (
                "runtimes.defaultEnabled",
                "runtimes.torchDistributed.enabled",
                "runtimes.jaxDistributed.enabled",
            )
        ),
        *(
            registered(f"runtimes.{one}.image", "runtimes.defaultEnabled", tag="vVERSION")
            for one in ("deepspeedDistributed", "mlxDistributed", "xgboostDistributed", "torchtuneDistributed")
        ),
    ),
    "kuberay-operator": (plain("image"),),
    "kueue": (
        plain("controllerManager.manager.image"),
        plain("kueueViz.backend.image", "enableKueueViz"),
        plain("kueueViz.frontend.image", "enableKueueViz"),
    ),
    "lws": (plain("image.manager"),),
    "network-operator": (
        Row("{operator.repository}/{operator.image}:{operator.tag|=vVERSION}"),
        nvidia("operator.ofedDriver.initContainer"),  # pkg/state/state_ofed.go: beside DOCA-OFED
        nvidia("ofedDriver.initContainer"),
        plain("node-feature-discovery.image", "nfd.enabled"),
        *map(
            sriov,
            (
                "operator",
                "sriovConfigDaemon",
                "sriovCni",
                "ibSriovCni",
                "ovsCni",
                "rdmaCni",
                "sriovDevicePlugin",
                "sriovDraDriver",
                "resourcesInjector",
                "webhook",
                "metricsExporter",
                "metricsExporterKubeRbacProxy",
            ),
        ),
        Row(
            "{maintenance-operator-chart.operator.image.repository}/{maintenance-operator-chart.operator.image.name}"
            ":{maintenance-operator-chart.operator.image.tag}",
            ("maintenanceOperator.enabled",),
        ),
        *(
            Row(
                f"{{nic-configuration-operator-chart.{one}.image.repository}}"
                f"/{{nic-configuration-operator-chart.{one}.image.name}}"
                f":{{nic-configuration-operator-chart.{one}.image.tag}}",
                ("nicConfigurationOperator.enabled",),
            )
            for one in ("operator", "configDaemon")
        ),
    ),
    "node-feature-discovery": (plain("image", tag="vVERSION"),),
    "nvidia-dra-driver-gpu": (plain("image", tag="vVERSION"),),
    "prometheus-adapter": (plain("image", tag="v0.12.0"),),
    "prometheus-operator-crds": (),
    "vllm-stack": (
        plain("routerSpec", "routerSpec.enableRouter"),
        plain("cacheserverSpec.image", "cacheserverSpec.enabled"),
        Row("{servingEngineSpec.sidecar.image}", ("servingEngineSpec.sidecar.enabled",)),
        plain("loraController.image", "loraController.enableLoraController"),
        plain("sharedPvcStorage.image", "sharedPvcStorage.enabled"),
    ),
    "volcano": (
        volcano("controller", "controller"),
        volcano("scheduler", "scheduler"),
        volcano("agent_scheduler", "agent_scheduler"),
        volcano("admission", "admission"),
        volcano("agent", "colocation"),
        *(
            Row(f"{{={image}}}", ("custom.metrics_enable",))
            for image in ("prom/prometheus:latest", "docker.io/volcanosh/kube-state-metrics:v2.0.0-beta")
        ),
        Row("{=grafana/grafana:latest}", ("custom.metrics_enable",)),
    ),
    "whereabouts-chart": (plain("image", tag="vVERSION"),),
}
PLACED: Mapping[str, Mapping[str, Any]] = {
    # Values of subcharts, which the parent does not repeat.
    "gpu-operator": {"node-feature-discovery.image.repository": "registry.k8s.io/nfd/node-feature-discovery"},
    "kubeflow-trainer": {
        "jobset.image.repository": "registry.k8s.io/jobset/jobset",
        "jobset.image.tag": "v0.12.0",
        "dataCache.lws.image.manager.repository": "registry.k8s.io/lws/lws",
        "dataCache.lws.image.manager.tag": "v0.8.0",
    },
    "vllm-stack": {"routerSpec.enableRouter": True},
}
"""What stands in no default value of the chart itself."""
NFD_TAGS = {
    "v24.9.2": "v0.16.6",
    "v25.3.4": "v0.17.3",
    "v25.10.1": "v0.18.2",
    "v26.3.3": "v0.18.3",
    "v26.7.0": "v0.19.0",
}
EXPORTER = {
    "metricsExporter": "ghcr.io/k8snetworkplumbingwg/sriov-network-metrics-exporter",
    "metricsExporterKubeRbacProxy": "gcr.io/kubebuilder/kube-rbac-proxy:v0.15.0",
}
RDMA = {"rdmaCni": "ghcr.io/k8snetworkplumbingwg/rdma-cni"}
SRIOV: Mapping[str, Mapping[str, str]] = {
    "24.7.0": RDMA,
    **dict.fromkeys(("24.10.0", "25.1.0", "25.4.0", "25.7.0", "25.10.0"), RDMA | EXPORTER),
    "26.1.2": EXPORTER,
    "26.4.1": EXPORTER | {"metricsExporterKubeRbacProxy": "quay.io/brancz/kube-rbac-proxy:v0.21.2"},
}
"""What the SR-IOV operator's own chart says and the Network Operator's does not (charts/sriov-network-operator)."""
OF_SUBCHARTS: Mapping[str, Mapping[str, Any]] = {
    **{
        f"network-operator-{version}": {
            f"sriov-network-operator.images.{part}": image for part, image in images.items()
        }
        for version, images in SRIOV.items()
    },
    **{f"gpu-operator-{version}": {"node-feature-discovery.image.tag": tag} for version, tag in NFD_TAGS.items()},
}
CORRECTED: Mapping[str, Mapping[str, Any]] = {
    # The tag's values have the place where releases are staged; published charts have the one that they are promoted
    # to: hack/helm-chart-package.sh of kueue, the release checklists of jobset and lws in .github/ISSUE_TEMPLATE.
    "kueue-0.19.2": {
        "controllerManager.manager.image.repository": "registry.k8s.io/kueue/kueue",
        "controllerManager.manager.image.tag": "v0.19.2",
        **{
            f"kueueViz.{part}.image.{key}": value
            for part in ("backend", "frontend")
            for key, value in (("repository", f"registry.k8s.io/kueue/kueueviz-{part}"), ("tag", "v0.19.2"))
        },
    },
    "jobset-0.12.0": {"image.repository": "registry.k8s.io/jobset/jobset", "image.tag": "v0.12.0"},
    "lws-0.10.0": {"image.manager.tag": "v0.10.0"},
    # .github/workflows/push-artifacts.yaml at v0.17.0 writes it before the chart is packaged.
    "kai-scheduler-0.17.0": {"global.registry": "ghcr.io/kai-scheduler/kai-scheduler"},
    # Those of 25.1.0 and 24.10.0 as published, where a tag has the place where releases are staged.
    **{
        f"network-operator-{version}": {"operator.repository": "nvcr.io/nvidia/cloud-native"}
        for version in ("24.7.0", "25.1.0")
    },
    "network-operator-25.4.0": {
        "operator.repository": "nvcr.io/nvidia/cloud-native",
        **{
            f"sriov-network-operator.images.{part}": f"nvcr.io/nvidia/mellanox/{image}:network-operator-25.4.0"
            for part, image in (
                ("operator", "sriov-network-operator"),
                ("sriovConfigDaemon", "sriov-network-operator-config-daemon"),
                ("webhook", "sriov-network-operator-webhook"),
            )
        },
    },
}
"""Where the values of the tag are not those of the published chart, with what says so."""
