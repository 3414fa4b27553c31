"""The differences of two plans: what is created, changed, replaced and deleted, field by field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from bedplate.components.chart_keys import chart_name
from bedplate.review.fields import Field, differences

What = Literal["create", "update", "replace", "delete"]
FORCED: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": ("immutable",),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "Job": ("spec.completions", "spec.parallelism", "spec.selector", "spec.template"),
    "PersistentVolume": ("spec.csi", "spec.hostPath", "spec.local", "spec.nfs"),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"),
    "PriorityClass": ("preemptionPolicy", "value"),
    "ResourceQuota": ("spec.scopes",),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "Secret": ("type",),
    "Service": ("spec.clusterIP",),
    "StatefulSet": (
        "spec.podManagementPolicy",
        "spec.revisionHistoryLimit",
        "spec.selector",
        "spec.serviceName",
        "spec.volumeClaimTemplates",
    ),
    "StorageClass": ("parameters", "provisioner"),
    "Release": ("namespace",),
    "PlacementGroup": ("name", "strategy", "partitionCount", "spreadLevel"),
    "NodeGroup": ("instanceTypes", "subnetIds", "nodeRoleArn", "capacityType", "clusterName", "nodeGroupName"),
    "Subnetwork": ("network", "region"),
    "ResourcePolicy": ("groupPlacementPolicy", "region"),
}
"""Fields that the provider cannot change in place (pulumi/pulumi-kubernetes 4.34 provider/pkg/provider/diff.go; the
force-new fields of the AWS and Google providers), or that the engine is told to replace (`replace_on_changes` of
PriorityClasses)."""
IGNORED: Mapping[str, tuple[str, ...]] = {"PersistentVolume": ("spec.csi.volumeHandle",), "Release": ("name",)}
"""Fields that the engine is told to leave as they are deployed (`ignore_changes` of volumes and charts)."""
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

    @cached_property
    def resource(self) -> Resource:
        """As it will be; as it was, of a deleted one."""
        found = self.new or self.old
        assert found is not None  # noqa: S101 - one of them is always there
        return found

    @property
    def specs(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Before and after; empty where it was not, or is no longer."""
        return (self.old.spec if self.old else {}, self.new.spec if self.new else {})


def changes(old: Sequence[Resource], new: Sequence[Resource], said: Mapping[str, What] | None = None) -> list[Change]:
    """Every difference, in the order of the new plan, deleted resources last; `said`: what the engine itself does."""
    before, after = _by_urn(old), _by_urn(new)
    known: dict[str, What] = {urn.partition("::")[2]: what for urn, what in (said or {}).items()}
    born = {_metadata(one, "name") for urn, one in after.items() if one.kind == "Namespace" and urn not in before}
    found = [change for urn, one in after.items() if (change := _change(before.get(urn), one, known.get(urn)))]
    found = [replace(one, fresh=one.what == "create" and _metadata(one.resource, "namespace") in born) for one in found]
    return found + [Change("delete", one, None) for urn, one in before.items() if urn not in after]


def _by_urn(resources: Sequence[Resource]) -> dict[str, Resource]:
    """What is ours: components only group, and what is read belongs to somebody else. Stacks may have other names."""
    groups = ("bedplate:", "pulumi:pulumi:")
    return {one.urn.partition("::")[2]: one for one in resources if not one.read and not one.type.startswith(groups)}


def _metadata(resource: Resource, key: str) -> object:
    metadata = resource.inputs.get("metadata")
    return cast("Mapping[str, object]", metadata).get(key) if isinstance(metadata, Mapping) else None


def _change(old: Resource | None, new: Resource, said: What | None) -> Change | None:
    if old is None:
        return Change("create", None, new)
    ignored = IGNORED.get(new.kind, ())
    fields = tuple(field for field in differences(old.inputs, new.inputs) if not field.within(*ignored))
    if not fields:
        return None
    forced = (*ALWAYS_FORCED, *FORCED.get(new.kind, ()))
    return Change(said or ("replace" if any(field.within(*forced) for field in fields) else "update"), old, new, fields)
