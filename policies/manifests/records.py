"""Small files of keys and values, such as settings and waivers: a fault is said by line, key and value."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bedplate.policies.manifests.documents import Document, Fault, Steps, documents, entry, node_of
from bedplate.policies.values import is_map
from bedplate.wrong import WrongError

RecordT = TypeVar("RecordT", bound=BaseModel)
WORDS = {
    "missing": "absent, and needed: add it",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "string_type": "write a text, in quotes if it is a number",
    "string_too_short": "write a text that is not empty",
    "tuple_type": "write a list",
    "dict_type": "write keys and values",
    "mapping_type": "write keys and values",
    "model_type": "write keys and values",
    "model_attributes_type": "write keys and values",
    "date_type": "write a day, such as 2027-01-31",
    "date_parsing": "write a day of the calendar, such as 2027-01-31",
    "date_from_datetime_parsing": "write a day of the calendar, such as 2027-01-31",
}
"""What to write instead, by pydantic's name of the fault (docs.pydantic.dev, "Validation Errors")."""


def record_in(file: Path, model: type[RecordT], example: str, source: str = "", /, **beside: object) -> RecordT:
    """What a small file of keys and values holds; `source` is its name in messages, `beside` what it may not say.

    Raises:
        WrongError: one line for each fault, with the file, the key, the value and what to write.
    """
    name = source or str(file)
    keys = ", ".join(label for key, field in model.model_fields.items() if (label := field.alias or key) not in beside)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise WrongError(f"{name}: {error.strerror or error}") from None
    parts = list(documents(data))
    if fault := next((part for part in parts if isinstance(part, Fault)), None):
        raise WrongError(f"{name}: {fault}")
    value: object = next((part.value for part in parts if isinstance(part, Document)), dict[str, object]())
    if not is_map(value) or beside.keys() & value.keys():
        raise WrongError(f"{name}: write keys and values, such as `{example}`; known are {keys}")
    try:
        return model.model_validate({**value, **beside})
    except ValidationError as error:
        lines = (f"line {line_of(data, each['loc'])}: {_worded(each, keys)}" for each in error.errors())
        raise WrongError("\n".join(f"{name}: {line}" for line in lines)) from None


def line_of(data: bytes, steps: Steps) -> int:
    """The line of the deepest part of a way into a text's first document that is there, from 1."""
    node, line = node_of(data), 1
    for step in steps:
        pair = entry(node, step)
        if pair is None:
            break
        node, line = pair[1], pair[0].start_mark.line + 1
    return line


def shown(steps: Steps) -> str:
    """A way into a document as people write it: `rules[0].expression`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def _worded(details: ErrorDetails, keys: str) -> str:
    kind, key = details["type"], shown([part for part in details["loc"] if part != "[key]"])
    if kind == "extra_forbidden":
        return f"{key}: there is no such key" + (f"; known are {keys}" if len(details["loc"]) == 1 else "")
    if kind == "value_error":
        return f"{key}: {details['msg'].removeprefix('Value error, ')}"
    if kind == "missing":
        return f"{key}: {WORDS[kind]}"
    fix = WORDS.get(kind) or details["msg"].replace("Input should be", "write")
    return f"{key} = {json.dumps(details['input'], default=str)}: {fix}"
