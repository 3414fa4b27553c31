"""Transforms of a program, which the engine runs by calling back into it: here they run in process.

The SDK's own servicer turns a function into a call of bytes and back, so a transform sees here what it sees there.
The engine runs those of the resource first, then its parents', then the stack's (pulumi/pulumi,
pkg/resource/deploy/source_eval.go, RegisterResource).
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from pulumi.runtime import _callbacks
from pulumi.runtime.proto import resource_pb2 as messages

Message: TypeAlias = Any
"""A protobuf message of the SDK, whose generated types import modules that do not exist."""
Called: TypeAlias = Callable[[bytes], Awaitable[Message]]
OTHERS: Mapping[str, str] = {"depends_on": "dependencies", "import": "importId", "hide_diff": "hideDiffs"}
"""Options whose field in a registration is called otherwise; the rest differ by underscores alone."""


class Transforms(_callbacks._CallbackServicer):  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way
    """Keeps a program's transforms and applies them; no server listens."""

    def __init__(self) -> None:
        self._callbacks: dict[str, Called] = {}
        self._transforms = {}
        self._state_migrations = {}
        self._monitor: Any = self
        self._target = ""
        self._of_stack: list[str] = []
        self._of: dict[str, tuple[str, ...]] = {}

    def RegisterStackTransform(self, callback: Message) -> None:  # noqa: N802 - the protocol's name
        """Of every resource from now on."""
        self._of_stack.append(callback.token)

    def apply(self, request: Message, urn: str) -> None:
        """Change a registration as the engine would before it is made."""
        self._of[urn] = (*(transform.token for transform in request.transforms), *self._of.get(request.parent, ()))
        for token in (*self._of[urn], *self._of_stack):
            transform_request = messages.TransformRequest(
                type=request.type, name=request.name, custom=request.custom, parent=request.parent
            )
            transform_request.properties.CopyFrom(request.object)
            for ours, theirs in _pairs():
                _copy(request, theirs, transform_request.options, ours)
            answer = _done(self._callbacks[token], transform_request.SerializeToString())
            request.object.CopyFrom(answer.properties)
            for ours, theirs in _pairs() if answer.HasField("options") else ():
                _copy(answer.options, ours, request, theirs)


def _pairs() -> list[tuple[str, str]]:
    """Each option by its name among options and in a registration."""
    fields: dict[str, str] = {
        _plain(field.name): field.name for field in messages.RegisterResourceRequest.DESCRIPTOR.fields
    }
    names: list[str] = [field.name for field in messages.TransformResourceOptions.DESCRIPTOR.fields]
    return [(name, field_name) for name in names if (field_name := OTHERS.get(name) or fields.get(_plain(name)))]


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _copy(source: Message, name: str, target: Message, to: str) -> None:
    """One field, whatever it holds; one that is not set is unset."""
    target.ClearField(to)
    value = getattr(source, name)
    field = source.DESCRIPTOR.fields_by_name[name]
    if hasattr(value, "extend"):
        getattr(target, to).extend(value)
    elif hasattr(value, "MergeFrom"):
        if not field.has_presence or source.HasField(name):
            getattr(target, to).MergeFrom(value)
    elif not field.has_presence or source.HasField(name):
        setattr(target, to, value)


def _done(call: Called, data: bytes) -> Message:
    """Run it to its end in a thread: this one's loop waits for the answer to the registration."""

    async def run() -> Message:
        return await call(data)

    context = contextvars.copy_context()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(context.run, asyncio.run, run()).result()
