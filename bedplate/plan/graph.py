"""The recorded graph: frozen resources in the order of the program, and the questions one asks of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

STACK_TYPE = "pulumi:pulumi:Stack"
PROVIDER_PREFIX = "pulumi:providers:"


@dataclass(frozen=True)
class Options:
    """What a resource asks of the engine rather than of its provider."""

    protect: bool = False
    retain_on_delete: bool = False
    delete_before_replace: bool = False
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    additional_secret_outputs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    deleted_with: str = ""
    import_id: str = ""
    timeouts: Mapping[str, str] = field(default_factory=dict[str, str])
    """`create`, `update`, `delete`, as written (`30m`)."""


@dataclass(frozen=True)
class Node:
    """One registered resource, with its secrets masked: safe to print."""

    seq: int
    urn: str
    type: str
    name: str
    custom: bool
    parent: str
    dependencies: tuple[str, ...]
    property_dependencies: Mapping[str, tuple[str, ...]]
    provider: str
    """The provider's reference, `urn::id`; empty for a default provider or none."""
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any] | None
    """What the provider would answer; for a component what it registered, or None if it never did."""
    id: str = ""
    read: bool = False
    """Whether the program only reads it (`.get`), so that it belongs to somebody else."""
    options: Options = Options()

    @property
    def provider_urn(self) -> str:
        """The provider without its id."""
        return self.provider.rpartition("::")[0]

    @property
    def kind(self) -> str:
        """The last part of the type: `Release`, `Namespace`, `ClusterPolicyPatch`."""
        return self.type.rpartition(":")[2]

    @property
    def package(self) -> str:
        """Whose provider makes it."""
        return self.type.split(":")[0]

    @property
    def has_default_provider(self) -> bool:
        """The program named none, so that the engine would make one from the shell's settings."""
        built_in = self.type.startswith((PROVIDER_PREFIX, "pulumi:"))
        return self.custom and not self.provider and not built_in

    def waits_for(self) -> Iterator[str]:
        """What must exist before this one: its dependencies, its parent, its provider."""
        yield from self.dependencies
        yield from filter(None, (self.parent, self.provider_urn))


@dataclass(frozen=True)
class Graph:
    """Everything that one run of a program declares."""

    project: str
    stack: str
    nodes: tuple[Node, ...]
    """As the program declares them, so that two runs of it are alike; the stack itself comes first."""
    logs: tuple[tuple[str, str], ...] = ()
    """What the program said to the engine: severity (`WARNING`) and text."""
    invokes: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    profile: Mapping[str, Any] | None = None
    """The project's structured `profile` key, from which all the rest follows; None without one."""
    missing_secrets: tuple[str, ...] = ()
    """Secret configuration that the program asks for and the stack file does not hold yet."""

    @cached_property
    def by_urn(self) -> Mapping[str, Node]:
        """Look a resource up."""
        return {node.urn: node for node in self.nodes}

    @cached_property
    def resources(self) -> tuple[Node, ...]:
        """All but the stack itself."""
        return tuple(node for node in self.nodes if node.type != STACK_TYPE)

    @cached_property
    def _children(self) -> Mapping[str, tuple[Node, ...]]:
        children: dict[str, list[Node]] = {}
        for node in self.nodes:
            children.setdefault(node.parent, []).append(node)
        return {urn: tuple(nodes) for urn, nodes in children.items()}

    def children(self, urn: str) -> tuple[Node, ...]:
        """The resources declared right below one."""
        return self._children.get(urn, ())
