"""A Namespace with the Pod Security level that its pods need."""

from collections.abc import Mapping
from typing import Any, Literal

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.marks import marks

PodSecurity = Literal["privileged", "baseline", "restricted"]


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
