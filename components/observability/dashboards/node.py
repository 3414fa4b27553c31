"""One node: its eight GPUs side by side, because one slow GPU slows a whole job."""

from bedplate.components.observability.dashboards.panel import Dashboard, Row, Variable, chart

DCGM = frozenset({"dcgm"})
HERE = '{node=~"$node"}'
GPU = "{{node}} GPU {{gpu}}"

LOAD = Row(
    "Load",
    DCGM,
    (
        chart("Utilisation", f"DCGM_FI_DEV_GPU_UTIL{HERE} / 100", GPU, "percentunit"),
        chart("Memory used", f"DCGM_FI_DEV_FB_USED{HERE}", GPU, "mbytes"),
        chart("SM clock", f"DCGM_FI_DEV_SM_CLOCK{HERE} * 1e6", GPU, "hertz"),
        chart("Power", f"DCGM_FI_DEV_POWER_USAGE{HERE}", GPU, "watt"),
        chart("Temperature", f"DCGM_FI_DEV_GPU_TEMP{HERE}", GPU, "celsius"),
        chart("Memory temperature", f"DCGM_FI_DEV_MEMORY_TEMP{HERE}", GPU, "celsius"),
    ),
)

FAULTS = Row(
    "Faults",
    DCGM,
    (
        chart("Xid events", f"DCGM_EXP_XID_ERRORS_COUNT{HERE} > 0", f"{GPU} Xid {{{{xid}}}}"),
        chart("Slowed by heat", f"rate(DCGM_FI_DEV_THERMAL_VIOLATION{HERE}[5m]) / 1e9", GPU, "percentunit"),
        chart("Held at power limit", f"rate(DCGM_FI_DEV_POWER_VIOLATION{HERE}[5m]) / 1e9", GPU, "percentunit"),
        chart("Correctable ECC", f"increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{HERE}[1h])", GPU),
        chart("Uncorrectable ECC", f"increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{HERE}[1h])", GPU),
        chart("Rows remapped", f"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{HERE}", GPU),
        chart("NVLink retries", f"increase(DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL{HERE}[1h])", GPU),
        chart("NVLink recoveries", f"increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{HERE}[1h])", GPU),
        chart("PCIe retries", f"increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{HERE}[1h])", GPU),
    ),
)

HOST = Row(
    "Host",
    frozenset({"node-exporter"}),
    (
        chart(
            "CPU",
            f'1 - avg by (node) (rate(node_cpu_seconds_total{{mode="idle",{HERE[1:-1]}}}[5m]))',
            "{{node}}",
            "percentunit",
        ),
        chart("Memory free", f"node_memory_MemAvailable_bytes{HERE}", "{{node}}", "bytes"),
        chart("Load", f"node_load1{HERE}", "{{node}}"),
    ),
)

NODE = Dashboard(
    "bedplate-node",
    "GPU node",
    "GPUs of a node side by side.",
    (LOAD, FAULTS, HOST),
    (Variable("node", "DCGM_FI_DEV_GPU_TEMP", "node"),),
)
