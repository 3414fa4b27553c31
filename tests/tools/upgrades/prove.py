"""From the old release's CRDs to the new one's and back, with fifty objects of people in them, on a real API server."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.tools.upgrades.api import DEFINITIONS, MERGE, Api, RefusedError
from tests.tools.upgrades.objects import Object, examples, kind_of, people_wrote, place, with_gone
from tests.tools.upgrades.releases import Definitions
from tests.tools.upgrades.schemas import kind, served, storage

STRICT = "fieldValidation=Strict"
MEANWHILE = "the object has been modified"
TRIES = 10


def prove(api: Api, chart: str, old: Definitions, new: Definitions) -> dict[str, Any]:
    """What happened, as it is recorded: without what did not."""
    found = Run(api, chart, old, new).proof()
    return {key: value for key, value in found.items() if value}


@dataclass
class Run:
    """One pair of releases."""

    api: Api
    chart: str
    old: Definitions
    new: Definitions
    kept: dict[str, Object] = field(default_factory=dict[str, Object])
    """As the old release took them, by address there."""
    unwritable: dict[str, str] = field(default_factory=dict[str, str])
    """Fields that go, and that could not be set even before."""

    def proof(self) -> dict[str, Any]:
        """What happened, as it is recorded."""
        people = people_wrote(self.chart, self.old)
        self.api.clear({one["spec"]["group"] for one in (*self.old.values(), *self.new.values())})
        if refused := self.api.define(self.old):
            raise RefusedError(str(refused))
        self._write(people)
        before = self._stored(self.old)
        up = self._definitions(self.new)
        forward = self._look(self.new if not up else self.old)
        taken = self._people_again()
        after = self._stored(self.new)
        self._migrate(after)
        down = self._definitions(self.old)
        return {
            "objects": dict(sorted(Counter(one["kind"] for one in people).items())),
            "upgrade": _happened({"definitionsRefused": up, **forward, "manifestsRefused": taken}),
            "stored": {name: [before[name], after.get(name, [])] for name in before if before[name] != after.get(name)},
            "back": _happened({"definitionsRefused": down, **({} if down else self._look(self.old))}),
            "unshown": self.unwritable,
        }

    def _write(self, people: list[Object]) -> None:
        for one in people:
            self._create(one)
        for name, candidates in with_gone(self.chart, self.old, self.new):
            self._create_one(name, candidates)

    def _create_one(self, name: str, candidates: list[Object]) -> None:
        for one in candidates:
            try:
                made = self._create(one)
            except RefusedError as why:
                self.unwritable[name] = str(why)
            else:
                if not list(_missing(_content(one), _content(made))):
                    self.unwritable.pop(name, None)
                    return
                self.unwritable[name] = f"{one['apiVersion']} does not keep it"

    def _create(self, one: Object) -> Object:
        where = place(one, kind_of(one, self.old), named=False)
        made = self.api.ask("POST", f"{where}?{STRICT}", one)
        self.kept[place(one, kind_of(one, self.old))] = made
        return made

    def _definitions(self, wanted: Definitions) -> dict[str, str]:
        return {name: why.partition(": ")[2] or why for name, why in self.api.define(wanted).items()}

    def _look(self, now: Definitions) -> dict[str, Any]:
        """Read every object at a version that is served now, and write it."""
        lost: list[str] = []
        refused: dict[str, str] = {}
        pruned: set[str] = set()
        changed: set[str] = set()
        for one in self.kept.values():
            of = kind_of(one, self.old)
            try:
                found = self.api.ask("GET", _now(one, now))
            except RefusedError:
                lost.append(f"{one['kind']} {one['metadata']['name']}")
                continue
            if found["metadata"]["uid"] != one["metadata"]["uid"]:
                lost.append(f"{one['kind']} {one['metadata']['name']}")
            if found["apiVersion"] == one["apiVersion"]:
                pruned |= {f"{kind(of)}.{path}" for path in _missing(_content(one), _content(found))}
                changed |= {f"{kind(of)}.{path}" for path in _other(_content(one), _content(found))}
            if why := self._written(_now(one, now), found):
                refused.setdefault(kind(of), why)
        return {"lost": sorted(lost), "refused": refused, "pruned": sorted(pruned), "changed": sorted(changed)}

    def _written(self, where: str, found: Object) -> str:
        """Why an object cannot be written; empty: it can. A controller may write it at the same time."""
        why = ""
        for _ in range(TRIES):
            try:
                self.api.ask("PUT", f"{where}?{STRICT}", _touched(found))
            except RefusedError as refusal:
                why = str(refusal)
                if MEANWHILE not in why:
                    return why
                found = self.api.ask("GET", where)
            else:
                return ""
        return why

    def _people_again(self) -> dict[str, str]:
        """Whether what people have in their repositories can still be applied, as it is."""
        refused: dict[str, str] = {}
        for number, one in enumerate(examples(self.chart, self.old)):
            fresh = {**one, "metadata": {"name": f"again-{number}"}}
            where = place(fresh, kind_of(fresh, self.old), named=False)
            try:
                self.api.ask("POST", f"{where}?dryRun=All&{STRICT}", fresh)
            except RefusedError as why:
                refused[f"{one['apiVersion']} {one['kind']}"] = str(why)
        return refused

    def _stored(self, of: Definitions) -> dict[str, list[str]]:
        return {name: self.api.ask("GET", f"{DEFINITIONS}/{name}")["status"]["storedVersions"] for name in sorted(of)}

    def _migrate(self, stored: Mapping[str, list[str]]) -> None:
        """Every object has been written since: so the versions that nothing is kept in can be forgotten."""
        for name, versions in stored.items():
            if name in self.new and len(versions) > 1:
                status = {"status": {"storedVersions": [storage(self.new[name])]}}
                self.api.ask("PATCH", f"{DEFINITIONS}/{name}/status", status, MERGE)


def _happened(seen: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in seen.items() if value}


def _now(one: Object, definitions: Definitions) -> str:
    """Its address, at its own version or at the one that it is kept in now."""
    of = kind_of(one, definitions)
    group, _, version = one["apiVersion"].partition("/")
    version = version if version in served(of) else storage(of)
    return place({**one, "apiVersion": f"{group}/{version}"}, of)


def _content(one: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in one.items() if key not in {"apiVersion", "kind", "metadata", "status"}}


def _touched(one: Object) -> Object:
    labels = {**one["metadata"].get("labels", {}), "written-at": f"turn-{len(one['metadata'].get('labels', {}))}"}
    return {**one, "metadata": {**one["metadata"], "labels": labels}}


def _missing(before: Any, after: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Fields that were set and are not there any more, the shallowest."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, below in before.items():
            if name in after:
                yield from _missing(below, after[name], (*path, name))
            elif below not in ("", [], {}):  # an empty default, which a conversion may leave out, nobody has set
                yield ".".join((*path, name)).removeprefix("spec.")
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=False):
            yield from _missing(one, other, path)


def _other(before: Any, after: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Values that are not what they were."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() & after.keys():
            yield from _other(before[name], after[name], (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from _other(one, other, path)
    elif before != after:
        yield ".".join(path).removeprefix("spec.")
