"""Objects as the API server shows them: plain mappings, of which any part may be missing."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Object: TypeAlias = Mapping[str, Any]


def bundle(objects: Sequence[Object]) -> str:
    """Several objects as one document, which kubectl takes as a whole."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def kind(obj: Object) -> str:
    """The kind of an object as kubectl takes it, with version and group, so that no short name is meant."""
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    return f"{obj['kind']}.{version}.{group}" if group else str(obj["kind"])


def place(obj: Object) -> tuple[str, str]:
    """Namespace and name; the namespace is empty where the kind has none."""
    metadata = obj["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


def name(obj: Object) -> str:
    """The name of an object; empty where it has none yet."""
    return str(part(obj, "metadata").get("name", ""))


def labels(obj: Object) -> Mapping[str, str]:
    """The labels of an object; empty where it has none."""
    return part(obj, "metadata", "labels")


def annotations(obj: Object) -> Mapping[str, str]:
    """The annotations of an object; empty where it has none."""
    return part(obj, "metadata", "annotations")


def part(obj: Object, *keys: str) -> Mapping[str, Any]:
    """The mapping below these keys; empty where there is none."""
    for key in keys:
        obj = obj.get(key) or {}
    return obj


def entries(obj: Object, *keys: str) -> list[Object]:
    """The list below these keys; empty where there is none."""
    return list(part(obj, *keys[:-1]).get(keys[-1]) or ())


def conditions(obj: Object) -> dict[str, Object]:
    """The status conditions by type."""
    return {str(condition.get("type")): condition for condition in entries(obj, "status", "conditions")}


def is_true(obj: Object, condition: str) -> bool:
    """Whether the condition of this type has status `True`."""
    return conditions(obj).get(condition, {}).get("status") == "True"


def is_false(obj: Object, condition: str) -> bool:
    """Whether the condition of this type is there, with status `False`."""
    return conditions(obj).get(condition, {}).get("status") == "False"


def message(condition: Object) -> str:
    """A condition's message, or its reason, on one line and without a full stop."""
    return " ".join(str(condition.get("message") or condition.get("reason") or "no reason given").split()).rstrip(".")
