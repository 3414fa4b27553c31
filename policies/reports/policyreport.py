"""The verdicts as PolicyReports, which dashboards of clusters show beside those of Kyverno and Trivy.

`wgpolicyk8s.io/v1alpha2`, by its CRDs (kubernetes-sigs/wg-policy-prototypes, policy-report/crd/v1alpha2): one report
for each namespace, and one of the cluster for all else. Nothing is applied: it is a List for `kubectl apply -f`.
"""

import json
from collections import Counter, defaultdict

from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.reports.places import Places
from bedplate.policies.rule import REGISTRY

API = "wgpolicyk8s.io/v1alpha2"
NAME = "bedplate-check"
RESULTS = {"mandatory": ("fail", "high"), "advisory": ("warn", "low"), "waived": ("skip", "low")}
"""The schema's words for what a verdict comes to, and how severe that is."""


def policy_reports(verdicts: list[Verdict], places: Places, faults: list[str]) -> str:
    """By namespace, as JSON; what could not be read is an error of the cluster's report."""
    results: dict[str, list[dict[str, object]]] = defaultdict(list)
    for each in verdicts:
        resource = places.resource(each)
        results[resource.namespace if resource and resource.placed else ""].append(_result(each, places))
    results[""] += [_error(each) for each in faults]
    reports = [_report(namespace, found) for namespace, found in sorted(results.items()) if found]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": reports}, indent=2)


def _report(namespace: str, results: list[dict[str, object]]) -> dict[str, object]:
    counts = Counter(str(each["result"]) for each in results)
    return {
        "apiVersion": API,
        "kind": "PolicyReport" if namespace else "ClusterPolicyReport",
        "metadata": {"name": NAME, **({"namespace": namespace} if namespace else {})},
        "summary": {word: counts[word] for word in ("pass", "fail", "warn", "error", "skip")},
        "results": results,
    }


def _error(fault: str) -> dict[str, object]:
    return {"policy": NAME, "source": "bedplate", "result": "error", "message": fault}


def _result(verdict: Verdict, places: Places) -> dict[str, object]:
    rule, resource = REGISTRY[verdict.rule], places.resource(verdict)
    result, severity = RESULTS[verdict.severity]
    about = {
        "apiVersion": (resource.api_version if resource else "").removeprefix("core/"),
        "kind": resource.kind if resource else "",
        "name": resource.object_name if resource else "",
        "namespace": resource.namespace if resource and resource.placed else "",
    }
    return {
        "policy": verdict.rule,
        "rule": rule.title,
        "category": rule.subject,
        "source": "bedplate",
        "result": result,
        "severity": severity,
        "scored": verdict.severity == "mandatory",
        "message": verdict.message,
        "resources": [{key: value for key, value in about.items() if value}] if resource else [],
        "properties": {"fingerprint": verdict.fingerprint, **({"file": verdict.file} if verdict.file else {})},
    }
