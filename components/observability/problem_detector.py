"""Node Problem Detector: says on each node what is wrong with it, as conditions that people and engines read.

It changes nothing else: whoever acts is `health.level`'s. Our checks are its custom plugins (`detector/check.sh`); the
kernel's log is read by monitors that it brings. Events name each Xid as it comes; conditions follow within a minute.
"""

import json
from pathlib import Path
from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.observability.conditions import OWN_DETECTOR, Condition, conditions
from bedplate.components.section import HelmSection

CHART = Chart.of("node-problem-detector")
FOLDER = "/custom-config"
"""Where the chart mounts what it is given (templates/daemonset.yaml)."""
MONITORS = ("/config/kernel-monitor.json", "/config/readonly-monitor.json")
"""Those of its image (Dockerfile), for conditions of the kernel."""
SCRIPT = Path(__file__).parent / "detector" / "check.sh"
HOST = "/host"
CLOCK = {"invoke_interval": "60s", "timeout": "90s", "max_output_length": 256, "concurrency": 3}
"""A driver that hangs keeps nvidia-smi for 30 seconds, and two of the checks ask it twice."""
RUNS: dict[str, Any] = {
    "limits": {"cpu": "200m", "memory": "256Mi"},
    "requests": {"cpu": "20m", "memory": "80Mi"},
}


class NodeProblemDetectorSection(HelmSection):
    """How problems of nodes are found."""


class NodeProblemDetector(
    Installed[NodeProblemDetectorSection],
    token="bedplate:observability:NodeProblemDetector",
    release="node-problem-detector",
    level="privileged",
    constraints="privileged",
):
    """One pod a node, of every pool."""

    # It reads /dev/kmsg, and runs the node's own nvidia-smi in the node's root.


def helm_values(args: Args[NodeProblemDetectorSection]) -> dict[str, Any]:
    """On every node whatever its taints, a sick one above all, with our checks (chart 2.4.1)."""
    plugins = [one for one in conditions(args.facts) if one.check]
    files = {"xid": xid_events()} | ({"checks": plugin_monitor(plugins)} if plugins else {})
    driver = args.facts.ownership.install_dir
    return {
        "fullnameOverride": "node-problem-detector",
        "settings": {
            "log_monitors": [*(() if args.facts.platform in OWN_DETECTOR else MONITORS), f"{FOLDER}/xid"],
            "custom_plugin_monitors": [f"{FOLDER}/checks"] if plugins else [],
            "custom_monitor_definitions": {
                **{name: json.dumps(monitor, indent=1) for name, monitor in files.items()},
                **({"check": SCRIPT.read_text(encoding="utf-8")} if plugins else {}),
            },
        },
        # It would make the file where there is none, which a read-only system refuses; times are UTC.
        "volume": {"localtime": {"enabled": False}},
        "tolerations": [{"operator": "Exists"}],
        "resources": RUNS,
        "maxUnavailable": "10%",
        "env": [{"name": "HOST", "value": HOST}, *([{"name": "DRIVER_DIR", "value": driver}] if driver else [])],
        "extraVolumes": [{"name": "host", "hostPath": {"path": "/"}}],
        "extraVolumeMounts": [
            # The driver's container mounts its root long after this pod has started.
            {"name": "host", "mountPath": HOST, "readOnly": True, "mountPropagation": "HostToContainer"}
        ],
    }


def plugin_monitor(plugins: list[Condition]) -> dict[str, Any]:
    """The monitor of our checks (docs/custom_plugin_monitor.md of the detector)."""
    return {
        "plugin": "custom",
        "pluginConfig": CLOCK,
        "source": "bedplate-checks",
        "metricsReporting": True,
        "conditions": [{"type": one.type, "reason": f"No{one.type}", "message": one.sound} for one in plugins],
        "rules": [
            {
                "type": "permanent",
                "condition": one.type,
                "reason": one.type,
                "path": f"{FOLDER}/check",
                "args": list(one.check),
            }
            for one in plugins
        ],
    }


def xid_events() -> dict[str, Any]:
    """An event for each Xid of whatever kind, as it comes."""
    return {
        "plugin": "kmsg",
        "logPath": "/dev/kmsg",
        "lookback": "5m",
        "bufferSize": 10,
        "source": "bedplate-xid",
        "metricsReporting": True,
        "conditions": [],
        "rules": [{"type": "temporary", "reason": "GpuXid", "pattern": r"NVRM: Xid \(PCI:.*"}],
    }
