"""Namespaces, and the settings and secrets in them."""

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import evicts, nothing, rolls

SECURITY = "Kubernetes docs: pod security admission, pod security standards"
CONFIG = "Kubernetes docs: ConfigMaps"
DASHBOARD = "grafana_dashboard"
_SHOWN = nothing("a dashboard: Grafana's sidecar loads it", "Grafana chart: sidecar.dashboards")
LEVELS = ("privileged", "baseline", "restricted")


def enforced(_: Change, field: Field) -> Judgement:
    """A stricter level refuses pods that are made later, also those of jobs that run and lose one."""
    old, new = (LEVELS.index(value) if value in LEVELS else 0 for value in (field.old, field.new))
    if new <= old and field.new in (None, *LEVELS):
        return nothing("pods may do as much as before, or more", SECURITY)
    return evicts("pods that need more are refused when they are made; what runs goes on", SECURITY)


def _dashboard(change: Change) -> bool:
    return DASHBOARD in (change.resource.inputs.get("metadata", {}).get("labels") or {})


def content(change: Change, _: Field | None = None) -> Judgement:
    """Read when a pod starts, or mounted; operands of the GPU Operator start anew."""
    if _dashboard(change):
        return _SHOWN
    namespace = change.resource.inputs.get("metadata", {}).get("namespace")
    if namespace == "gpu-operator" and change.what != "create":
        return rolls("operands that read it start anew", "NVIDIA docs, GPU Operator: time-slicing")
    return nothing("pods read it when they start; mounted copies follow", CONFIG)


def settings_gone(change: Change) -> Judgement:
    """Of a dashboard nobody's pod asks."""
    return _SHOWN if _dashboard(change) else rolls("pods that name it do not start again", CONFIG)
