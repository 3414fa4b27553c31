"""Namespaces, and the settings and secrets in them."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, loses_data, nothing, rolls

NAMESPACES = "Kubernetes docs: namespaces"
SECURITY = "Kubernetes docs: pod security admission, pod security standards"
MANAGED = "Kueue docs: managedJobsNamespaceSelector"
CONFIG = "Kubernetes docs: ConfigMaps"
LEVELS = ("privileged", "baseline", "restricted")


def enforced(_: Change, field: Field) -> Judgement:
    """A stricter level refuses pods that are made later, also those of jobs that run and lose one."""
    old, new = (LEVELS.index(value) if value in LEVELS else 0 for value in (field.old, field.new))
    if new <= old and field.new in (None, *LEVELS):
        return nothing("pods may do as much as before, or more", SECURITY)
    return evicts("pods that need more are refused when they are made; what runs goes on", SECURITY)


def managed(_: Change, field: Field) -> Judgement:
    """Where Kueue holds jobs back that name no queue."""
    if field.new is None:
        return nothing("its jobs are no longer held back", MANAGED)
    return evicts("jobs here that name no queue are held back until a queue admits them", MANAGED)


NAMESPACE = Kind(
    nothing("nothing runs in it yet", NAMESPACES),
    loses_data("all that is in it is deleted with it, claims and jobs too", NAMESPACES),
    {
        **OBJECT,
        "metadata.labels.pod-security.kubernetes.io/enforce": enforced,
        "metadata.labels.pod-security.kubernetes.io/{warn,audit,warn-version,audit-version}": nothing(
            "warned about and recorded, never refused", SECURITY
        ),
        "metadata.labels.kueue-managed": managed,
        "metadata.annotations.scheduling.volcano.sh/queue-name": nothing(
            "only jobs that are made later get this queue", "Volcano docs: queue of a namespace"
        ),
    },
)
_STANDS = nothing("it only stands for the end of the team's namespace", NAMESPACES)
OURS = "this stack"
PROVIDER = nothing("the code that this program brings along", OURS)
"""Of `__provider`, which every dynamic resource carries."""
LEAVING = Kind(
    _STANDS,
    loses_data("it deletes the team's namespace, and waits until all of it is gone", NAMESPACES),
    {"{context,namespace,timeout}": _STANDS, "__provider": PROVIDER},
)
"""Makes nothing, and deletes its team's namespace when it goes (`components/tenancy/leaving.py`)."""
DASHBOARD = "grafana_dashboard"
_SHOWN = nothing("a dashboard: Grafana's sidecar loads it", "Grafana chart: sidecar.dashboards")


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


SETTINGS = Kind(
    content,
    settings_gone,
    {
        **OBJECT,
        "{data,stringData,binaryData}.*": content,
        "metadata.{labels.grafana_dashboard,annotations.grafana_folder}": _SHOWN,
        "immutable": nothing("only whether it may change later", CONFIG),
        "metadata.annotations.kubernetes.io/service-account.name": evicts(
            "it is another account's token now", "Kubernetes docs: service account token secrets"
        ),
    },
    replaced=content,
)
RULES: Mapping[str, Rule] = {
    "Namespace": NAMESPACE,
    "Leaving": LEAVING,
    "ConfigMap": SETTINGS,
    "Secret": SETTINGS,
}
