"""A resource whose provider is a class of ours: the engine keeps it pickled, by reference to its module.

`pulumi.dynamic.Resource` pickles the provider anew for each resource, and each time wraps the pickler once more, for
good: a process that plans many clusters ends in a RecursionError. So here it is done once for each class. Its module
and name stand in the state of every deployed cluster, and must stay what they are.
"""

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pulumi
from pulumi import dynamic
from pulumi.dynamic.dynamic import PROVIDER_KEY, serialize_provider  # pyright: ignore[reportUnknownVariableType]


class Provider(dynamic.ResourceProvider):
    """What our providers share."""

    def configure(self, req: dynamic.ConfigureRequest) -> None:
        """Only the provider's own process runs this: of its errors the engine shows all, and the words are enough."""
        super().configure(req)
        sys.tracebacklimit = 0


class DynamicResource(pulumi.CustomResource):
    """One such resource; `token` is its module and name, such as `verification:NodesProof`."""

    def __init__(
        self,
        token: str,
        provider: type[dynamic.ResourceProvider],
        name: str,
        props: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__(f"pulumi-python:dynamic/{token}", name, {**props, PROVIDER_KEY: pickled(provider)}, opts)


@cache
def pickled(provider: type[dynamic.ResourceProvider]) -> str:
    """The reference that the engine keeps."""
    return serialize_provider(provider())  # pyright: ignore[reportUnknownVariableType]
