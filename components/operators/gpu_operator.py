"""NVIDIA GPU Operator: driver, container toolkit, device plugin, MIG and DCGM exporter on GPU nodes.

Does not install NFD (one per cluster), and does not say when nodes are ready: `GpuReady` does.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pulumi
import pulumi_kubernetes as k8s
from pydantic import Field

from bedplate.components.chart import Chart
from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.namespace import namespace
from bedplate.components.observability.dcgm_counters import config_map_name, counters_config_map
from bedplate.components.observability.dcgm_exporter import service_monitor
from bedplate.components.operators.discovery import discovery_values
from bedplate.components.operators.slicing import device_plugin_config, mig_config
from bedplate.components.platforms import PLATFORMS
from bedplate.components.readiness import gate, state
from bedplate.components.section import HelmSection, Seconds, Section
from bedplate.components.version import line

CHART = Chart.of("gpu-operator")
KERNEL_MODULE_TYPE_SINCE = (25, 3)
"""`driver.kernelModuleType` replaced `driver.useOpenKernelModules` here; each is dead on the other side."""

KERNEL_MODULE_CONFIG = "bedplate-kernel-modules"
OWN_HCAS_SINCE = (25, 3, 3)
"""Before, GPUDirect Storage sets MOFED_ENABLED after `devicePlugin.env`, so that nothing keeps the HCAs back."""
NO_HCAS: Mapping[str, str] = {"MOFED_ENABLED": "false"}
"""With GDS (`TransformDevicePlugin`), and from v26.3.3 with `nvidia_fs` on the host, the plugin would hand every verbs
device of the node to each container with a GPU, past rails and teams (NVIDIA/gpu-operator at v26.7.0,
controllers/object_controls.go and assets/state-device-plugin/0400_configmap.yaml)."""
LABELLED_MONITOR_SINCE = (26, 7)
"""Before, the ServiceMonitor of the operator's own metrics takes no labels."""


class DriverUpgrade(Section):
    """How the operator replaces the driver on nodes; by default it waits for you, because an upgrade evicts jobs."""

    auto_upgrade: bool = False
    max_parallel_upgrades: int = 1
    """Nodes at a time; 0: no limit."""
    drain: bool = False
    """Drain the node first, which ends every job on it."""


DRIVER = r"^(v?[0-9]{3}([.][0-9]+)*([-+][A-Za-z0-9._-]+)?|sha256:[0-9a-f]{64})$"
"""A release, a branch of precompiled drivers, or a digest; the operator puts it into an image's name as it is."""


class GpuOperatorSection(HelmSection):
    """What a cluster chooses about its GPU stack."""

    kernel_modules: Literal["open", "auto", "proprietary"] = "open"
    """Open modules are what DMA-BUF, GDS and Blackwell need."""
    driver_version: Annotated[str, Field(pattern=DRIVER)] | None = None
    """Driver instead of the chart's own, such as `595.91.07`."""
    mig_strategy: Literal["single", "mixed", "none"] | None = None
    """By default `mixed` where a pool has `mig`, else `single`."""
    gds: bool = False
    """GPUDirect Storage: NVMe, NVMe-oF and NFS over RDMA; not Lustre."""
    gdrcopy: bool = False
    """Low-latency copies for small messages; a container beside the driver."""
    cdi: bool | None = None
    """Container Device Interface; absent: the chart's default (on since v25.10.0)."""
    umad_in_image: bool = False
    """The node image loads `mlx5_core` and `ib_umad` at boot, which the driver of HGX B200 and B300 waits for; needed
    there without DOCA-OFED."""
    upgrade: DriverUpgrade = DriverUpgrade()
    ready_timeout: Seconds = 3600
    """How long all nodes may take to be ready; compiling the driver takes 10 to 20 minutes a node."""


