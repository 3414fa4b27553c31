"""For every alert, series that fire it and series that must not, as promtool takes them (`0+1x5`: 0 1 2 3 4 5)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bedplate.components.facts import Health, Monitoring
from bedplate.components.observability.alerts.alert import Group
from bedplate.components.observability.alerts.fabric import devices
from bedplate.components.observability.alerts.groups import every_group
from tests import ledger_series
from tests.stack_files import known

Series = dict[str, str]
GPU = 'node="n1",gpu="3"'


@dataclass(frozen=True)
class Case:
    """What is scraped every minute, when to look, and whether it fires then."""

    fires: Series
    silent: Series
    at: str


def gpu(metric: str, values: str, labels: str = GPU) -> Series:
    return {f"{metric}{{{labels}}}": values}


def xid(number: int, values: str) -> Series:
    return gpu("DCGM_EXP_XID_ERRORS_COUNT", values, f'{GPU},xid="{number}"')


NO_XID = gpu("DCGM_EXP_XID_ERRORS_COUNT", "0x10")
"""The exporter writes a zero without the label while nothing has happened."""


def capacity(count: int, node: str = "n1", resource: str = "nvidia_com_gpu") -> Series:
    return {f'kube_node_status_capacity{{node="{node}",resource="{resource}"}}': f"{count}x60"}


def allocatable(count: int, node: str = "n1") -> Series:
    return {f'kube_node_status_allocatable{{node="{node}",resource="nvidia_com_gpu"}}': f"{count}x60"}


def condition(kind: str, minutes: int, nodes: int = 1) -> Series:
    """As kube-state-metrics writes it: so long true, on so many nodes."""
    told = f'condition="{kind}",status="true"'
    values = f"1x{minutes} 0x60"
    return {f'kube_node_status_condition{{node="n{number}",{told}}}': values for number in range(nodes)}


def detector(missing: int) -> Series:
    of = '{namespace="node-problem-detector",daemonset="node-problem-detector"}'
    return {f"kube_daemonset_status_number_unavailable{of}": f"{missing}x60"}


def all_nodes(count: int) -> Series:
    return {key: value for index in range(count) for key, value in allocatable(8, f"n{index}").items()}


def port(metric: str, values: str, device: str = "mlx5_0") -> Series:
    return {f'node_infiniband_{metric}{{instance="n1:9100",device="{device}",port="1"}}': values}


def queue(metric: str, values: str, labels: str) -> Series:
    return {f'kueue_{metric}{{cluster_queue="research",{labels}}}': values}


def vllm(metric: str, values: str, service: str = "llama", pod: str = "llama-6d4cf56db6-x2x4z") -> Series:
    """With the labels of a scrape by the server's ServiceMonitor."""
    target = f'namespace="serving",service="{service}",pod="{pod}",container="server",endpoint="http",job="{service}"'
    return {f'vllm:{metric}{{{target},instance="10.0.0.7:8000",engine="0",model_name="llama"}}': values}


def hpa(desired: int, name: str = "llama") -> Series:
    """As kube-state-metrics writes it, with KEDA's name or ours."""
    target = 'job="kube-state-metrics",service="kube-state-metrics",endpoint="http",container="kube-state-metrics"'
    of = f'{{{target},namespace="serving",horizontalpodautoscaler="{name}"}}'
    return {
        f"kube_horizontalpodautoscaler_status_desired_replicas{of}": f"{desired}x60",
        f"kube_horizontalpodautoscaler_spec_max_replicas{of}": "6x60",
    }


def efa(metric: str, values: str, device: str = "rdmap79s0") -> Series:
    """As awslabs' exporter writes it, with the target of the stack's own monitor."""
    target = 'job="node-exporter",namespace="monitoring",endpoint="http-metrics",container="node-exporter",node="n1"'
    return {f'node_amazonefa_{metric}{{{target},instance="10.0.0.5:9100",device="{device}",port="1"}}': values}


def offered(resource: str, count: int, node: str = "n1") -> Series:
    return {f'kube_node_status_allocatable{{node="{node}",resource="{resource}",unit="integer"}}': f"{count}x60"}


