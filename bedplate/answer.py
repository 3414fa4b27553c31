"""What a command answers to a machine: one JSON document that says which version of which kind it is.

The kinds and their fields are `answers.yaml` beside this file; docs/answers.md and the JSON Schemas are made from it,
and a test holds every command's answer to it. A field may come with any release; one that goes or changes its meaning
makes `bedplate/v2`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

API_VERSION = "bedplate/v1"


def document(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The whole of it."""
    return {"apiVersion": API_VERSION, "kind": kind, **fields}


def answered(kind: str, fields: Mapping[str, Any]) -> str:
    """As text."""
    return json.dumps(document(kind, fields), indent=2, default=str) + "\n"


def answer(kind: str, fields: Mapping[str, Any]) -> None:
    """On standard output."""
    sys.stdout.write(answered(kind, fields))
