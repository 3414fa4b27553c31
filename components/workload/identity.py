"""Whose rights a pod has in a cloud: a service account of its namespace, made here or looked up."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from bedplate.components.section import DnsLabel, Section

AZURE = "azure.workload.identity/client-id"
AZURE_PODS = {"azure.workload.identity/use": "true"}
"""Azure's webhook looks at pods with this label alone (Azure/azure-workload-identity)."""
AnnotationKey = Annotated[
    str, Field(pattern=r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
]


class ServiceAccount(Section):
    """A service account that the stack makes in the namespace."""

    name: DnsLabel
    annotations: Mapping[AnnotationKey, str] = Field(default_factory=dict)
    """What ties it to rights in the cloud: `eks.amazonaws.com/role-arn` (IRSA), `iam.gke.io/gcp-service-account`
    (impersonation), `azure.workload.identity/client-id`. EKS Pod Identity and Google's direct grants need none."""


AnyAccount = DnsLabel | ServiceAccount
"""By its name alone it is there already, and only looked up."""


def name_of(account: AnyAccount | None) -> str | None:
    """As pods name it."""
    return account.name if isinstance(account, ServiceAccount) else account


def annotations_of(account: AnyAccount | None) -> Mapping[str, str]:
    """Those that are known here."""
    return account.annotations if isinstance(account, ServiceAccount) else {}


def pod_labels(account: AnyAccount | None) -> Mapping[str, str]:
    """By which a webhook finds the pods of an account that it serves."""
    return AZURE_PODS if AZURE in annotations_of(account) else {}


def manifests(used: Iterable[tuple[str, AnyAccount | None]]) -> list[dict[str, Any]]:
    """Each account that is made here, once, by namespace and name."""
    made = {(home, one.name): one for home, one in used if isinstance(one, ServiceAccount)}
    return [
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": home, "annotations": dict(one.annotations)},
            "automountServiceAccountToken": False,
        }
        for (home, name), one in made.items()
    ]