def volume(used: str, claim: str = "checkpoints", node: str = "n1", part: str = "bytes") -> Series:
    """Of a file system of 100, as the kubelet of one node writes it; the claim's namespace wins (honorLabels)."""
    names = {"bytes": ("used_bytes", "capacity_bytes"), "inodes": ("inodes_used", "inodes")}[part]
    target = f'job="kubelet",metrics_path="/metrics",endpoint="https-metrics",node="{node}",instance="{node}:10250"'
    of = f'{{{target},namespace="research",persistentvolumeclaim="{claim}"}}'
    return {f"kubelet_volume_stats_{names[0]}{of}": used, f"kubelet_volume_stats_{names[1]}{of}": "100x60"}


def triton(metric: str, values: str, service: str = "embed", pod: str = "embed-5c7d-x2x4z", more: str = "") -> Series:
    """With the labels of a scrape by the server's ServiceMonitor; failures have a reason besides."""
    target = (
        f'namespace="serving",service="{service}",pod="{pod}",container="server",endpoint="metrics",job="{service}"'
    )
    return {f'nv_inference_{metric}{{{target},instance="10.0.0.8:8002",model="bge",version="1"{more}}}': values}


def failing(**reasons: str) -> Series:
    """Ten requests a minute are answered, and so many fail."""
    failed = [triton("request_failure", values, more=f',reason="{why}"') for why, values in reasons.items()]
    return triton("request_success", "0+10x60") | {key: value for one in failed for key, value in one.items()}


def counter(name: str) -> Case:
    """One more in the middle, and none."""
    return Case(gpu(name, "0x5 1x10"), gpu(name, "7x15"), "8m")


def rules() -> Iterator[Group]:
    """Of one cluster that has everything: the reference's, and EFA of another."""
    monitoring = Monitoring("", "", nvlink5=True, volumes=("datasets", "checkpoints"))
    health = Health(repairs=False, percent=20, at_once=1)
    yield from every_group(replace(known("onprem-h100-roce"), monitoring=monitoring, health=health))
    yield from devices(known("eks-p5"))


