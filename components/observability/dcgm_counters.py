"""Which of DCGM's fields the exporter reads.

The exporter's own list lacks what tells a broken GPU from a busy one: Xid events, ECC, NVLink errors and throttling.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.facts import Monitoring


@dataclass(frozen=True)
class Counter:
    """One line of the exporter's list."""

    name: str
    kind: Literal["gauge", "counter", "label"]
    help: str


COUNTERS = (
    Counter("DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock (MHz)"),
    Counter("DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock (MHz)"),
    Counter("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (C)"),
    Counter("DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (C)"),
    Counter("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (W)"),
    Counter("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy since boot (mJ)"),
    Counter("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe retries"),
    Counter("DCGM_FI_DEV_GPU_UTIL", "gauge", "Time with any kernel running (%)"),
    Counter("DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory utilisation (%)"),
    Counter("DCGM_FI_DEV_FB_FREE", "gauge", "Memory free (MiB)"),
    Counter("DCGM_FI_DEV_FB_USED", "gauge", "Memory used (MiB)"),
    Counter("DCGM_FI_DEV_FB_RESERVED", "gauge", "Memory reserved (MiB)"),
    Counter("DCGM_FI_DEV_XID_ERRORS", "gauge", "Last Xid"),
    Counter("DCGM_EXP_XID_ERRORS_COUNT", "gauge", "Xid events in the last window"),
    Counter("DCGM_FI_DEV_POWER_VIOLATION", "counter", "Throttled by power (ns)"),
    Counter("DCGM_FI_DEV_THERMAL_VIOLATION", "counter", "Throttled by heat (ns)"),
    Counter("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "counter", "Single-bit ECC errors since the driver loaded"),
    Counter("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "Double-bit ECC errors since the driver loaded"),
    Counter("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for correctable errors"),
    Counter("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for uncorrectable errors"),
    Counter("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Remapping has failed"),
    Counter("DCGM_FI_DEV_ROW_REMAP_PENDING", "gauge", "Remapping waits for a reset"),
    Counter("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink traffic of all links"),
    Counter("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "counter", "NVLink flow-control CRC errors"),
    Counter("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "counter", "NVLink data CRC errors"),
    Counter("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "counter", "NVLink retries"),
    Counter("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "counter", "NVLink recoveries"),
    Counter("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", "gauge", "NVSwitch fabric: 3 joined; 4 failed"),
    Counter("DCGM_FI_DEV_FABRIC_MANAGER_ERROR_CODE", "gauge", "Why the GPU did not join the fabric"),
    Counter("DCGM_FI_DRIVER_VERSION", "label", "Driver version"),
)
NVLINK5 = (
    Counter("DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS", "counter", "NVLink 5 links that went to recovery"),
    Counter("DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", "counter", "NVLink 5 links that stayed down"),
    Counter("DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS", "counter", "NVLink 5 packets received with errors"),
    Counter("DCGM_FI_DEV_NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS", "counter", "NVLink 5 local errors over threshold"),
    Counter("DCGM_FI_DEV_NVLINK_COUNT_TX_DISCARDS", "counter", "NVLink 5 packets discarded in sending"),
    Counter("DCGM_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS", "counter", "NVLink 5 errors after correction"),
)
"""Blackwell's, which has none of the older ones (DCGM, dcgm_fields.h).

An exporter too old to know a name does not start (NVIDIA/dcgm-exporter, counter_config.go), so they are for clusters
with such GPUs alone."""
PROFILING = (
    Counter("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Share of time the engine is active"),
    Counter("DCGM_FI_PROF_SM_ACTIVE", "gauge", "Share of cycles an SM has work"),
    Counter("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Share of cycles the tensor pipe is active"),
    Counter("DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Share of cycles memory moves data"),
    Counter("DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "PCIe sent (bytes/s)"),
    Counter("DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "PCIe received (bytes/s)"),
    Counter("DCGM_FI_PROF_NVLINK_TX_BYTES", "gauge", "NVLink sent (bytes/s)"),
    Counter("DCGM_FI_PROF_NVLINK_RX_BYTES", "gauge", "NVLink received (bytes/s)"),
)
"""They hold the GPU's profiler: beside them Nsight and CUPTI fail on Ampere and older (NVIDIA/DCGM#56)."""


def counters(monitoring: Monitoring) -> tuple[Counter, ...]:
    """Everything the exporter will read."""
    further = ((NVLINK5, monitoring.nvlink5), (PROFILING, monitoring.profiling))
    return COUNTERS + tuple(one for group, wanted in further if wanted for one in group)


def csv(monitoring: Monitoring) -> str:
    """The list in the exporter's format; it splits at commas, so a help text has none."""
    return "".join(f"{c.name}, {c.kind}, {c.help}\n" for c in counters(monitoring))


def config_map_name(monitoring: Monitoring) -> str:
    """Named by its content, so that a new list restarts the exporter, which reads it once."""
    digest = hashlib.sha256(csv(monitoring).encode()).hexdigest()
    return f"dcgm-metrics-{digest[:8]}"


def counters_config_map(monitoring: Monitoring, home: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
    """The list as the GPU Operator wants it: the key `dcgm-metrics.csv` of a ConfigMap in its namespace."""
    name = config_map_name(monitoring)
    k8s.core.v1.ConfigMap(
        "dcgm-metrics",
        metadata={"name": name, "namespace": home},
        data={"dcgm-metrics.csv": csv(monitoring)},
        opts=opts,
    )
