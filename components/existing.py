"""What the profile says the cluster has already, looked up: what is missing fails the preview, one line each.

Without it the first to miss a StorageClass is a claim that waits until its timeout, minutes into an `up`. The names of
the look-ups are the profile's keys, because the engine's message is only "resource ... does not exist".
"""

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components import facts
from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.section import Section


class Existing(Component[Section], token="bedplate:site:Existing"):
    """Reads what others made; makes and deletes nothing."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for one in args.facts.existing:
            _look_up(one, child)


def _look_up(one: facts.Existing, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    name = f"{one.key}/{one.name}"
    match one.kind:
        case "StorageClass":
            return k8s.storage.v1.StorageClass.get(name, one.name, opts=opts)
        case "CSIDriver":
            return k8s.storage.v1.CSIDriver.get(name, one.name, opts=opts)
        case "Namespace":
            return k8s.core.v1.Namespace.get(name, one.name, opts=opts)
        case "CustomResourceDefinition":
            return k8s.apiextensions.v1.CustomResourceDefinition.get(name, one.name, opts=opts)
        case "ServiceAccount":
            return k8s.core.v1.ServiceAccount.get(f"{one.key}/{one.identity}", one.identity, opts=opts)
