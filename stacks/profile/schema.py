"""The JSON Schema of stack files, so that editors check a profile while it is typed.

`make schema` writes it.
"""

import json
from pathlib import Path
from typing import Any

from bedplate.components.docstrings import Documented
from bedplate.stacks.profile.document import BASE, PROFILE_KEY
from bedplate.stacks.profile.profile import Profile

BASES = "Files that this profile builds upon, from its own folder; the later goes over the earlier (docs/bases.md)."
SCHEMA_FILE = Path(__file__).parents[1] / "profile.schema.json"


def stack_schema() -> dict[str, Any]:
    """A schema for the whole stack file, in which the profile is one key beside Pulumi's own."""
    profile = Profile.model_json_schema(schema_generator=Documented)
    definitions = profile.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bedplate stack file",
        "type": "object",
        "properties": {"config": {"type": "object", "properties": {PROFILE_KEY: _either(profile)}}},
        "required": ["config"],
        "$defs": definitions,
    }


def _either(profile: dict[str, Any]) -> dict[str, Any]:
    """A whole profile, or one with a base: of its sections only the names are known, as the rest may stand there."""
    name = {"type": "string", "minLength": 1}
    base = {"anyOf": [name, {"type": "array", "items": name, "minItems": 1}], "description": BASES}
    sections = {key: {"description": value.get("description", "")} for key, value in profile["properties"].items()}
    upon = {"type": "object", "additionalProperties": False, "properties": {BASE: base, **sections}}
    return {"if": {"required": [BASE]}, "then": upon, "else": profile}


def write() -> None:
    """Bring the file up to date."""
    SCHEMA_FILE.write_text(json.dumps(stack_schema(), indent=2) + "\n", encoding="utf-8")
