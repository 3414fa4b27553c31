"""One job: are its GPUs busy, alike, and fed?"""

from bedplate.components.observability.dashboards.panel import Dashboard, Row, Variable, chart, number

DCGM = frozenset({"dcgm"})
PROFILING = frozenset({"dcgm", "dcgm-profiling"})
HERE = '{namespace=~"$namespace",pod=~"$pod"}'
GPU = "{{pod}} GPU {{gpu}}"

BUSY = Row(
    "GPUs",
    DCGM,
    (
        number("GPUs", f"count(DCGM_FI_DEV_GPU_UTIL{HERE})", width=6),
        number("Utilisation", f"avg(DCGM_FI_DEV_GPU_UTIL{HERE}) / 100", "percentunit", 6),
        number("Power", f"sum(DCGM_FI_DEV_POWER_USAGE{HERE})", "watt", 6),
        number("Slowest SM clock", f"min(DCGM_FI_DEV_SM_CLOCK{HERE}) * 1e6", "hertz", 6),
        chart("Utilisation", f"DCGM_FI_DEV_GPU_UTIL{HERE} / 100", GPU, "percentunit"),
        chart("Memory used", f"DCGM_FI_DEV_FB_USED{HERE}", GPU, "mbytes"),
        chart("Power", f"DCGM_FI_DEV_POWER_USAGE{HERE}", GPU, "watt"),
    ),
)

WORK = Row(
    "What they do",
    PROFILING,
    (
        chart("Tensor cores", f"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{HERE}", GPU, "percentunit", 12),
        chart("Memory", f"DCGM_FI_PROF_DRAM_ACTIVE{HERE}", GPU, "percentunit", 12),
        chart("NVLink sent", f"DCGM_FI_PROF_NVLINK_TX_BYTES{HERE}", GPU, "Bps", 12),
        chart("PCIe received", f"DCGM_FI_PROF_PCIE_RX_BYTES{HERE}", GPU, "Bps", 12),
    ),
)

RESTARTS = Row(
    "Pods",
    frozenset({"kube-state-metrics"}),
    (
        chart("Restarts", f"increase(kube_pod_container_status_restarts_total{HERE}[1h])", "{{pod}}", width=12),
        chart("Not ready", f'kube_pod_status_ready{{condition="false",{HERE[1:-1]}}} == 1', "{{pod}}", width=12),
    ),
)

JOB = Dashboard(
    "bedplate-job",
    "GPU job",
    "Are a job's GPUs busy, alike, and fed?",
    (BUSY, WORK, RESTARTS),
    (
        Variable("namespace", "DCGM_FI_DEV_GPU_UTIL", "namespace"),
        Variable("pod", "DCGM_FI_DEV_GPU_UTIL", "pod", 'namespace=~"$namespace"'),
    ),
)
