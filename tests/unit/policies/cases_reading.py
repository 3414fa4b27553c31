"""Cases of rules on who reads, selects, scales and evicts what: each from a public thread."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, Case, case

LABELS = {"app": "web"}


def web(**container: Any) -> v.Doc:
    """A Deployment of one pod."""
    main = {"name": "main", "image": "r.example/web:1", **container}
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [main]}}
    spec = {"replicas": 1, "selector": {"matchLabels": LABELS}, "template": template}
    return v.manifest("apps/v1", "Deployment", "web", "serve", spec=spec)


def policy(**labels: str) -> v.Doc:
    peer = {"namespaceSelector": {"matchLabels": labels}}
    spec = {"podSelector": {}, "ingress": [{"from": [peer]}], "egress": [{"to": [peer]}]}
    return v.manifest("networking.k8s.io/v1", "NetworkPolicy", "web", "serve", spec=spec)


def monitor(kind: str, **labels: str) -> v.Doc:
    made = v.manifest("monitoring.coreos.com/v1", kind, "web", "serve", spec={"selector": {"matchLabels": LABELS}})
    return {**made, "metadata": {**made["metadata"], "labels": labels}}


def prometheus(**spec: Any) -> v.Doc:
    return v.manifest("monitoring.coreos.com/v1", "Prometheus", "k", "monitoring", spec=spec)


def scaler(**target: Any) -> v.Doc:
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    of = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": of, "maxReplicas": 4, "metrics": metrics}
    return v.manifest("autoscaling/v2", "HorizontalPodAutoscaler", "web", "serve", spec=spec)


def budget(**spec: Any) -> v.Doc:
    return v.manifest(
        "policy/v1", "PodDisruptionBudget", "web", "serve", spec={"selector": {"matchLabels": LABELS}, **spec}
    )


DOES_NOT_EXIST = {"key": "release", "operator": "DoesNotExist"}
RELEASE = {"matchLabels": {"release": "k"}}
POD = "web spec template spec containers 0"
CASES: list[Case] = [
    case(
        "NET-231",
        {
            "policy": policy(**{"kubernetes.io/metadata.name": "kube-system"}),
            "labelled": policy(name="monitoring"),
            "team": policy(team="a"),
            "right": policy(**{"kubernetes.io/metadata.name": "m"}),
            "place": {
                **v.manifest("v1", "Namespace", "monitoring"),
                "metadata": {"name": "m", "labels": {"name": "monitoring"}},
            },
        },
        (
            "policy spec ingress 0 from 0 namespaceSelector matchLabels",
            {"name": "x"},
            "by the label name: x, which none has",
        ),
        (
            "policy spec egress 0 to 0 namespaceSelector matchLabels",
            {"app": "m"},
            "by the label app: m, which none has",
        ),
        ("policy spec egress 0 to 0 namespaceSelector matchLabels", {"ns": "x"}, "by the label ns: x"),
        ("place metadata labels", {"name": "other"}, "by the label name: monitoring"),
    ),
    case(
        "NET-232",
        {
            "services": monitor("ServiceMonitor", release="k"),
            "pods": monitor("PodMonitor", release="k"),
            "reader": prometheus(serviceMonitorSelector=RELEASE, podMonitorSelector=RELEASE),
        },
        (
            "services metadata labels",
            {"app": "web"},
            "ServiceMonitor serve/web: has no label release=k, by which Prometheus",
        ),
        ("pods metadata labels release", "other", "PodMonitor serve/web: has no label release=k"),
    ),
    case(
        "NET-232",
        {
            "services": monitor("ServiceMonitor"),
            "reader": prometheus(serviceMonitorSelector={"matchExpressions": [DOES_NOT_EXIST]}),
        },
        ("reader spec serviceMonitorSelector matchExpressions 0 operator", "Exists", "has no label release Exists"),
    ),
    case(
        "NET-232",
        {
            "services": monitor("ServiceMonitor"),
            "reader": prometheus(serviceMonitorSelector=RELEASE),
            "second": prometheus(serviceMonitorSelector={}),
        },
        ("second", GONE, "has no label release=k"),
    ),
    case(
        "INF-618",
        {"web": web(resources={"requests": {"cpu": 1}}), "scaler": scaler(averageUtilization=50)},
        (f"{POD} resources requests", {"memory": "1Gi"}, "scales by cpu, of which container main requests none"),
        (f"{POD} resources", GONE, "scales by cpu, of which"),
    ),
    case(
        "INF-618",
        {"web": web(), "scaler": scaler(averageValue="500m")},
        ("scaler spec metrics 0 resource target", {"averageUtilization": 50}, "scales by cpu, of which"),
    ),
    case(
        "INF-619",
        {"web": web(), "budget": budget(maxUnavailable=1)},
        ("budget", budget(minAvailable=1), "lets none of the 1 pods of Deployment serve/web go"),
        ("budget", budget(minAvailable="100%"), "lets none of the 1 pods"),
        ("budget", budget(maxUnavailable=0), "lets none of the 1 pods"),
    ),
    case(
        "INF-619",
        {"web": web(), "budget": {**budget(minAvailable=1), "metadata": {"name": "web", "namespace": "other"}}},
        ("budget metadata namespace", "serve", "lets none of the 1 pods"),
    ),
    case(
        "INF-619",
        {"web": web(), "budget": budget(minAvailable=1, selector={"matchLabels": {"app": "api"}})},
        ("budget spec selector matchLabels app", "web", "lets none of the 1 pods"),
    ),
    case(
        "INF-619",
        {"web": {**web(), "spec": {**web()["spec"], "replicas": 2}}, "budget": budget(minAvailable=1)},
        ("web spec replicas", 1, "lets none of the 1 pods"),
        ("budget spec minAvailable", 2, "lets none of the 2 pods"),
    ),
    case(
        "OBJ-910",
        {"web": web(volumeMounts=[{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}])},
        (f"{POD} volumeMounts 1 mountPath", "/a", "container main mounts two volumes at /a", "mandatory"),
    ),
    case(
        "OBJ-910",
        {
            "other": v.manifest(
                "web.example.com/v1",
                "Site",
                "web",
                spec={
                    "template": {
                        "spec": web(volumeMounts=[{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}])[
                            "spec"
                        ]["template"]["spec"]
                    }
                },
            )
        },
        (
            "other spec template spec containers 0 volumeMounts 1 mountPath",
            "/a",
            "mounts two volumes at /a",
            "advisory",
        ),
    ),
]
