"""The JSON Schema of `fleet.yaml`, for editors. `make schema` writes it."""

import json
from pathlib import Path
from typing import Any

from bedplate.components.docstrings import Documented
from bedplate.fleet.model import Fleet

SCHEMA_FILE = Path(__file__).with_name("fleet.schema.json")


def fleet_schema() -> dict[str, Any]:
    """Of the whole file."""
    schema = Fleet.model_json_schema(schema_generator=Documented)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Bedplate fleet"}


def write() -> None:
    """Bring the file up to date."""
    SCHEMA_FILE.write_text(json.dumps(fleet_schema(), indent=2) + "\n", encoding="utf-8")
