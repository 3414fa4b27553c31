"""One registration while the program still runs, and how it becomes a node of the graph."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .graph import Node, Options
from .wire import mask

Message: TypeAlias = Any
"""A protobuf message of the SDK, whose generated types import modules that do not exist."""


@dataclass
class Registration:
    """A request as it came in: inputs and outputs may still hold secrets."""

    urn: str
    request: Message
    inputs: dict[str, Any]
    custom: bool
    read: bool
    outputs: dict[str, Any] | None = None
    id: str = ""

    def node(self, seq: int) -> Node:
        """Freeze it, masked."""
        request = self.request
        return Node(
            seq=seq,
            urn=self.urn,
            type=request.type,
            name=request.name,
            custom=self.custom,
            parent=request.parent,
            dependencies=tuple(sorted(request.dependencies)),
            property_dependencies={} if self.read else _property_dependencies(request),
            provider=request.provider,
            inputs=mask(self.inputs),
            outputs=None if self.outputs is None else self._masked_outputs(),
            id=self.id,
            read=self.read,
            options=Options() if self.read else _options(request),
        )

    def _masked_outputs(self) -> Mapping[str, Any]:
        """The provider hands inputs back, so that what it must keep secret is secret here as well."""
        names = set(self.request.additionalSecretOutputs)
        return {key: mask(value, hidden=key in names) for key, value in (self.outputs or {}).items()}


def _property_dependencies(request: Message) -> dict[str, tuple[str, ...]]:
    dependencies = {key: tuple(sorted(value.urns)) for key, value in request.propertyDependencies.items()}
    return {key: urns for key, urns in sorted(dependencies.items()) if urns}


def _options(request: Message) -> Options:
    timeouts = request.customTimeouts
    return Options(
        protect=request.protect,
        retain_on_delete=request.retainOnDelete,
        delete_before_replace=request.deleteBeforeReplace,
        ignore_changes=tuple(request.ignoreChanges),
        replace_on_changes=tuple(request.replaceOnChanges),
        additional_secret_outputs=tuple(request.additionalSecretOutputs),
        aliases=(*request.aliasURNs, *_aliases(request.aliases)),
        deleted_with=request.deletedWith,
        import_id=request.importId,
        timeouts={key: value for key in ("create", "update", "delete") if (value := getattr(timeouts, key))},
    )


def _aliases(aliases: Iterable[Message]) -> Iterable[str]:
    """An alias as a person would write it: a URN, or what differs from the resource's own."""
    for alias in aliases:
        spec = alias.spec
        parts = {"name": spec.name, "type": spec.type, "stack": spec.stack, "parent": spec.parentUrn}
        yield alias.urn or " ".join(f"{key}={value}" for key, value in parts.items() if value)
