"""What a profile says about EKS. Without pulumi_aws, so that reading a profile costs no import of it."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.section import Cidr, DnsLabel, Section

Arn = Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:iam::[0-9]{12}:[a-z-]+/.+$")]


class NewCluster(Section):
    """An EKS control plane of ours, with its roles and its OIDC provider."""

    vpc: Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$")]
    """The network it lives in, which exists already."""
    zones: tuple[str, ...] = Field(min_length=2)
    """Zones of the control plane; EKS wants two or more, whatever zone the GPUs are in."""
    public_access: tuple[Cidr, ...] = ()
    """Who reaches the API server over the internet; empty: nobody, it is private."""
    admins: tuple[Arn, ...] = ()
    """Principals that administer it besides the one who creates it."""


class EksCluster(Section):
    """The cluster that the nodes join."""

    name: DnsLabel | None = None
    """Its name in EKS; absent: the profile's."""
    create: NewCluster | None = None
    """Make it here; absent: it exists. A stack that makes one deploys no platform: their lifetimes differ."""


class AwsCloud(Section):
    """Nodes on EKS, for every pool that says its `capacity`."""

    kind: Literal["aws"]
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]$")]
    account: Annotated[str, Field(pattern=r"^[0-9]{12}$")] | None = None
    """The account; with credentials of another one nothing is deployed."""
    cluster: EksCluster = EksCluster()
    subnet_tags: Mapping[str, str] = Field(
        default_factory=lambda: {"kubernetes.io/role/internal-elb": "1"}, min_length=1
    )
    """Tags of the one subnet per zone that nodes use; by default EKS's own mark of private subnets."""
    node_role: Arn | None = None
    """IAM role of the nodes; absent: one is made with what EKS asks for."""
    disk_gib: Annotated[int, Field(ge=200, le=16384)] = 500
    """Root volume of a GPU node; images are 10 to 30 GB each, and models come on top."""
    ami_release: (
        Annotated[str, Field(pattern=r"^1\.[0-9]{2}\.[0-9]+-[0-9]{8}$|^1\.[0-9]+\.[0-9]+-[0-9a-f]{8}$")] | None
    ) = None
    """Release of the GPU nodes' image, such as `1.34.1-20251103` (Bottlerocket: `1.49.0-713f44ce`); absent: whatever is
    newest when a node group is made or updated, so that nodes of one pool can differ."""
    node_repair: bool = False
    """EKS reboots or replaces nodes whose GPUs fail; its node monitoring agent must be there (an add-on of EKS)."""
    local_disks: Literal["raid0"] | None = None
    """raid0: the instance's own NVMe disks hold images and pods (nodeadm, `localStorage`; AL2023 only)."""
