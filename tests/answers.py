"""The published schemas of commands' answers, as a test holds an answer to them: what is not in one is refused, too."""

from functools import cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


@cache
def validator(kind: str) -> "Draft202012Validator":
    """Of one kind."""
    from jsonschema import Draft202012Validator

    from tests.tools.pages.answers import schema

    return Draft202012Validator(closed(schema(kind)))


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The same, with no field but those that it names."""
    inner = {name: closed(each) for name, each in schema.get("properties", {}).items()}
    if isinstance(items := schema.get("items"), dict):
        return {**schema, "items": closed(cast("dict[str, Any]", items))}
    rest = schema.get("additionalProperties", False)
    rest = closed(cast("dict[str, Any]", rest)) if isinstance(rest, dict) and rest else rest
    return {**schema, "properties": inner, "additionalProperties": rest} if inner or "*" in schema else schema
