"""Which of what the engine would create is on the cluster already, and how it is to be imported. Pure."""

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from bedplate.components.chart_keys import chart_name

from .answers import RELEASE

Object = Mapping[str, Any]
BY_READING = frozenset({"Secret"})
"""Kinds that the provider reads itself, so that the engine encrypts what is in them."""
NOTES = ("labels", "annotations")
WRITTEN = frozenset({"kubernetes.io/metadata.name", "kubectl.kubernetes.io/last-applied-configuration"})
"""Notes of Kubernetes' and kubectl's own."""


class Key(NamedTuple):
    """An object of the API server."""

    version: str
    kind: str
    namespace: str
    name: str

    @property
    def id(self) -> str:
        """As the provider calls it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def stub(self) -> dict[str, Any]:
        """Enough of a manifest to ask for it."""
        place = {"namespace": self.namespace} if self.namespace else {}
        return {"apiVersion": self.version, "kind": self.kind, "metadata": {"name": self.name, **place}}


class Release(NamedTuple):
    """A Helm release."""

    namespace: str
    name: str
    chart: str
    version: str
    status: str = "deployed"

    @property
    def id(self) -> str:
        """As the provider calls it."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Live:
    """What is on the cluster."""

    objects: Mapping[Key, Object]
    releases: Sequence[Release]


class Taken(NamedTuple):
    """One thing to import: the resource's type and name, what its entry gets, and how to call it."""

    place: tuple[str, str]
    entry: Mapping[str, Any]
    words: str


def to_create(preview: Mapping[str, Any]) -> Iterator[Object]:
    """Resources of the cluster that a preview would create; a patch belongs to nobody, and is made in any case."""
    for step in preview["steps"]:
        new: dict[str, Any] = step.get("newState") or {}
        kind = str(new.get("type", ""))
        if step["op"] == "create" and kind.startswith("kubernetes:") and not kind.endswith("Patch"):
            yield new


def key_of(manifest: Object) -> Key | None:
    """The identity of a manifest; None where the API server is to give it a name, and for what is none."""
    metadata: dict[str, Any] = manifest.get("metadata") or {}
    if not (manifest.get("apiVersion") and manifest.get("kind") and metadata.get("name")):
        return None
    return Key(manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"])


def release_of(record: Object) -> Release:
    """What Helm's record says: JSON in gzip in base64, and as a Secret once more in base64."""
    body = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(record["data"]["release"]))))
    chart = body["chart"]["metadata"]
    return Release(body["namespace"], body["name"], chart["name"], chart["version"], body["info"]["status"])


def planned(steps: Sequence[Object]) -> list[tuple[Object, Release]]:
    """The releases that the engine would install, with their steps."""
    releases = [(step, step["inputs"]) for step in steps if step["type"] == RELEASE]
    return [(step, Release(o["namespace"], o["name"], chart_name(o["chart"]), o["version"])) for step, o in releases]


def taken(steps: Sequence[Object], live: Live) -> Iterator[Taken]:
    """What is there of the steps."""
    releases = planned(steps)
    charts = Counter(release.chart for _, release in releases)
    for step, ours in releases:
        if there := counterpart(ours, live.releases, alone=charts[ours.chart] == 1):
            words = f"release {there.id}: {there.chart} {there.version}, will be {ours.version}"
            yield Taken(_place(step), {"id": there.id}, words)
    for step in steps:
        key = key_of(step["inputs"])
        if key and (existing := live.objects.get(key)):
            yield Taken(_place(step), _as_made(key, step["inputs"], existing), f"{key.kind} {key.id}")


def counterpart(ours: Release, there: Sequence[Release], *, alone: bool) -> Release | None:
    """The release of that name, or the only one of its chart where we have but one of it as well."""
    here = [release for release in there if (release.namespace, release.chart) == (ours.namespace, ours.chart)]
    if named := [release for release in here if release.name == ours.name]:
        return named[0]
    return here[0] if alone and len(here) == 1 else None


def faults(steps: Sequence[Object], live: Live) -> Iterator[str]:
    """Why it cannot be taken over, with what to do."""
    releases = planned(steps)
    charts = Counter(release.chart for _, release in releases)
    for _, ours in releases:
        mine = counterpart(ours, live.releases, alone=charts[ours.chart] == 1)
        if mine and mine.status != "deployed":
            yield f"release {mine.id}: Helm calls it {mine.status}: mend it first, with `helm rollback` or anew"
        elsewhere = [
            release for release in live.releases if release.chart == ours.chart and release.namespace != ours.namespace
        ]
        for held in elsewhere if charts[ours.chart] == 1 and not mine else ():
            yield (
                f"release {held.id}: {held.chart} is there already, and this stack installs it into {ours.namespace}: "
                "a release cannot move; uninstall it first, or leave its section out of the profile (docs/adopting.md)"
            )


def _as_made(key: Key, ours: Object, live: Object) -> dict[str, Any]:
    """As if we had made it the way it is: what we do not speak of is not ours, and a preview shows what will change."""
    if key.kind in BY_READING:
        return {"id": key.id}
    metadata = {name: value for name, value in live["metadata"].items() if name != "managedFields"}
    return {"id": key.id, "inputs": projected(ours, live), "outputs": {**live, "metadata": metadata}}


def projected(ours: object, live: object) -> object:
    """The parts of a live object of which we speak, with the values that they have."""
    if isinstance(ours, Mapping) and isinstance(live, Mapping):
        theirs = cast("Mapping[str, object]", live)
        spoken = cast("Mapping[str, object]", ours)
        return {name: projected(value, theirs[name]) for name, value in spoken.items() if name in theirs}
    return live


def filled(imports: Mapping[str, Any], taken: Sequence[Taken]) -> dict[str, Any]:
    """The engine's import file with what is there, its parents and providers, and nothing else."""
    entries = {resource.place: resource.entry for resource in taken}
    resources = [{**resource, **entries.get(_place(resource), {})} for resource in imports["resources"]]
    kept = {
        entry["name"]
        for entry in resources
        if _place(entry) in entries or entry["type"].startswith("pulumi:providers:")
    }
    while more := {entry["parent"] for entry in resources if entry["name"] in kept and entry.get("parent")} - kept:
        kept |= more
    return {**imports, "resources": [entry for entry in resources if entry["name"] in kept]}


def _place(resource: Mapping[str, Any]) -> tuple[str, str]:
    """Type and name of a step, or of an entry of the import file."""
    name = resource["urn"].rpartition("::")[2] if "urn" in resource else resource.get("logicalName", resource["name"])
    return resource["type"], name


def foreign(key: Key, ours: Object, live: Object) -> dict[str, Any] | None:
    """Its labels and annotations that neither we speak of nor Kubernetes and kubectl write; None without any."""
    parts = {part: _others(ours["metadata"].get(part), live["metadata"].get(part)) for part in NOTES}
    kept = {part: values for part, values in parts.items() if values}
    stub = key.stub()
    return {**stub, "metadata": {**stub["metadata"], **kept}} if kept else None


def _others(ours: Mapping[str, str] | None, there: Mapping[str, str] | None) -> dict[str, str]:
    return {name: value for name, value in (there or {}).items() if name not in {*WRITTEN, *(ours or {})}}
