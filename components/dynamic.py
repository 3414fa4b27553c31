"""A resource whose provider is a class of ours: the engine keeps it pickled, by reference to a module and a name.

`pulumi.dynamic.Resource` pickles the provider anew for each resource, and each time wraps the pickler once more, for
good: a process that plans many clusters ends in a RecursionError. So here Python's own pickle does it, which writes the
same bytes of a class without a state (tests/unit/test_state_names.py). Module and name stand in the state of every
deployed cluster; so the module is `bedplate/providers.py`, wherever the class stands.
"""

import base64
import pickle
import shutil
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import pulumi
from pulumi import dynamic
from pulumi.dynamic.dynamic import PROVIDER_KEY

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.identity import KEPT, identity, refuse_another

STATE_NAME = "bedplate.providers"
"""The one module of ours that a deployed cluster knows by name; it imports every provider."""


PROTOCOL = 4
"""Of pickle, whatever a later Python prefers: other bytes in the state are another provider."""


class Provider(dynamic.ResourceProvider):
    """What our providers share."""

    def __init_subclass__(cls) -> None:
        """Pickled by the name that stays, not by that of the file, which may move."""
        super().__init_subclass__()
        cls.__module__ = STATE_NAME

    def configure(self, req: dynamic.ConfigureRequest) -> None:
        """Only the provider's own process runs this: of our errors it shows the words."""
        super().configure(req)
        if traceback.format_exc is not _words:
            traceback.format_exc = _words


_whole = traceback.format_exc


def _words(limit: int | None = None, chain: bool = True) -> str:  # noqa: FBT001, FBT002 - the signature of `format_exc`
    """What the SDK answers the engine of an error (pulumi/dynamic/__main__.py, `_abort_with_traceback`).

    One that is for people has no traceback. Any other has, be it our own fault or of another provider of the program,
    which shares this process.
    """
    error = sys.exception()
    return f"{type(error).__name__}: {error}\n" if isinstance(error, ClusterError) else _whole(limit, chain)


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
    return base64.b64encode(pickle.dumps(provider(), PROTOCOL)).decode()
