"""Alerts on GPUs: Xid events, memory, NVLink, heat and power.

Labels: `node` and, on a GPU in use, `namespace` and `pod` of the workload (see `dcgm_exporter.service_monitor`).
"""

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Action, Alert, Group, Severity
from bedplate.components.observability.alerts.xids import APPLICATION, CLASSIFIED, ISOLATE, REBOOT, RESET, any_of

WHERE = "GPU {{ $labels.gpu }} of {{ $labels.node }}"
DRAIN = "Cordon and drain {{ $labels.node }}"
EVENT_KEPT = "1h"
"""An Xid stays in the exporter's window for five minutes only, which nobody should have to catch."""


def gpu(facts: Facts) -> Group:
    """Everything that DCGM says about a GPU's health."""
    links = NVLINK5 if facts.monitoring and facts.monitoring.nvlink5 else ()
    return Group("gpu", frozenset({"dcgm"}), (*XIDS, *MEMORY, *NVLINK, *links, FABRIC, *THROTTLING))


def _xid(name: str, matcher: str, severity: Severity, action: Action, what_to_do: str) -> Alert:
    return Alert(
        name,
        f"DCGM_EXP_XID_ERRORS_COUNT{{{matcher}}} > 0",
        f"Xid {{{{ $labels.xid }}}} on {WHERE}",
        what_to_do,
        severity,
        action,
        keep=EVENT_KEPT,
    )


XIDS = (
    _xid(
        "GpuXidIsolate",
        f'xid=~"{any_of(ISOLATE)}"',
        "critical",
        "isolate",
        f"{DRAIN}, then check power connectors and risers or have the machine replaced.",
    ),
    _xid(
        "GpuXidReboot",
        f'xid=~"{any_of(REBOOT)}"',
        "critical",
        "reboot",
        f"{DRAIN} and reboot it; if it comes back, replace it.",
    ),
    _xid(
        "GpuXidReset",
        f'xid=~"{any_of(RESET)}"',
        "critical",
        "reset",
        f"{DRAIN} and reset the GPU (`nvidia-smi --gpu-reset`); an A100 needs a reboot for 64 and 95.",
    ),
    _xid(
        "GpuXidApplication",
        f'xid=~"{any_of(APPLICATION)}"',
        "info",
        "monitor",
        "A fault of the program in {{ $labels.namespace }}/{{ $labels.pod }}; the GPU needs nothing.",
    ),
    _xid(
        "GpuXidUnclassified",
        f'xid!="",xid!~"{any_of(CLASSIFIED)}"',
        "warning",
        "monitor",
        "Look it up in NVIDIA's XID catalog.",
    ),
)

MEMORY = (
    Alert(
        "GpuUncorrectableEcc",
        "increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[15m]) > 0",
        f"Uncorrectable memory errors on {WHERE}",
        f"{DRAIN} and reset the GPU.",
        "critical",
        "reset",
        keep=EVENT_KEPT,
    ),
    Alert(
        "GpuRowRemapFailure",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE > 0",
        f"{WHERE} has no spare rows left for a failed one",
        f"{DRAIN} and have the GPU replaced.",
        "critical",
        "isolate",
    ),
    Alert(
        "GpuRowRemapPending",
        "DCGM_FI_DEV_ROW_REMAP_PENDING > 0",
        f"{WHERE} remaps a memory row at its next reset",
        "Reset the GPU when its job has ended; until then the error can come again.",
        "warning",
        "reset",
        hold="5m",
    ),
)

NVLINK = (
    Alert(
        "GpuNvlinkRecovery",
        "increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[15m]) > 0",
        f"NVLink of {WHERE} went down and recovered",
        "Jobs across it stall or fail. `nvidia-smi nvlink -e` names the link; drain and reset if it goes on.",
        "critical",
        "reset",
        keep=EVENT_KEPT,
    ),
    Alert(
        "GpuNvlinkErrors",
        "increase(DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL[15m]) > 0"
        " or increase(DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL[15m]) > 0",
        f"NVLink of {WHERE} repeats data",
        "Bandwidth suffers before the link fails. Look at `nvidia-smi nvlink -e` and the baseboard's seating.",
        hold="15m",
    ),
)

NVLINK5 = (
    Alert(
        "GpuNvlinkRecoveryFailed",
        "increase(DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS[15m]) > 0",
        f"An NVLink of {WHERE} went down and stayed down",
        f"{DRAIN} and reset the GPU; if it goes on, the board or the switch tray.",
        "critical",
        "reset",
        keep=EVENT_KEPT,
    ),
    Alert(
        "GpuNvlink5Errors",
        "increase(DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS[15m]) > 0"
        " or increase(DCGM_FI_DEV_NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS[15m]) > 0"
        " or increase(DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS[15m]) > 0",
        f"NVLink of {WHERE} has errors",
        "Bandwidth suffers before the link fails. Look at `nvidia-smi nvlink -e` and the baseboard's seating.",
        hold="15m",
    ),
)

FABRIC = Alert(
    "GpuFabricNotJoined",
    "DCGM_FI_DEV_FABRIC_MANAGER_STATUS == 4 or DCGM_FI_DEV_FABRIC_MANAGER_STATUS == 1",
    f"{WHERE} has not joined the NVSwitch fabric",
    "CUDA does not start on it. Look at the fabric manager of the node (on rack-scale systems of the domain).",
    "critical",
    "reboot",
    hold="15m",
)
"""1: not started, 4: failed (DCGM, dcgmFabricManagerStatus_t)."""

THROTTLING = (
    Alert(
        "GpuThermalThrottling",
        "rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m]) / 1e9 > 0.05",
        f"{WHERE} is slowed by heat {{{{ $value | humanizePercentage }}}} of the time",
        "One slow GPU slows its whole job. Look at fans, inlet temperature and the coolant.",
        hold="10m",
    ),
    Alert(
        "GpuPowerThrottling",
        "rate(DCGM_FI_DEV_POWER_VIOLATION[15m]) / 1e9 > 0.5",
        f"{WHERE} is held at its power limit {{{{ $value | humanizePercentage }}}} of the time",
        "Usual under full load; a lone node that does it has a lower limit or a weak supply.",
        "info",
        hold="30m",
    ),
)