class GpuOperator(Component[GpuOperatorSection], token="bedplate:operators:GpuOperator"):
    """Turns a GPU node into one that schedules `nvidia.com/gpu`."""

    namespace: pulumi.Output[str]
    """Where the operator and its operands run."""

    def _declare(self, args: Args[GpuOperatorSection], child: pulumi.ResourceOptions) -> dict[str, Any]:
        home = namespace(CHART.namespace, "privileged", child)
        self.namespace = home.metadata.name
        if args.facts.platform == "gke":
            critical_pods_quota(self.namespace, child)
        if kernel_parameters(args.facts):
            kernel_module_config(self.namespace, child)
        if args.facts.monitoring:
            counters_config_map(args.facts.monitoring, self.namespace, child)
        CHART.release("gpu-operator", args, namespace=self.namespace, values=helm_values(args), opts=child)
        return {"namespace": self.namespace}


class GpuReady(Component[GpuOperatorSection], token="bedplate:operators:GpuReady"):
    """Holds back all that needs GPUs until `ClusterPolicy` reports every node's driver, plugin and validation ready."""

    def _declare(self, args: Args[GpuOperatorSection], child: pulumi.ResourceOptions) -> None:
        gate(
            "gpu-operator-ready",
            api_version="nvidia.com/v1",
            kind="ClusterPolicy",
            metadata={"name": "cluster-policy"},
            condition=state(args.facts),
            guards=guards(args),
            timeout=args.section.ready_timeout,
            opts=child,
        )


def guards(args: Args[GpuOperatorSection]) -> str:
    """Changes with everything that the operator is told."""
    return CHART.guards(args, helm_values(args))


