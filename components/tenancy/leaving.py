"""How a team leaves: all that is in its namespace goes while the controllers that have a word in it still run.

People's jobs carry finalizers of Kueue, JobSet, KEDA and others. A namespace that goes beside their controllers, as two
branches of one destroy do, hangs for ever on the first of them. So this comes after the controllers, makes nothing, and
when it is deleted, which is before them, it deletes the namespace and waits; what stays is named.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pulumi
from pulumi import dynamic

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.identity import KEPT, refuse_another
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Whole, until
from bedplate.components.component import Component
from bedplate.components.dynamic import DynamicResource, Provider, here
from bedplate.components.facts import Args
from bedplate.components.tenancy.teams import TenancySection

NAMESPACES = "/api/v1/namespaces"
REMAINING = ("NamespaceContentRemaining", "NamespaceFinalizersRemaining", "NamespaceDeletionContentFailure")
"""Conditions by which Kubernetes says what keeps a namespace."""


class LeavingProvider(Provider):
    """Deletes a namespace in time."""

    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.DiffResult:
        """What a later deletion has to know is kept; which cluster it is, also where an older state lacks it."""
        refuse_another(_news, _olds, unread=True)
        changed = any(_olds.get(key) != value for key, value in _news.items())
        return dynamic.DiffResult(changes=changed or KEPT not in _olds)

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Nothing yet."""
        return dynamic.CreateResult(props["namespace"], here(props))

    def update(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.UpdateResult:
        """Nothing yet."""
        refuse_another(_news, _olds)
        return dynamic.UpdateResult(here(_news))

    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Now, and on no other cluster."""
        refuse_another(_props, _props)
        leave(_props)


class Leaving(DynamicResource):
    """Stands for the orderly end of a namespace."""

    def __init__(self, name: str, desired: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("tenancy:Leaving", LeavingProvider, name, desired, opts)


class TeamsLeave(Component[TenancySection], token="bedplate:tenancy:TeamsLeave"):
    """Keeps controllers alive until the teams' objects are gone."""

    def _declare(self, args: Args[TenancySection], _: pulumi.ResourceOptions) -> None:
        for team in args.section.teams:
            desired = {
                "context": args.facts.context,
                "namespace": team.name,
                "timeout": args.section.leave_timeout,
            }
            protected = team.name not in args.facts.retired
            Leaving(f"{team.name}-leaves", desired, pulumi.ResourceOptions(parent=self, protect=protected))


def leave(props: Mapping[str, Any]) -> None:
    """Delete the namespace and wait for its end; gone already is as well."""
    name, context = str(props["namespace"]), str(props["context"])
    kubectl(context, "delete", "namespace", name, "--wait=false", "--ignore-not-found")
    deadline = time.monotonic() + float(props["timeout"])
    if faults := until(Reader(context), NAMESPACES, Whole(partial(remaining, name)), deadline)[0]:
        raise ClusterError("\n".join(faults))


def remaining(name: str, found: Sequence[Mapping[str, Any]]) -> list[str]:
    """What keeps the namespace, in Kubernetes' own words."""
    mine = [one for one in found if one["metadata"]["name"] == name]
    return [
        "; ".join((f"namespace {name} does not go", *(one["message"] for one in _conditions(namespace))))
        for namespace in mine
    ]


def _conditions(namespace: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    observed = namespace.get("status", {}).get("conditions") or ()
    return [one for one in observed if one["type"] in REMAINING and one["status"] == "True"]
