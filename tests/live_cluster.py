"""A cluster as its API server would show it once all of a plan is settled: objects with defaults and states, in memory.

What the API server and controllers add to what we write is added here as well, so that whoever compares meets it:
defaults, states, quantities in another spelling, and `false` left out.
"""

import base64
import copy
import json
import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.components.operators import gpu_operator, network_operator
from bedplate.lab.nodes import nodes
from bedplate.lab.site import site
from bedplate.live import kinds
from bedplate.live.checks.gates import copied
from bedplate.live.desired import Desired, desired
from bedplate.live.discover.draft import LISTED
from bedplate.live.kinds import Kind
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile

READY = {"type": "Ready", "status": "True", "reason": "Ready", "message": "all is well"}
KEPT = ("automountServiceAccountToken", "allowPrivilegeEscalation", "enableServiceLinks", "runAsNonRoot")
"""Of these the API server keeps `false` (tests/cluster/test_doctor.py)."""
SPELLINGS = {"1024Gi": "1Ti", "2048Gi": "2Ti", "4096Gi": "4Ti"}
NOW = datetime.now(UTC)
CONFINED = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""What namespaces with the `restricted` Pod Security Standard ask for, without which they let no pod in."""


OURS = frozenset(one for one in vars(kinds).values() if isinstance(one, Kind))


def plural(kind: Kind) -> str:
    """As this server calls them, which is for it to say: it has clusterpolicys."""
    return f"{kind.kind.lower()}s"


class FakeCluster:
    """Objects by kind; answers lists as the API server does."""

    def __init__(self, objects: Iterable[Mapping[str, Any]], version: str, *, absent: Iterable[Kind] = ()) -> None:
        self.objects: dict[Kind, list[dict[str, Any]]] = defaultdict(list)
        self.version, self.absent, self.forbidden = version, set(absent), set[Kind]()
        self.asked: list[str] = []
        for one in objects:
            self.add(one)

    def copy(self) -> "FakeCluster":
        """Another that a test may change; three times as fast as `deepcopy`."""
        other: FakeCluster = pickle.loads(pickle.dumps(self))  # noqa: S301 - our own
        other.asked.clear()
        return other

    def add(self, one: Mapping[str, Any]) -> dict[str, Any]:
        kind = Kind(str(one["apiVersion"]), str(one["kind"]))
        kept = {key: copy.deepcopy(value) for key, value in one.items() if key not in ("apiVersion", "kind")}
        kept["metadata"].setdefault("uid", f"uid-{kind.kind}-{kept['metadata']['name']}")
        self.objects[kind].append(kept)
        return kept

    def one(self, kind: Kind, name: str, namespace: str = "") -> dict[str, Any]:
        there = self.objects[kind]
        (found,) = [
            o for o in there if (o["metadata"].get("namespace", ""), o["metadata"]["name"]) == (namespace, name)
        ]
        return found

    def remove(self, kind: Kind, name: str, namespace: str = "") -> None:
        self.objects[kind].remove(self.one(kind, name, namespace))

    def get(self, path: str) -> str:
        path = path.partition("?")[0]  # all of a list in one page
        self.asked.append(path)
        if path == "/version":
            return json.dumps({"gitVersion": self.version})
        served = {*self.objects, *self.forbidden, *LISTED, *OURS}
        if homes := [one for one in served - self.absent if one.home == path]:
            return json.dumps({"resources": [{"kind": one.kind, "name": plural(one)} for one in homes]})
        if any(one.home == path for one in self.absent):
            raise ClusterError("Error from server (NotFound): the server could not find the requested resource")
        parts = path.split("/")
        namespace = parts[parts.index("namespaces") + 1] if "namespaces" in parts[:-1] else None
        version = "v1" if parts[1] == "api" else f"{parts[2]}/{parts[3]}"
        known = {*served, *self.absent}
        kind = next((one for one in known if (one.version, plural(one)) == (version, parts[-1])), None)
        if kind in self.forbidden:
            raise ClusterError("Error from server (Forbidden): cannot list resource at the cluster scope")
        if kind in self.absent:
            raise ClusterError("Error from server (NotFound): the server could not find the requested resource")
        found = self.objects[kind] if kind else []
        return json.dumps({"items": [o for o in found if namespace in (None, o["metadata"].get("namespace"))]})


def settled(graph: Graph, profile: Profile) -> tuple[Desired, FakeCluster]:
    """What is wanted, and a cluster that has it."""
    asked = desired(graph, facts(profile))
    objects = [stored(one.document, one.kind) for one in asked.objects]
    objects += [*map(ready_node, nodes(profile)), *given(profile), *installed(asked), *operated(asked)]
    return asked, FakeCluster(objects, f"v{asked.facts.kubernetes_version}.4")


def given(profile: Profile) -> Iterator[dict[str, Any]]:
    return (one for one in site(profile) if one["kind"] != "Node")


def ready_node(node: Mapping[str, Any]) -> dict[str, Any]:
    one = copy.deepcopy(dict(node))
    one["status"] |= {"conditions": [READY], "nodeInfo": {"kubeletVersion": "v1.33.0", "containerRuntimeVersion": "c"}}
    return one


def stored(document: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """As the API server keeps it, with the state that its controller gives."""
    one: dict[str, Any] = respelt(without_nothing(copy.deepcopy(dict(document))))
    named = one["metadata"]
    one["metadata"] = {**named, "uid": f"uid-{named['name']}", "resourceVersion": "7", "generation": 1}
    return {**one, **defaults(one, kind)}


def without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        left_out = (False, "", None, [])
        return {key: without_nothing(item) for key, item in value.items() if key in KEPT or item not in left_out}
    return [without_nothing(item) for item in value] if isinstance(value, list) else value


def respelt(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: respelt(item) for key, item in value.items()}
    if isinstance(value, list):
        return [respelt(item) for item in value]
    return SPELLINGS.get(value, value) if isinstance(value, str) else value


ACTIVE = {"type": "Active", "status": "True", "reason": "Ready"}
PARTS = [{"name": "state-OFED", "state": "ignore"}, {"name": "state-multus-cni", "state": "ready"}]
UNTYPED = {"fieldRef": "spec.validations[0].expression", "warning": "batch/v1, Kind=Job: undefined field 'runPolicy'"}
"""As the API server says of a guard that is right for each of its kinds."""
STATUS: dict[str, dict[str, Any]] = {
    **{kind: {"phase": "Bound"} for kind in ("PersistentVolumeClaim", "PersistentVolume")},
    **{kind: {"conditions": [ACTIVE]} for kind in ("ClusterQueue", "LocalQueue")},
    **{kind: {"state": "ready", "appliedStates": PARTS} for kind in ("NicClusterPolicy", "NicNodePolicy")},
    **{kind: {"state": "ready"} for kind in ("MacvlanNetwork", "HostDeviceNetwork", "IPoIBNetwork")},
    "Namespace": {"phase": "Active"},
    "ValidatingAdmissionPolicy": {"typeChecking": {"expressionWarnings": [UNTYPED]}},
    "ScaledObject": {"conditions": [READY]},
}


def defaults(one: dict[str, Any], kind: Kind) -> dict[str, Any]:
    spec: dict[str, Any] = dict(one.get("spec") or {})
    if kind.kind in ("Deployment", "StatefulSet"):
        spec.setdefault("replicas", 1)
        spec["template"]["spec"] |= {"dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler"}
        for container in spec["template"]["spec"]["containers"]:
            container.setdefault("terminationMessagePath", "/dev/termination-log")
        return {"spec": spec, "status": {"observedGeneration": 1, "availableReplicas": spec["replicas"]}}
    if kind.kind in ("ClusterQueue", "LocalQueue"):
        spec = {"stopPolicy": "None", **spec}
    status = {"status": copy.deepcopy(STATUS[kind.kind])} if kind.kind in STATUS else {}
    return {**({"spec": spec} if spec else {}), **status}


def workload(kind: str, namespace: str, name: str, **metadata: Any) -> dict[str, Any]:
    """A Deployment or DaemonSet whose pods are all there."""
    chosen = {"app": name}
    container = {"name": "main", "image": "example.com/it:1", "securityContext": CONFINED}
    pod = {"metadata": {"labels": chosen}, "spec": {"containers": [container]}}
    counts = {"desiredNumberScheduled": 2, "numberAvailable": 2, "updatedNumberScheduled": 2}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "generation": 1, **metadata},
        "spec": {"replicas": 1, "selector": {"matchLabels": chosen}, "template": pod},
        "status": {"observedGeneration": 1, "availableReplicas": 1, **(counts if kind == "DaemonSet" else {})},
    }


def installed(asked: Desired) -> Iterator[dict[str, Any]]:
    """A controller of each release, an agent beside it, and a webhook in front of it."""
    for release in asked.releases:
        notes = {"meta.helm.sh/release-name": release.name, "meta.helm.sh/release-namespace": release.namespace}
        said = {"labels": {"helm.sh/chart": f"{release.chart}-{release.version}"}, "annotations": notes}
        yield workload("Deployment", release.namespace, release.name, **said)
        agent = workload("DaemonSet", release.namespace, f"{release.name}-agent", **said)
        agent["spec"]["template"]["spec"]["tolerations"] = list(asked.facts.tolerations)
        yield agent
        yield from called(release.namespace, f"{release.name}-webhook")


def called(namespace: str, name: str) -> Iterator[dict[str, Any]]:
    """A webhook, its Service, and a ready pod behind it."""
    metadata = {"name": name, "namespace": namespace}
    yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {}}
    endpoint = {"conditions": {"ready": True}, "addresses": ["10.0.0.1"]}
    yield {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {**metadata, "labels": {"kubernetes.io/service-name": name}},
        "endpoints": [endpoint],
    }
    client = {"service": metadata, "caBundle": bundle(NOW + timedelta(days=900))}
    hook = {"name": f"{name}.example.com", "failurePolicy": "Fail", "clientConfig": client}
    yield {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [hook],
    }


def operated(asked: Desired) -> Iterator[dict[str, Any]]:
    """What the operators make."""
    known = asked.facts
    for section, kind, chart in (
        ("gpuOperator", kinds.CLUSTER_POLICY, gpu_operator.CHART),
        ("networkOperator", None, network_operator.CHART),
    ):
        if section not in known.has:
            continue
        if kind:
            spec = {"dcgm": {}, "gfd": {}, "nodeStatusExporter": {}, **copied(asked.values["gpu-operator"])}
            metadata = {"name": "cluster-policy", "uid": "uid-cluster-policy"}
            status = {"state": "ready", "conditions": [READY]}
            yield {"apiVersion": kind.version, "kind": kind.kind, "metadata": metadata, "spec": spec, "status": status}
        owner = {"kind": "ClusterPolicy" if kind else "NicClusterPolicy", "uid": "uid-cluster-policy", "name": "it"}
        operand = workload("DaemonSet", chart.namespace, f"{chart.name}-operand", ownerReferences=[owner])
        operand["spec"]["template"]["spec"]["tolerations"] = list(known.tolerations)
        yield operand
    if known.fabric.exposure == "sriov" and "networkOperator" in known.has:
        for pool in known.fabric_pools:
            metadata = {"name": f"{pool.name}-0", "namespace": network_operator.CHART.namespace}
            status = {"syncStatus": "Succeeded"}
            yield {**_head(kinds.SRIOV_STATE), "metadata": metadata, "spec": {}, "status": status}


def _head(kind: Kind) -> dict[str, str]:
    return {"apiVersion": kind.version, "kind": kind.kind}


def bundle(end: datetime) -> str:
    """A `caBundle` whose one certificate ends then; of the rest only the shape is there (RFC 5280, 4.1)."""
    date = _der(0x17, end.strftime("%y%m%d%H%M%SZ").encode())
    empty = _der(0x30, b"")
    fields = _der(0xA0, _der(2, b"\x02")) + _der(2, b"\x01") + empty + empty + _der(0x30, date + date)
    pem = base64.encodebytes(_der(0x30, _der(0x30, fields))).decode()
    return base64.b64encode(f"-----BEGIN CERTIFICATE-----\n{pem}-----END CERTIFICATE-----\n".encode()).decode()


def _der(tag: int, content: bytes) -> bytes:
    return bytes([tag, 0x82, *len(content).to_bytes(2), *content])
