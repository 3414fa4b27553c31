"""The differences of two plans: what is created, changed, replaced and deleted, field by field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast

from bedplate.components.chart_keys import chart_name
from bedplate.folders import beside
from bedplate.review.fields import Field, differences

What = Literal["create", "update", "replace", "delete"]
_KEPT = beside(__file__, "in_place.toml")
FORCED: Mapping[str, list[str]] = _KEPT["replaced"]
IGNORED: Mapping[str, list[str]] = _KEPT["ignored"]
ALWAYS_FORCED = ("metadata.name", "metadata.namespace")


@dataclass(frozen=True)
class Resource:
    """A planned resource: of a recorded graph or of `graph.json`."""

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    read: bool = False

    @property
    def kind(self) -> str:
        """The last part of the type: Release, ClusterQueue, NodeGroup."""
        return self.type.rpartition(":")[2]

    @property
    def spec(self) -> Mapping[str, Any]:
        """What it asks for; empty where it has none."""
        spec: object = self.inputs.get("spec")
        return cast("Mapping[str, Any]", spec) if isinstance(spec, Mapping) else {}

    @property
    def chart(self) -> str:
        """The chart of a Helm release, without its repository."""
        return chart_name(str(self.inputs.get("chart", "")))


@dataclass(frozen=True)
class Change:
    """What happens to one resource."""

    what: What
    old: Resource | None
    new: Resource | None
    fields: tuple[Field, ...] = ()
    fresh: bool = False
    """Its namespace is created with it, so nothing runs there yet."""
    releases: Mapping[str, str] = field(default_factory=dict[str, str])
    """Charts of the new plan with their versions: what may change is their release's to say."""

    @cached_property
    def resource(self) -> Resource:
        """As it will be; as it was, of a deleted one."""
        resource = self.new or self.old
        assert resource is not None  # noqa: S101 - one of them is always there
        return resource

    @property
    def specs(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Before and after; empty where it was not, or is no longer."""
        return (self.old.spec if self.old else {}, self.new.spec if self.new else {})


def changes(old: Sequence[Resource], new: Sequence[Resource], engine: Mapping[str, What] | None = None) -> list[Change]:
    """Every difference, in the order of the new plan, deleted resources last; `engine`: what Pulumi does, by URN."""
    before, after = _by_urn(old), _by_urn(new)
    steps: dict[str, What] = {_without_stack(urn): what for urn, what in (engine or {}).items()}
    made = {
        _metadata(resource, "name")
        for urn, resource in after.items()
        if resource.kind == "Namespace" and urn not in before
    }
    changed = [_change(before.get(urn), resource, steps.get(urn)) for urn, resource in after.items()]
    releases = {resource.chart: str(resource.inputs.get("version", "")) for resource in new if resource.chart}
    return [
        *(
            replace(c, fresh=c.what == "create" and _metadata(c.resource, "namespace") in made, releases=releases)
            for c in changed
            if c
        ),
        *(Change("delete", resource, None) for urn, resource in before.items() if urn not in after),
    ]


def _by_urn(resources: Sequence[Resource]) -> dict[str, Resource]:
    """Our resources: components only group, and what is read belongs to somebody else. The stacks' names may differ."""
    groups = ("bedplate:", "pulumi:pulumi:")
    ours = (resource for resource in resources if not resource.read and not resource.type.startswith(groups))
    return {_without_stack(resource.urn): resource for resource in ours}


def _without_stack(urn: str) -> str:
    return urn.partition("::")[2]


def _metadata(resource: Resource, key: str) -> object:
    metadata = resource.inputs.get("metadata")
    return cast("Mapping[str, object]", metadata).get(key) if isinstance(metadata, Mapping) else None


def _change(old: Resource | None, new: Resource, step: What | None) -> Change | None:
    if old is None:
        return Change("create", None, new)
    ignored = IGNORED.get(new.kind, ())
    fields = tuple(one for one in differences(old.inputs, new.inputs) if not one.within(*ignored))
    if not fields:
        return None
    forced = (*ALWAYS_FORCED, *FORCED.get(new.kind, ()))
    return Change(step or ("replace" if any(one.within(*forced) for one in fields) else "update"), old, new, fields)
