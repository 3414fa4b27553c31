"""The cloud section of the profile, and the one place that picks a cloud's components and providers.

Imports of pulumi_aws and pulumi_gcp cost a second and more, so each happens only where it is used.
"""

from typing import Annotated, Any

import pulumi
from pydantic import Field

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.elsewhere import AzureCloud, OciCloud
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import Args
from bedplate.stacks.profile.problem import Problem, ProfileError

AnyCloud = Annotated[AwsCloud | GcpCloud | AzureCloud | OciCloud, Field(discriminator="kind")]


def cloud_nodes(name: str, args: Args[Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """The nodes of the profile's cloud."""
    # ruff: noqa: PLC0415 - see above
    if isinstance(args.section, AwsCloud):
        from bedplate.components.cloud.aws.nodes import EksNodes

        return EksNodes(name, args, opts)
    from bedplate.components.cloud.gcp.nodes import GkeNodes

    return GkeNodes(name, args, opts)


def cloud_provider(cluster: str, section: AwsCloud | GcpCloud) -> pulumi.ProviderResource:
    """A provider bound to the section's region and account; its credentials come from the environment, at `up`."""
    if isinstance(section, AwsCloud):
        try:
            import pulumi_aws as aws
        except ModuleNotFoundError as error:
            raise _without_sdk("aws", error) from None

        return aws.Provider(
            "aws",
            region=section.region,
            allowed_account_ids=[section.account] if section.account else None,
            default_tags={"tags": {"bedplate/cluster": cluster}},
        )
    try:
        import pulumi_gcp as gcp
    except ModuleNotFoundError as error:
        raise _without_sdk("gcp", error) from None

    return gcp.Provider("gcp", project=section.project, region=section.region)


def _without_sdk(kind: str, error: ModuleNotFoundError) -> ProfileError:
    """The clouds' SDKs are extras of the package: together they are ten times as large as all the rest."""
    reason = f"the SDK of this cloud is not installed ({error.name})"
    return ProfileError([Problem("cloud.kind", kind, reason, f"install it: pip install 'bedplate[{kind}]'")])
