"""A resource whose provider is a class of ours: the engine keeps it pickled, by reference to a module and a name.

`pulumi.dynamic.Resource` pickles the provider anew for each resource, and each time wraps the pickler once more, for
good: a process that plans many clusters ends in a RecursionError. So here it is done once for each class. Module and
name stand in the state of every deployed cluster; so the module is `bedplate/providers.py`, wherever the class stands.
"""

import shutil
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import pulumi
from pulumi import dynamic
from pulumi.dynamic.dynamic import PROVIDER_KEY, serialize_provider  # pyright: ignore[reportUnknownVariableType]

from bedplate.cluster.identity import KEPT, identity, refuse_another

STATE_NAME = "bedplate.providers"
"""The one module of ours that a deployed cluster knows by name; it imports every provider."""


class Provider(dynamic.ResourceProvider):
    """What our providers share."""

    def __init_subclass__(cls) -> None:
        """Pickled by the name that stays, not by that of the file, which may move."""
        super().__init_subclass__()
        cls.__module__ = STATE_NAME

    def configure(self, req: dynamic.ConfigureRequest) -> None:
        """Only the provider's own process runs this: of its errors the engine shows all, and the words are enough."""
        super().configure(req)
        sys.tracebacklimit = 0


def here(props: Mapping[str, Any]) -> dict[str, Any]:
    """What the state keeps: what was asked for, and which cluster it was done on."""
    return {**props, KEPT: identity(str(props["context"]))}


class KubectlProvider(Provider):
    """One that reaches the cluster through kubectl, and acts again when what it was asked for changes."""

    asked: ClassVar[tuple[str, ...]]
    """Inputs of which another value is another task."""
    no_kubectl: ClassVar[str]
    """What to say where kubectl is not on the PATH."""

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Say in the preview already what the deployment would fail for."""
        missing = [] if shutil.which("kubectl") else [dynamic.CheckFailure("context", self.no_kubectl)]
        return dynamic.CheckResult(news, missing)

    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.DiffResult:
        """Changed means: do it again; another cluster than the state's is refused, in the preview already.

        A provider with a new name is a change too, as the state would keep the old one.
        """
        refuse_another(_news, _olds, unread=True)
        asked = (*self.asked, PROVIDER_KEY)
        return dynamic.DiffResult(changes=any(_olds.get(key) != _news.get(key) for key in asked))


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
