"""The resource that exists once nodes are whole: it makes nothing, and waits anew whenever what it proves changes.

A dynamic provider, so that it is a step like any other: in the preview it is planned, in a failed `up` it is named with
what is wrong, and the next `up` goes on from it.
"""

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pulumi
from pulumi import dynamic

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.identity import refuse_another
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Judge, Whole, until
from bedplate.components.dynamic import DynamicResource, KubectlProvider, here
from bedplate.components.verification.judge import Pools, late_operands

NODES = "/api/v1/nodes"
NO_KUBECTL = "there is no kubectl on the PATH: the nodes are looked at through it (docs/verification.md)"
ASKED = ("context", "pools", "operators", "guards", "timeout")


class NotWholeError(ClusterError):
    """What the nodes lack."""


class NodesProvider(KubectlProvider):
    """Waits; the state is what was proven."""

    asked = ASKED
    no_kubectl = NO_KUBECTL

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Wait for the first time."""
        prove(props)
        return dynamic.CreateResult("nodes", here(props))

    def update(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.UpdateResult:
        """Wait again."""
        refuse_another(_news, _olds)
        prove(_news)
        return dynamic.UpdateResult(here(_news))

    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Nothing, but on another cluster than the state's nothing goes that comes after it."""
        refuse_another(_props, _props, unread=True)


class NodesProof(DynamicResource):
    """Stands for whole nodes."""

    def __init__(self, name: str, desired: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("verification:NodesProof", NodesProvider, name, desired, opts)


def prove(desired: Mapping[str, Any]) -> None:
    """Return when all is well; at the deadline raise with everything that is not."""
    deadline = time.monotonic() + float(desired["timeout"])
    # Waiting for one may take long enough for another to change, so look at all again until none had to be waited for.
    while waits(desired, deadline):
        pass


def waits(desired: Mapping[str, Any], deadline: float) -> bool:
    """Look at operands and nodes, each until it is well; whether any was not at once."""
    reader = Reader(str(desired["context"]))
    any_waited = False
    for path, judge in looks(desired, reader):
        faults, waited = until(reader, path, judge, deadline)
        any_waited |= waited
        if faults:
            raise NotWholeError("\n" + "\n".join(faults))
    return any_waited


def looks(desired: Mapping[str, Any], reader: Reader) -> Iterator[tuple[str, Judge]]:
    """What is looked at, in order, each with its judge."""
    for operator in desired["operators"]:
        policies, _ = reader.look(operator["policies"])
        yield operator["operands"], Whole(partial(late_operands, policies, int(operator["spare"])))
    yield NODES, Pools(desired["pools"])
