"""Has Google's collectors scrape Kueue, which answers only to a token that may get `/metrics`.

A collector has none of its own for other pods, so it gets that of a service account that may do nothing else
(prometheus-engine v0.17.2 examples/inference-optimized-gateway: the Secret, and who may read it).
"""

from collections.abc import Iterator
from typing import Any

HOME, PORT = "kueue-system", "metrics"
READER = "kueue-metrics-google"
"""The service account, its token and who may read it."""
MAY_READ = "kueue-metrics-reader"
"""The chart's own ClusterRole (kueue 0.19.2, templates/rbac/metrics_reader_role.yaml)."""
COLLECTOR = "collector"
"""The service account of Google's collectors, in their namespace."""
RBAC = "rbac.authorization.k8s.io"
PODS = {"app.kubernetes.io/name": "kueue", "control-plane": "controller-manager"}


def objects(collectors: str) -> Iterator[dict[str, Any]]:
    """The reader, its token, and the monitor that uses it; `collectors` is their namespace."""
    place = {"name": READER, "namespace": HOME}
    reader = {"kind": "ServiceAccount", **place}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": place}
    yield _bound("ClusterRoleBinding", {"name": READER}, "ClusterRole", MAY_READ, reader)
    yield {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {**place, "annotations": {"kubernetes.io/service-account.name": READER}},
        "type": "kubernetes.io/service-account-token",
    }
    rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [READER], "verbs": ["get", "list", "watch"]}
    yield {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": place, "rules": [rule]}
    collector = {"kind": "ServiceAccount", "name": COLLECTOR, "namespace": collectors}
    yield _bound("RoleBinding", place, "Role", READER, collector)
    yield {
        "apiVersion": "monitoring.googleapis.com/v1",
        "kind": "PodMonitoring",
        "metadata": {"name": "kueue", "namespace": HOME},
        "spec": {
            "selector": {"matchLabels": PODS},
            "endpoints": [_endpoint()],
            "targetLabels": {"metadata": ["pod"]},
        },
    }


def _endpoint() -> dict[str, Any]:
    return {
        "port": PORT,
        "scheme": "https",
        "path": "/metrics",
        "interval": "15s",
        # A certificate that it made itself, as for a Prometheus operator.
        "tls": {"insecureSkipVerify": True},
        "authorization": {"type": "Bearer", "credentials": {"secret": {"name": READER, "key": "token"}}},
    }


def _bound(kind: str, place: dict[str, str], role: str, name: str, whom: dict[str, str]) -> dict[str, Any]:
    target = {"apiGroup": RBAC, "kind": role, "name": name}
    return {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": place, "subjects": [whom], "roleRef": target}
