"""From the stack file's mapping to a sound profile, or to one clear line per fault."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from stacks.checks.check import check
from stacks.profile.location import yaml_path
from stacks.profile.problem import MASK, Problem, ProfileError
from stacks.profile.profile import Profile
from stacks.profile.secrecy import secrets_within
from stacks.profile.stack_file import PROFILE_KEY

REFERENCE = "docs/profile.md"


def load(document: Mapping[str, Any], source: str = PROFILE_KEY) -> Profile:
    """A profile that can be deployed; raises ProfileError with every fault found."""
    if problems := list(secrets_in(document)):
        raise ProfileError(problems, source)
    try:
        profile = Profile.model_validate(document)
    except ValidationError as error:
        raise ProfileError([translated(details, Profile, REFERENCE) for details in error.errors()], source) from None
    if problems := list(check(profile)):
        raise ProfileError(problems, source)
    return profile


def secrets_in(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Secrets do not belong in the profile: it is printed, compared and put in review."""
    for key, _ in secrets_within(dict(document)):
        reason = "a secret does not belong in the profile, which is printed and reviewed"
        fix = "remove it here and use `pulumi config set --secret bedplate:<key>`"
        yield Problem(key, MASK, reason, fix)


def translated(details: ErrorDetails, model: type[BaseModel], guide: str) -> Problem:
    """A validation error of pydantic in our words; `guide` is the page that has every key of the model."""
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
    known = sorted(_known_keys(model))
    close = get_close_matches(str(location[-1]), known, n=1)
    return f"did you mean {close[0]}?" if close else f"remove it ({guide} has every key)"


def _known_keys(model: type[BaseModel], seen: frozenset[type] = frozenset()) -> set[str]:
    """Every key of the profile at any depth."""
    keys: set[str] = set()
    for name, field in model.model_fields.items():
        keys.add(field.alias or name)
        for inner in _models(field.annotation):
            if inner not in seen:
                keys |= _known_keys(inner, seen | {model, inner})
    return keys


def _models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - a type expression
    if isinstance(annotation, type):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in get_args(annotation):
        yield from _models(argument)