CASES: dict[str, Case] = {
    "EtcdFills": Case(
        {'apiserver_storage_size_bytes{storage_cluster_id="a"}': f"{7 * 1024**3}x20"},
        {'apiserver_storage_size_bytes{storage_cluster_id="a"}': f"{1024**3}x20"},
        "10m",
    ),
    "GpuXidIsolate": Case(xid(54, "1x5"), xid(79, "1x5"), "2m"),
    # Five minutes are all that the exporter shows; the alert outlives them.
    "GpuXidReboot": Case(xid(79, "1x5 0x60"), NO_XID, "30m"),
    "GpuXidReset": Case(xid(119, "1x5"), xid(31, "1x5"), "2m"),
    "GpuXidApplication": Case(xid(31, "2x5"), xid(48, "1x5"), "2m"),
    "GpuXidUnclassified": Case(xid(999, "1x5"), NO_XID, "2m"),
    "GpuUncorrectableEcc": counter("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"),
    "GpuRowRemapFailure": Case(
        gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE", "1x5"), gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE", "0x5"), "1m"
    ),
    "GpuRowRemapPending": Case(
        gpu("DCGM_FI_DEV_ROW_REMAP_PENDING", "1x20"), gpu("DCGM_FI_DEV_ROW_REMAP_PENDING", "1x3 0x20"), "10m"
    ),
    "GpuNvlinkRecovery": counter("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL"),
    "GpuNvlinkErrors": Case(
        gpu("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "0+1x60"),
        gpu("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "9x60"),
        "40m",
    ),
    "GpuNvlinkRecoveryFailed": counter("DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS"),
    "GpuNvlink5Errors": Case(
        gpu("DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS", "0+1x60"), gpu("DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS", "9x60"), "40m"
    ),
    "GpuFabricNotJoined": Case(
        gpu("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", "4x60"), gpu("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", "3x60"), "30m"
    ),
    # Nanoseconds a minute: 6e9 are a tenth of the time, 6e8 a hundredth.
    "GpuThermalThrottling": Case(
        gpu("DCGM_FI_DEV_THERMAL_VIOLATION", "0+6000000000x60"),
        gpu("DCGM_FI_DEV_THERMAL_VIOLATION", "0+600000000x60"),
        "40m",
    ),
    "GpuPowerThrottling": Case(
        gpu("DCGM_FI_DEV_POWER_VIOLATION", "0+48000000000x60"),
        gpu("DCGM_FI_DEV_POWER_VIOLATION", "0+12000000000x60"),
        "55m",
    ),
    "NodeGpuUnhealthy": Case(capacity(8) | allocatable(7), capacity(8) | allocatable(8), "10m"),
    "NodeGpuCountShort": Case(capacity(7), capacity(8), "20m"),
    "ClusterGpuCountShort": Case(all_nodes(7), all_nodes(8), "40m"),
    "NodeGpuUnwatched": Case(
        capacity(8) | {'DCGM_FI_DEV_GPU_TEMP{node="n2",gpu="0"}': "40x60"},
        capacity(8) | {'DCGM_FI_DEV_GPU_TEMP{node="n1",gpu="0"}': "40x60"},
        "20m",
    ),
    "NodeNeedsReplacement": Case(condition("RdmaPortDown", 10), condition("GpuXidReboot", 10), "5m"),
    "NodeNeedsReboot": Case(condition("GpuMissing", 10), condition("GpuMissing", 1), "5m"),
    "NodeNeedsReset": Case(condition("GpuMemoryFault", 10), condition("MemoryPressure", 10), "5m"),
    "NodeDegraded": Case(condition("GpuSlowed", 30), condition("GpuSlowed", 10), "20m"),
    # A fifth of eleven nodes are two.
    "NodesSickTogether": Case(condition("RdmaPortDown", 10, 3), condition("RdmaPortDown", 10, 2), "5m"),
    "NodeProblemDetectorDown": Case(detector(1), detector(0), "20m"),
    # mlx5_1 is a management port, which the profile does not name.
    "RdmaPortDown": Case(port("state_id", "1x10"), port("state_id", "1x10", "mlx5_1") | port("state_id", "4x10"), "5m"),
    "RdmaLinkFlapping": Case(port("link_downed_total", "0+1x60"), port("link_downed_total", "5x60"), "30m"),
    "RdmaLinkSlow": Case(
        port("rate_bytes_per_second", "25000000000x30"), port("rate_bytes_per_second", "50000000000x30"), "15m"
    ),
    "RoceLosesPackets": Case(
        port("packet_sequence_errors_total", "0+600x60"), port("packet_sequence_errors_total", "0+6x60"), "30m"
    ),
    # Node n2 has no GPUs, and n3's plugin is gone.
    "NodeFabricDevicesShort": Case(
        capacity(8, "n3") | offered("vpc_amazonaws_com_efa", 0, "n3"),
        capacity(8) | offered("vpc_amazonaws_com_efa", 32) | offered("vpc_amazonaws_com_efa", 1, "n2"),
        "20m",
    ),
    "EfaRemoteUnresponsive": Case(
        efa("unresponsive_remote_events", "0x10 1x20"), efa("unresponsive_remote_events", "7x30"), "15m"
    ),
    "EfaPathImpaired": Case(
        efa("impaired_remote_conn_events", "0x10 1x20"), efa("impaired_remote_conn_events", "7x30"), "15m"
    ),
    "EfaDropsPackets": Case(efa("rx_drops", "0+120x40"), efa("rx_drops", "0+6x40"), "30m"),
    # An older device has no RDMA write.
    "EfaRdmaFails": Case(efa("rdma_read_wr_err", "0x10 1x20"), efa("rdma_read_wr_err", "7x30"), "15m"),
    "SharedVolumeFilling": Case(
        volume("90x60") | volume("90x60", node="n2"), volume("79x60") | volume("99x60", "prometheus-db"), "40m"
    ),
    "SharedVolumeManyFiles": Case(volume("90x60", part="inodes"), volume("20x60", part="inodes"), "40m"),
    "ClusterPolicyNotReady": Case(
        {'kube_customresource_clusterpolicy_state{name="cluster-policy",state="ready"}': "0x60"},
        {'kube_customresource_clusterpolicy_state{name="cluster-policy",state="ready"}': "1x60"},
        "40m",
    ),
    "NicClusterPolicyNotReady": Case(
        {'kube_customresource_nicclusterpolicy_state{name="nic-cluster-policy",state="ready"}': "0x60"},
        {'kube_customresource_nicclusterpolicy_state{name="nic-cluster-policy",state="ready"}': "0x20 1x40"},
        "40m",
    ),
    "GpuOperatorReconciliationFailing": Case(
        {"gpu_operator_reconciliation_status": "0x90"}, {"gpu_operator_reconciliation_status": "1x90"}, "80m"
    ),
    "GpuDriverUpgradeFailed": Case(
        {"gpu_operator_nodes_upgrades_failed": "1x30"}, {"gpu_operator_nodes_upgrades_failed": "0x30"}, "20m"
    ),
    "KueuePendingTooLong": Case(
        queue("pending_workloads", "3x150", 'status="active"') | queue("admitted_workloads_total", "5x150", ""),
        queue("pending_workloads", "3x150", 'status="active"') | queue("admitted_workloads_total", "0+1x150", ""),
        "140m",
    ),
    "KueueInadmissible": Case(
        queue("pending_workloads", "1x1500", 'status="inadmissible"'),
        queue("pending_workloads", "1x1500", 'status="active"'),
        "1450m",
    ),
    "KueueQueueInactive": Case(
        queue("cluster_queue_status", "0x30", 'status="active"'),
        queue("cluster_queue_status", "1x30", 'status="active"'),
        "20m",
    ),
    "KueuePodsNeverReady": Case(
        queue("evicted_workloads_total", "0+1x60", 'reason="PodsReadyTimeout"'),
        queue("evicted_workloads_total", "0+1x60", 'reason="Preempted"'),
        "30m",
    ),
    "TeamHoldsMoreThanCounted": Case(ledger_series.FORGED, ledger_series.SOUND, "20m"),
    "TeamCountedForMoreThanItHolds": Case(ledger_series.AWAY, ledger_series.SOUND, "380m"),
    "VolcanoPendingTooLong": Case(
        {"volcano_unschedule_job_count": "2x150"}, {"volcano_unschedule_job_count": "2x60 0x90"}, "140m"
    ),
    "VolcanoQueueOverused": Case(
        {'volcano_queue_overused{queue_name="a"}': "1x400"}, {'volcano_queue_overused{queue_name="a"}': "0x400"}, "380m"
    ),
    "VllmQueueNeverEmpty": Case(
        vllm("num_requests_waiting", "4x30"), vllm("num_requests_waiting", "4x10 0x2 4x18"), "20m"
    ),
    "VllmKvCacheFull": Case(vllm("kv_cache_usage_perc", "0.99x60"), vllm("kv_cache_usage_perc", "0.8x60"), "30m"),
    "VllmPreempts": Case(vllm("num_preemptions_total", "0+30x60"), vllm("num_preemptions_total", "0+1x60"), "30m"),
    "TritonQueueNeverEmpty": Case(
        triton("pending_request_count", "4x30") | triton("pending_request_count", "1x30", pod="embed-5c7d-aaaaa"),
        triton("pending_request_count", "4x30") | triton("pending_request_count", "0x30", pod="embed-5c7d-aaaaa"),
        "20m",
    ),
    "TritonRequestsFail": Case(
        failing(BACKEND="0+1x60", OTHER="0+1x60"), failing(BACKEND="0x60", CANCELED="0+5x60"), "40m"
    ),
    "TritonServersAtMaximum": Case(
        hpa(6, "keda-hpa-embed") | triton("pending_request_count", "5x60"),
        hpa(6, "keda-hpa-embed")
        | triton("pending_request_count", "0x60")
        | triton("pending_request_count", "5x60", "embed-large", "embed-large-0"),
        "40m",
    ),
    # Another server of the namespace, whose name begins alike, waits.
    "ServersAtMaximum": Case(
        hpa(6) | vllm("num_requests_waiting", "5x60"),
        hpa(6) | vllm("num_requests_waiting", "0x60") | vllm("num_requests_waiting", "5x60", "llama-8b", "llama-8b-0"),
        "40m",
    ),
}
