"""The JSON Schema of stack files, so that editors check a profile while it is typed.

`make schema` writes it.
"""

import json
from pathlib import Path
from typing import Any

from bedplate.components.docstrings import Documented
from bedplate.stacks.profile.profile import Profile

SCHEMA_FILE = Path(__file__).parents[1] / "profile.schema.json"


def stack_schema() -> dict[str, Any]:
    """A schema for the whole stack file, in which the profile is one key beside Pulumi's own."""
    profile = Profile.model_json_schema(schema_generator=Documented)
    definitions = profile.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bedplate stack file",
        "type": "object",
        "properties": {"config": {"type": "object", "properties": {"bedplate:profile": profile}}},
        "required": ["config"],
        "$defs": definitions,
    }


def write() -> None:
    """Bring the file up to date."""
    SCHEMA_FILE.write_text(json.dumps(stack_schema(), indent=2) + "\n", encoding="utf-8")
