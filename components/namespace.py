"""A Namespace with the Pod Security level that its pods need."""

from collections.abc import Mapping
from typing import Any, Literal

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.marks import marks

PodSecurity = Literal["privileged", "baseline", "restricted"]
Constraints = Literal["nonroot-v2", "privileged"]
RBAC = "rbac.authorization.k8s.io"


def namespace(
    name: str,
    level: PodSecurity,
    opts: pulumi.ResourceOptions,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> k8s.core.v1.Namespace:
    """Own the namespace as a resource: Helm's `create_namespace` would leave it behind.

    Operators that load drivers, and pods that add IPC_LOCK for RDMA, need `privileged`: both other levels refuse them.
    """
    security = {f"pod-security.kubernetes.io/{mode}": level for mode in ("enforce", "warn")}
    metadata: Any = {"name": name, **marks(labels={**security, **(labels or {})}, annotations=annotations or {})}
    return k8s.core.v1.Namespace(name, metadata=metadata, opts=opts)


def constrained(name: str, constraints: Constraints, platform: str, opts: pulumi.ResourceOptions) -> None:
    """Let the accounts of a namespace run pods that OpenShift's `restricted-v2` refuses; elsewhere there is nothing.

    `nonroot-v2` takes a user id that a chart names, `privileged` host paths and capabilities; OpenShift has a role for
    each (openshift/cluster-kube-apiserver-operator, cr-scc-nonroot-v2.yaml). Never for controllers that make pods for
    others: what the maker of a pod may use counts besides the pod's own account (openshift/apiserver-library-go,
    scc_authz_check.go), so that a team's pods would be let in with it.
    """
    if platform == "openshift":
        k8s.rbac.v1.ClusterRoleBinding(
            f"{name}-{constraints}",
            metadata={"name": f"{name}-{constraints}"},
            role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": f"system:openshift:scc:{constraints}"},
            subjects=[{"api_group": RBAC, "kind": "Group", "name": f"system:serviceaccounts:{name}"}],
            opts=opts,
        )
