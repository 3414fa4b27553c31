"""Managed Prometheus: profiles on either side of what Google's can serve, and of what ours may write to."""

from typing import Any

import yaml

from tests.tools.golden_objects import PROFILES
from tests.unit.checks.case import GONE, edited, refused, taken
from tests.unit.observability.test_stack import AMAZON, AZURE

ROCE, EKS = "onprem-h100-roce", "eks-p5"
WITHOUT_ROLE = {key: value for key, value in AMAZON.items() if key != "roleArn"}
SECOND = {**AMAZON, "roleArn": "arn:aws:iam::111122223333:role/other"}
ROLES = ("monitoring.remoteWrite", "a service account has one role")


def google(**changes: Any) -> dict[str, Any]:
    """A sound profile of it, and what differs."""
    sound = yaml.safe_load((PROFILES / "gke-google-prometheus.yaml").read_text())
    return edited(sound, {key.replace("__", "."): value for key, value in changes.items()})


ELSEWHERE = {"pools__1__capacity": GONE, "cloud": GONE}
EDGES = {
    "Google's managed Prometheus": taken(google()),
    "Google's managed Prometheus without scalers or servers": taken(google(autoscaling=GONE, serving=GONE)),
    "Google's managed Prometheus of another project": taken(google(**ELSEWHERE, monitoring__project="metrics")),
    "Google's managed Prometheus of nobody knows which project": refused(
        google(**ELSEWHERE), ("monitoring.project = absent", "whose metrics scalers read is not said")
    ),
    "Google's managed Prometheus elsewhere": refused(
        edited(EKS, {"monitoring": {"kind": "google", "project": "metrics"}}),
        ("monitoring.kind = google", "GKE brings the kinds"),
    ),
    "Google's managed Prometheus behind an adapter": refused(
        google(autoscaling__kind="prometheus-adapter"), ("autoscaling.kind = prometheus-adapter", "cannot sign in")
    ),
    "Google's managed Prometheus and a chart that it cannot read": refused(
        google(serving__servers__0__kind="vllm-stack"),
        ("serving.servers[0].kind = vllm-stack", "ServiceMonitors alone"),
    ),
    "a workspace by the role of its account": taken(edited(ROCE, {"monitoring.remoteWrite": [AMAZON]})),
    "two workspaces by one role": taken(edited(ROCE, {"monitoring.remoteWrite": [AMAZON, AMAZON, AZURE]})),
    "two workspaces, one of them by a role": taken(edited(ROCE, {"monitoring.remoteWrite": [AMAZON, WITHOUT_ROLE]})),
    "two workspaces by two roles": refused(edited(ROCE, {"monitoring.remoteWrite": [AMAZON, SECOND]}), ROLES),
    "three workspaces by two roles and Pod Identity": refused(
        edited(ROCE, {"monitoring.remoteWrite": [AMAZON, SECOND, WITHOUT_ROLE]}), ROLES
    ),
}
