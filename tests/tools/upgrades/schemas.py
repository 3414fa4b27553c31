"""Two releases' schemas of a kind: what goes, what comes, what is narrower, and how to write a field that goes."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.tools.upgrades.releases import Definitions

Schema = Mapping[str, Any]
OURS = frozenset({"apiVersion", "kind", "metadata", "status"})
"""Of every object; nobody's settings."""
LOWERED = ("maximum", "maxItems", "maxLength", "maxProperties")
RAISED = ("minimum", "minItems", "minLength", "minProperties")


def served(definition: Mapping[str, Any]) -> dict[str, Schema]:
    """The schema of each version that is served."""
    versions = definition["spec"]["versions"]
    return {one["name"]: one["schema"]["openAPIV3Schema"] for one in versions if one["served"]}


def storage(definition: Mapping[str, Any]) -> str:
    """The version that objects are kept in."""
    return next(one["name"] for one in definition["spec"]["versions"] if one["storage"])


def pairs(old: Definitions, new: Definitions) -> Iterator[tuple[str, Schema, Schema]]:
    """Kind and both schemas, of the version that objects of the old release were kept in where the new one serves it."""
    for name in sorted(old.keys() & new.keys()):
        version = storage(old[name])
        after = served(new[name])
        yield kind(old[name]), served(old[name])[version], after.get(version) or after[storage(new[name])]


def kind(definition: Mapping[str, Any]) -> str:
    """As people write it."""
    return definition["spec"]["names"]["kind"]


def differences(old: Definitions, new: Definitions) -> tuple[list[str], list[str]]:
    """Fields that go and that come, the shallowest that are whole; a kind that goes or comes is one."""
    gone = {kind(old[name]) for name in old.keys() - new.keys()}
    come = {kind(new[name]) for name in new.keys() - old.keys()}
    for of, before, after in pairs(old, new):
        gone |= {f"{of}.{path}" for path in lacking(before, after)}
        come |= {f"{of}.{path}" for path in lacking(after, before)}
    return sorted(gone), sorted(come)


def lacking(one: Schema, other: Schema) -> set[str]:
    """Paths in the one that the other has not."""
    return {spelt(path) for path in _lacking(one, other, ())}


def spelt(path: tuple[str, ...]) -> str:
    """Without what every path begins with, and without the marks of lists."""
    words = [word for word in path if word not in {"[]", "*"}]
    return ".".join(words[1:] if words[:1] == ["spec"] and len(words) > 1 else words)


def _lacking(one: Schema, other: Schema, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    mine, theirs = one.get("properties", {}), other.get("properties", {})
    open_to_all = other.get("x-kubernetes-preserve-unknown-fields") and not theirs
    for name, below in mine.items():
        if path or name not in OURS:
            if name in theirs:
                yield from _lacking(below, theirs[name], (*path, name))
            elif not open_to_all:
                yield (*path, name)
    for mark, key in (("[]", "items"), ("*", "additionalProperties")):
        if isinstance(one.get(key), Mapping) and isinstance(other.get(key), Mapping):
            yield from _lacking(one[key], other[key], (*path, mark))


def narrowed(old: Definitions, new: Definitions) -> list[str]:
    """What the new release refuses and the old one took, as far as a schema says it."""
    return sorted({f"{of}.{path}" for of, before, after in pairs(old, new) for path in _narrowed(before, after, ())})


def _narrowed(old: Schema, new: Schema, path: tuple[str, ...]) -> Iterator[str]:
    here = spelt(path) or "."
    yield from (f"{here}: {what}" for what in _stricter(old, new))
    for name in old.get("properties", {}).keys() & new.get("properties", {}).keys():
        if path or name not in OURS:
            yield from _narrowed(old["properties"][name], new["properties"][name], (*path, name))
    for mark, key in (("[]", "items"), ("*", "additionalProperties")):
        if isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping):
            yield from _narrowed(old[key], new[key], (*path, mark))


def _stricter(old: Schema, new: Schema) -> Iterator[str]:
    """Of one place alone."""
    below = new.get("properties", {})
    required = sorted(set(new.get("required", ())) - set(old.get("required", ())))
    yield from (f"{name} is required" for name in required if "default" not in below.get(name, {}))
    if old.get("type") != new.get("type"):
        yield f"{new.get('type')} instead of {old.get('type')}"
    if "enum" in new and (lost := set(old.get("enum", ["any other"])) - set(new["enum"])):
        yield f"{', '.join(sorted(map(str, lost)))} no more"
    if new.get("pattern") not in {None, old.get("pattern")}:
        yield "another pattern"
    yield from _bounds(old, new)
    rules = {rule["rule"] for rule in old.get("x-kubernetes-validations", ())}
    added = (rule for rule in new.get("x-kubernetes-validations", ()) if rule["rule"] not in rules)
    yield from (str(rule.get("message") or rule["rule"]) for rule in added)


def _bounds(old: Schema, new: Schema) -> Iterator[str]:
    for key in (*LOWERED, *RAISED):
        if key in new and (key not in old or (new[key] < old[key] if key in LOWERED else new[key] > old[key])):
            yield f"{key} {new[key]}"


def gone_paths(old: Definitions, new: Definitions, of: str) -> list[tuple[str, ...]]:
    """Of one kind, with the marks of lists."""
    found = (set(_lacking(before, after, ())) for name, before, after in pairs(old, new) if name == of)
    return sorted(path for some in found for path in some)


def grafted(value: Any, schema: Schema, path: tuple[str, ...]) -> Any:
    """The value with the field at the path set to something that the schema takes."""
    if not path:
        return sample(schema) or _something(schema)
    head, *rest = path
    if head == "[]":
        items = value if isinstance(value, list) and value else [sample(schema["items"])]
        return [grafted(items[0], schema["items"], tuple(rest)), *items[1:]]
    below = schema["additionalProperties"] if head == "*" else schema["properties"][head]
    key = next(iter(value), "any") if head == "*" and isinstance(value, dict) else head
    whole: dict[str, Any] = value if isinstance(value, dict) else sample(schema)
    inner = whole.get(key, sample(below) if rest else None)
    return {**whole, key: grafted(inner, below, tuple(rest))}


def sample(schema: Schema) -> Any:
    """The least that it takes, as far as it says so."""
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return next(one for one in schema["enum"] if one != "")
    make = {"object": _least, "array": _one, "boolean": _true, "integer": _number, "number": _number}
    return 1 if schema.get("x-kubernetes-int-or-string") else make.get(schema.get("type", ""), _text)(schema)


def _least(schema: Schema) -> dict[str, Any]:
    needed = schema.get("required", ())
    return {name: sample(below) for name, below in schema.get("properties", {}).items() if name in needed}


def _something(schema: Schema) -> dict[str, Any]:
    """Of what may be empty, a part: what is empty, nobody has set."""
    if isinstance(schema.get("additionalProperties"), Mapping):
        return {"any": sample(schema["additionalProperties"])}
    return {name: sample(below) for name, below in list(schema.get("properties", {}).items())[:1]}


def _one(schema: Schema) -> list[Any]:
    return [sample(schema["items"])]


def _true(_: Schema) -> bool:
    return True


def _number(schema: Schema) -> float:
    return max(1, schema.get("minimum", 1))


def _text(_: Schema) -> str:
    return "any"
