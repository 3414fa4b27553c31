"""A validation error of pydantic in our words: the YAML key, the value, the reason and the fix."""

from difflib import get_close_matches

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from stacks.profile.location import yaml_path
from stacks.profile.models import models_below
from stacks.profile.problem import Problem


def translated(details: ErrorDetails, model: type[BaseModel], guide: str) -> Problem:
    """One fault; `guide` is the page that has every key of the model."""
    key, value = yaml_path(details["loc"], model), details["input"]
    match details["type"]:
        case "extra_forbidden":
            return Problem(key, value, "unknown key", _suggestion(details["loc"], model, guide))
        case "missing":
            return Problem(key, None, "required", f"add it ({guide} has every key)")
        case "union_tag_invalid" | "union_tag_not_found":
            expected = details.get("ctx", {}).get("expected_tags", "")
            return Problem(f"{key}.kind", _tag(value), "not a known kind", f"use one of {expected}")
        case "literal_error" | "enum":
            return Problem(key, value, "not a choice", f"use {details.get('ctx', {}).get('expected', '')}")
        case _:
            return Problem(key, value, details["msg"].removeprefix("Value error, "), f"correct it ({guide})")


def _tag(value: object) -> object:
    return value.get("kind") if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _suggestion(location: tuple[int | str, ...], model: type[BaseModel], guide: str) -> str:
    known = sorted({field.alias or name for one in models_below(model) for name, field in one.model_fields.items()})
    close = get_close_matches(str(location[-1]), [key for key in known if key != location[-1]], n=1)
    return f"did you mean {close[0]}?" if close else f"remove it ({guide} has every key)"
