"""OpenShift: what pods of a team may ask for beyond `restricted-v2`, which drops IPC_LOCK and has no host paths.

Without it such a pod is refused, or starts and cannot register memory; the ssh of an MPIJob needs root and to change
its own besides. Nothing else is widened: no privileged pods, no host namespaces, and of host paths only the profile's
cache. Pods run as their image's user, because a capability takes effect for root alone
(NVIDIA/nvidia-container-toolkit#2037).
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.tenancy.teams import TenancySection
from bedplate.components.workload.controllers import running

NAME = "bedplate-rdma"
GROUP_VERSION, KIND = "security.openshift.io/v1", "SecurityContextConstraints"
RBAC = "rbac.authorization.k8s.io"
VOLUMES = (
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
)
"""As `restricted-v2` has them (openshift/cluster-kube-apiserver-operator, scc-restricted-v2.yaml). Which inline CSI
drivers a team may name the guards say."""


class SecurityContexts(Component[TenancySection], token="bedplate:tenancy:SecurityContexts"):
    """One SecurityContextConstraints, and a binding for the service accounts of each team that needs it."""

    def _declare(self, args: Args[TenancySection], child: pulumi.ResourceOptions) -> None:
        # The SDK's class for custom resources knows `spec` alone, and this kind has none.
        pulumi.CustomResource(f"kubernetes:{GROUP_VERSION}:{KIND}", NAME, constraints(args.facts), child)
        role = k8s.rbac.v1.ClusterRole(f"{NAME}-use", metadata={"name": f"{NAME}-use"}, rules=[use()], opts=child)
        for team in bound(args.facts):
            k8s.rbac.v1.RoleBinding(
                f"{team}-{NAME}",
                metadata={"name": NAME, "namespace": team},
                role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": role.metadata.name},
                subjects=[{"api_group": RBAC, "kind": "Group", "name": f"system:serviceaccounts:{team}"}],
                opts=child,
            )


def added(facts: Facts) -> tuple[str, ...]:
    """Capabilities that jobs of the cluster's controllers need, with the fabric and without."""
    return tuple({name: None for one in running(facts.training) for name in one.capabilities})


def bound(facts: Facts) -> tuple[str, ...]:
    """Teams whose pods `restricted-v2` would refuse: those with the fabric, and all where any team's pods may need it.

    What teams without the fabric may add is bounded besides by their namespace's Pod Security level.
    """
    everybody = facts.cache_folder or added(facts)
    return tuple(team.name for team in facts.teams) if everybody else facts.namespaces


def use() -> Any:  # noqa: ANN401 - a rule of the Kubernetes API
    """Leave to run pods under it."""
    return {
        "api_groups": ["security.openshift.io"],
        "resources": ["securitycontextconstraints"],
        "resource_names": [NAME],
        "verbs": ["use"],
    }


def constraints(facts: Facts) -> dict[str, Any]:
    """The fields of security.openshift.io/v1, which stand beside `metadata` and not below a `spec`."""
    on_host = bool(facts.cache_folder)
    return {
        "apiVersion": GROUP_VERSION,
        "kind": KIND,
        "metadata": {"name": NAME},
        "allowHostDirVolumePlugin": on_host,
        "allowHostIPC": False,
        "allowHostNetwork": False,
        "allowHostPID": False,
        "allowHostPorts": False,
        "allowPrivilegedContainer": False,
        "allowedCapabilities": ["IPC_LOCK", *added(facts)],
        "readOnlyRootFilesystem": False,
        "runAsUser": {"type": "RunAsAny"},
        "seLinuxContext": {"type": "MustRunAs"},
        # Not MustRunAs: with a group for the pod's volumes others could read an MPIJob's key, and ssh takes none such.
        "fsGroup": {"type": "RunAsAny"},
        "supplementalGroups": {"type": "RunAsAny"},
        "seccompProfiles": ["runtime/default"],
        "volumes": [*VOLUMES, *(["hostPath"] if on_host else [])],
    }
