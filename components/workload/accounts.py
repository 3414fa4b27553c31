"""Service accounts as resources of the stack: what passes from a volume to a server, or back, is the same account."""

from collections.abc import Iterable, Mapping

import pulumi

from bedplate.components.manifest import declare
from bedplate.components.names import scoped
from bedplate.components.workload.identity import AnyAccount, manifests

HOLDERS: Mapping[str, str] = {"bedplate:storage:Volumes": "volumes", "bedplate:serving:Servers": "serving"}
"""Components that make accounts: type and name."""


def declare_accounts(used: Iterable[tuple[str, AnyAccount | None]], holder: pulumi.ComponentResource) -> None:
    """Each account that is made here, by namespace and name, with the URN that it had below another holder.

    Without it the engine would make a second one before it deletes the first, and the API server refuses that.
    """
    others = [(name, type_) for type_, name in HOLDERS.items() if type_ != holder.pulumi_resource_type]
    aliases = [pulumi.Alias(parent=pulumi.create_urn(name, type_)) for name, type_ in others]
    for account in manifests(used):
        title = scoped(account["metadata"]["namespace"], account["metadata"]["name"])
        declare(title, account, pulumi.ResourceOptions(parent=holder, aliases=[*aliases]))
