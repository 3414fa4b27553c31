"""Where our own Prometheus also sends what it scrapes: a workspace of Amazon's or Azure's managed Prometheus.

Those two evaluate rules that are resources of the cloud, and scrape by agents of theirs which none of the operators'
monitors are for. So alerts and scalers stay here, and the workspace keeps the samples of all clusters together.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from bedplate.components.section import Section

REGION = r"^[a-z]{2}(-[a-z]+)+-[0-9]$"


class AmazonWorkspace(Section):
    """Amazon Managed Service for Prometheus."""

    kind: Literal["amazon"]
    workspace: Annotated[str, Field(pattern=r"^ws-[0-9a-f-]{36}$")]
    region: Annotated[str, Field(pattern=REGION)]
    """Of the workspace."""
    role_arn: Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$")] | None = None
    """A role with AmazonPrometheusRemoteWriteAccess that trusts `monitoring/monitoring-prometheus`; absent: EKS Pod
    Identity gives it one."""

    def target(self) -> dict[str, Any]:
        """As the Prometheus operator takes it (AMP User Guide, "existing Prometheus server")."""
        where = f"https://aps-workspaces.{self.region}.amazonaws.com/workspaces/{self.workspace}/api/v1/remote_write"
        return {"url": where, "sigv4": {"region": self.region}}


class AzureWorkspace(Section):
    """An Azure Monitor workspace."""

    kind: Literal["azure"]
    url: Annotated[str, Field(pattern=r"^https://[^\s]+/api/v1/write\?api-version=[0-9-]+$")]
    """The metrics ingestion endpoint of its data collection rule."""
    client_id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    """Of a managed identity that the system pool's nodes have, with Monitoring Metrics Publisher on that rule."""

    def target(self) -> dict[str, Any]:
        """As the Prometheus operator takes it (Azure Monitor, "Remote write ... managed identity")."""
        identity = {"clientId": self.client_id}
        return {"url": self.url, "azureAd": {"cloud": "AzurePublic", "managedIdentity": identity}}


Workspace = Annotated[AmazonWorkspace | AzureWorkspace, Field(discriminator="kind")]


def sending(workspaces: Sequence[AmazonWorkspace | AzureWorkspace], cluster: str) -> dict[str, Any]:
    """What the Prometheus is told; every sample then says which cluster it is of."""
    if not workspaces:
        return {}
    return {"remoteWrite": [workspace.target() for workspace in workspaces], "externalLabels": {"cluster": cluster}}


def account(workspaces: Sequence[AmazonWorkspace | AzureWorkspace]) -> dict[str, Any]:
    """The service account's role on AWS."""
    roles = [
        workspace.role_arn for workspace in workspaces if isinstance(workspace, AmazonWorkspace) and workspace.role_arn
    ]
    return {"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": roles[0]}}} if roles else {}
