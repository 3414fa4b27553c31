"""A team's own limits, just enough for what the stack makes in its namespace, and just too few."""

from tests.unit.checks.case import Case, edited, refused, taken

ROCE, EKS = "onprem-h100-roce", "eks-p5"
RESEARCH, SERVING = "tenancy.teams.0.limits.", "tenancy.teams.1.limits."


def few(stack: str, key: str, value: object, needed: str) -> Case:
    """Refused with what would do."""
    where = key.replace("teams.0", "teams[0]").replace("teams.1", "teams[1]")
    return refused(edited(stack, {key: value}), (f"{where} = {value}", f"need {needed}", f"use {needed} or more"))


EDGES = {
    "claims for the volumes": taken(edited(EKS, {f"{RESEARCH}claims": 3})),
    "a claim too few": few(EKS, f"{RESEARCH}claims", 2, "3"),
    "storage for the volumes": taken(edited(EKS, {f"{RESEARCH}storage": "14400Gi"})),
    "storage too small": few(EKS, f"{RESEARCH}storage", "14399Gi", "14400Gi"),
    "pods for the servers": taken(edited(EKS, {f"{SERVING}pods": 4})),
    "a pod too few": few(EKS, f"{SERVING}pods", 3, "4"),
    "pods without servers": taken(edited(EKS, {f"{RESEARCH}pods": 0})),
    "a Service for the server": taken(edited(EKS, {f"{SERVING}services": 1})),
    "no Service": few(EKS, f"{SERVING}services", 0, "1"),
    "ConfigMaps of the stack": taken(edited(EKS, {f"{RESEARCH}configMaps": 2})),
    "a ConfigMap too few": few(EKS, f"{RESEARCH}configMaps", 1, "2"),
}