def critical_pods_quota(home: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
    """GKE admits critical pods outside kube-system only under a quota that names their class (google-gke.rst)."""
    critical = ["system-node-critical", "system-cluster-critical"]
    selector: Any = {"operator": "In", "scope_name": "PriorityClass", "values": critical}
    k8s.core.v1.ResourceQuota(
        "gpu-operator-critical-pods",
        metadata={"name": "gpu-operator-critical-pods", "namespace": home},
        spec={"hard": {"pods": "10000"}, "scope_selector": {"match_expressions": [selector]}},
        opts=opts,
    )


def helm_values(args: Args[GpuOperatorSection]) -> dict[str, Any]:
    """The chart's vocabulary at the version that will be installed."""
    section, facts = args.section, args.facts
    return {
        "nfd": {"enabled": False},
        "operator": {
            "runtimeClass": facts.ownership.runtime_class,
            **operator_metrics_values(facts, CHART.at(section).version),
        },
        "daemonsets": {"tolerations": facts.tolerations},
        "driver": driver_values(section, facts, CHART.at(section).version),
        "toolkit": toolkit_values(facts),
        **({"hostPaths": {"driverInstallDir": facts.ownership.install_dir}} if facts.ownership.install_dir else {}),
        "devicePlugin": device_plugin_values(section, facts),
        "mig": {"strategy": section.mig_strategy or ("mixed" if any(p.cut for p in facts.pools) else "single")},
        "migManager": mig_manager_values(facts),
        **({"cdi": {"enabled": section.cdi}} if section.cdi is not None else {}),
        "gds": {"enabled": section.gds},
        "gdrcopy": {"enabled": section.gdrcopy},
        **discovery_values(CHART.at(section).version),
        "dcgmExporter": dcgm_exporter_values(facts),
    }


def mig_manager_values(facts: Facts) -> dict[str, Any]:
    """Cuts the GPUs of pools that ask for it.

    A virtual machine of a cloud may not reset its GPUs, so there it starts the node anew (gpu-operator docs,
    gpu-operator-mig: WITH_REBOOT).
    """
    if not any(pool.cut for pool in facts.pools):
        return {"enabled": False}
    restarts = {"env": [{"name": "WITH_REBOOT", "value": "true"}]} if PLATFORMS[facts.platform].cloud else {}
    return {"enabled": True, **mig_config(facts), **restarts}


def dcgm_exporter_values(facts: Facts) -> dict[str, Any]:
    """The exporter always runs; with our counters and a ServiceMonitor where somebody scrapes it.

    Before v26.7.0 a ServiceMonitor without its CRD keeps ClusterPolicy from ever being ready.
    """
    monitor = {"enabled": True, "serviceMonitor": service_monitor(facts.monitoring)}
    return monitor | ({"config": {"name": config_map_name(facts.monitoring)}} if facts.monitoring else {})


def operator_metrics_values(facts: Facts, version: str) -> dict[str, Any]:
    """The labels that the site's Prometheus wants on the operator's own ServiceMonitor, which it makes in any case."""
    if not (facts.monitoring and facts.monitoring.labels and line(version) >= LABELLED_MONITOR_SINCE):
        return {}
    return {"metrics": {"serviceMonitor": {"additionalLabels": dict(facts.monitoring.labels)}}}


def driver_values(section: GpuOperatorSection, facts: Facts, version: str) -> dict[str, Any]:
    """The driver's part; only its switch where the node image or the cloud owns the driver."""
    if not facts.ownership.driver:
        return {"enabled": False}
    return {
        "enabled": True,
        **kernel_module_values(section, version),
        **({"kernelModuleConfig": {"name": KERNEL_MODULE_CONFIG}} if kernel_parameters(facts) else {}),
        **({"version": section.driver_version} if section.driver_version else {}),
        # DMA-BUF needs no key; nvidia-peermem is the legacy path (gpu-operator docs, gpu-operator-rdma).
        "rdma": {"enabled": facts.gpu_direct == "peermem", "useHostMofed": facts.host_ofed},
        "upgradePolicy": {
            "autoUpgrade": section.upgrade.auto_upgrade,
            "maxParallelUpgrades": section.upgrade.max_parallel_upgrades,
            "drain": {"enable": section.upgrade.drain},
        },
    }


def kernel_parameters(facts: Facts) -> bool:
    """Grace and its NICs hang on different PCI roots, and the driver would refuse GPUDirect between them (aicr)."""
    return facts.ownership.driver and any(0 < pool.gpus < pool.nvlink_domain for pool in facts.pools)


def kernel_module_config(home: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
    """Parameters of the kernel module, by the name that the driver container looks for."""
    k8s.core.v1.ConfigMap(
        KERNEL_MODULE_CONFIG,
        metadata={"name": KERNEL_MODULE_CONFIG, "namespace": home},
        data={"nvidia.conf": "NVreg_GrdmaPciTopoCheckOverride=1\n"},
        opts=opts,
    )


def kernel_module_values(section: GpuOperatorSection, version: str) -> dict[str, Any]:
    """The key for open modules that this chart version honours (NVIDIA/gpu-operator#1199)."""
    if line(version) >= KERNEL_MODULE_TYPE_SINCE:
        return {"kernelModuleType": section.kernel_modules}
    return {"useOpenKernelModules": section.kernel_modules != "proprietary"}


def toolkit_values(facts: Facts) -> dict[str, Any]:
    """The container toolkit, told where the distribution keeps containerd."""
    if not facts.ownership.toolkit:
        return {"enabled": False}
    install = {"installDir": facts.ownership.install_dir} if facts.ownership.install_dir else {}
    return {"enabled": True, **install, **_env(facts.ownership.toolkit_env)}


def device_plugin_values(section: GpuOperatorSection, facts: Facts) -> dict[str, Any]:
    """Who advertises GPUs and nothing else, how they are shared, and where the node keeps what it calls."""
    owned = facts.ownership
    storage = section.gds or not owned.driver
    env = {**owned.device_plugin_env, **(NO_HCAS if storage else {})}
    return {"enabled": owned.device_plugin, **_env(env), **device_plugin_config(facts)}


def _env(variables: Mapping[str, str]) -> dict[str, Any]:
    return {"env": [{"name": key, "value": value} for key, value in variables.items()]} if variables else {}
