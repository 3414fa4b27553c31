"""A Job that looks at the nodes as the gate `pools-ready` does: `bedplate verify --level nodes`, with no other right.

Neither controller can ask by a status of an object what must be there on nodes. The Job is made anew when what it
looks at changes, since its name says what that is; it goes on until all is well, or for as long as the gate would.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.components.digest import digest
from bedplate.plan.graph import Graph, Node
from bedplate.plan.to_yaml import to_yaml

NAME = NAMESPACE = "bedplate-verify"
MOUNTED = "/bedplate"
SCRATCH = "/scratch"
EMPTY: Mapping[str, str] = {}
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
SERVER = "https://kubernetes.default.svc"
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


def looks(graph: Graph, node: Node, image: str) -> Iterator[Mapping[str, Any]]:
    """The Job, and what it needs; the image has Bedplate and kubectl."""
    here = {"name": NAME, "namespace": NAMESPACE}
    files = {"profile.yaml": to_yaml(graph.profile), "kubeconfig": to_yaml(_kubeconfig(node.inputs["context"]))}
    rule = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME}
    subject = {"kind": "ServiceAccount", **here}
    rbac = "rbac.authorization.k8s.io/v1"
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": RESTRICTED}}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": here}
    yield {"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": [rule]}
    yield {
        "apiVersion": rbac,
        "kind": "ClusterRoleBinding",
        "metadata": {"name": NAME},
        "roleRef": role,
        "subjects": [subject],
    }
    yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": here, "data": files}
    named = {**here, "name": f"{NAME}-{digest(node.inputs['guards'], node.inputs['pools'], image)}"}
    yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": named, "spec": _job(image, int(node.inputs["timeout"]))}


def _job(image: str, seconds: int) -> Mapping[str, Any]:
    container = {
        "name": NAME,
        "image": image,
        "command": ["bedplate", "verify", f"{MOUNTED}/profile.yaml", "--level", "nodes"],
        "env": [{"name": "KUBECONFIG", "value": f"{MOUNTED}/kubeconfig"}, *_scratch()],
        "volumeMounts": [
            {"name": "files", "mountPath": MOUNTED, "readOnly": True},
            {"name": "scratch", "mountPath": SCRATCH},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    pod = {
        "serviceAccountName": NAME,
        "restartPolicy": "OnFailure",
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
        "volumes": [{"name": "files", "configMap": {"name": NAME}}, {"name": "scratch", "emptyDir": EMPTY}],
    }
    return {"backoffLimit": seconds // 10, "activeDeadlineSeconds": seconds, "template": {"spec": pod}}


def _scratch() -> list[Mapping[str, str]]:
    return [{"name": name, "value": SCRATCH} for name in ("HOME", "TMPDIR")]


def _kubeconfig(context: str) -> Mapping[str, Any]:
    """The context is called what the profile calls it: any other is refused."""
    cluster = {"server": SERVER, "certificate-authority": f"{ACCOUNT}/ca.crt"}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "here", "cluster": cluster}],
        "users": [{"name": NAME, "user": {"tokenFile": f"{ACCOUNT}/token"}}],
        "contexts": [{"name": context, "context": {"cluster": "here", "user": NAME}}],
        "current-context": context,
    }
