"""Validation errors of pydantic in our words: the YAML key, the value, the reason and the fix."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from bedplate.nearest import meant
from bedplate.stacks.profile.forms import texts
from bedplate.stacks.profile.models import kinds_of, models_in, place_of, yaml_path
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.stack_file import BASE
from bedplate.stacks.profile.wording import declined, worded

SHOWN = 3
"""So many places are named where a key belongs."""


def translated(errors: Sequence[ErrorDetails], model: type[BaseModel], guide: str) -> list[Problem]:
    """The faults, without what pydantic adds to them; `guide` is the page that has every key of the model."""
    keys = [yaml_path(details["loc"], model) for details in errors]
    return [
        _problem(error, model, guide) for error, key in zip(errors, keys, strict=True) if not _echoes(error, key, keys)
    ]


def _echoes(details: ErrorDetails, key: str, keys: list[str]) -> bool:
    """Said already, by another line.

    Of a list whose only item is wrong pydantic says as well that it is too short, and of a choice of text or section
    that it is no text.
    """
    if details["type"] == "too_short":
        return len(details["input"]) >= details.get("ctx", {}).get("min_length", 1)
    others = [other for other in keys if other == key or other.startswith((f"{key}.", f"{key}["))]
    return details["type"] == "string_type" and len(others) > 1


def _problem(details: ErrorDetails, model: type[BaseModel], guide: str) -> Problem:
    value, (key, field, members) = details["input"], place_of(details["loc"], model)
    if len(members) > 1 and (kinds := kinds_of(members)):
        return _choice(details, key, kinds, guide)
    match details["type"]:
        case "extra_forbidden":
            return Problem(key, value, *_unknown(key, details["loc"], model, guide))
        case "missing":
            return Problem(key, None, "required", f"add it ({guide} has every key)")
        case "literal_error" | "enum" if words := declined(key, value):
            return Problem(key, value, *words)
        case "literal_error" | "enum":
            expected = str(details.get("ctx", {}).get("expected", ""))
            return Problem(
                key, value, "not a choice", _likely(value, re.findall(r"'([^']*)'", expected)) or f"use {expected}"
            )
        case _:
            meaning = (field.description or "") if field else ""
            return Problem(key, value, *worded(details, key, guide, " ".join(meaning.split())))


def _choice(details: ErrorDetails, key: str, kinds: list[str], guide: str) -> Problem:
    """Of sections that a `kind` tells apart."""
    value, choices = details["input"], ", ".join(f"'{kind}'" for kind in kinds)
    match details["type"]:
        case "union_tag_invalid":
            tag = _tag(value)
            fallback = "not a known kind", _likely(tag, kinds) or f"use one of {choices}"
            return Problem(f"{key}.kind", tag, *(declined(f"{key}.kind", tag) or fallback))
        case "missing":
            return Problem(key, None, "required", f"add it ({guide} has every key); kinds are {choices}")
        case "union_tag_not_found":
            return Problem(f"{key}.kind", None, "required", f"use one of {choices}")
        case _:
            fix = f"write {{kind: {value if value in kinds else kinds[0]}}}; kinds are {choices}"
            return Problem(key, value, worded(details, key, guide, "")[0], fix)


def _likely(value: object, choices: Sequence[str]) -> str:
    """Which of them is meant; empty where none is near."""
    if not isinstance(value, str):
        return ""
    if (other := texts()["names"].get(value.lower())) in choices:
        return f"did you mean {other}?"
    return meant(value, choices, SHOWN)


def _tag(value: object) -> object:
    return value.get("kind") if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _unknown(key: str, location: tuple[int | str, ...], model: type[BaseModel], guide: str) -> tuple[str, str]:
    """A key that belongs elsewhere is told where; one that is misspelt, how it is spelt."""
    name = str(location[-1])
    if name == "enabled":
        section = key.rpartition(".")[0]
        return "unknown key", f"remove it: {section or 'a section'} is switched on by being there, off by being absent"
    parent = _parent(key)
    beside = [
        name_elsewhere for name_elsewhere, places in paths(model).items() if f"{parent}{name_elsewhere}" in places
    ]
    if name in beside:
        kind = location[-2] if isinstance(location[-2], str) else "this kind"
        return f"no key of kind {kind}", f"remove it: another kind has it ({guide})"
    own = [own_name for model_here in place_of(location[:-1], model)[2] for own_name in _keys(model_here)]
    own += [] if parent or name == BASE else [BASE]  # which is merged, and no key of the model
    if same := [candidate for candidate in (*own, *beside) if _core(candidate) == _core(name)]:
        return "unknown key", f"did you mean {same[0]}?"
    if (other := texts()["keys"].get(name)) in (*own, *beside):
        return "unknown key", f"did you mean {other}?"
    if places := [place for place in paths(model).get(name, ()) if _on_the_way(parent, _parent(place))]:
        more = f" or {len(places) - SHOWN} others" if len(places) > SHOWN else ""
        return "it does not belong here", f"move it: there is {', '.join(places[:SHOWN])}{more}"
    return "unknown key", meant(name, sorted({*own, *beside})) or f"remove it ({guide} has every key)"


def _on_the_way(path: str, another: str) -> bool:
    """One section holds the other: somebody was at the wrong level, and not in another part of the profile."""
    return path.startswith(another) or another.startswith(path)


def _core(key: str) -> str:
    """What is left of a key when its spelling does not matter: `gpu_operator`, `gpuOperators`."""
    return key.replace("_", "").replace("-", "").lower().removesuffix("s")


def _parent(key: str) -> str:
    """The section that a key stands in, as `paths` writes it."""
    return "".join(re.sub(r"\[[0-9]+\]", "[]", key).rpartition(".")[:2])


@cache
def paths(model: type[BaseModel]) -> dict[str, list[str]]:
    """Where each key of a model can stand, the shallowest first: `nodes` in `pools[].nodes`."""
    by_name: dict[str, list[str]] = {}
    waiting: list[tuple[type[BaseModel], str, tuple[type[BaseModel], ...]]] = [(model, "", (model,))]
    while waiting:
        current, above, chain = waiting.pop(0)
        for alias, annotation in _fields(current):
            place = f"{above}{alias}"
            if place not in (places := by_name.setdefault(alias, [])):
                places.append(place)
            within = f"{place}[]." if _is_list(annotation) else f"{place}."
            waiting += [(inner, within, (*chain, inner)) for inner in models_in(annotation) if inner not in chain]
    return by_name


def _keys(place: Any) -> Iterator[str]:  # noqa: ANN401 - a type expression
    if isinstance(place, type) and issubclass(place, BaseModel):
        yield from (alias for alias, _ in _fields(place))


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    return ((field.alias or name, field.annotation) for name, field in model.model_fields.items())


def _is_list(annotation: Any) -> bool:  # noqa: ANN401 - a type expression
    arguments = get_args(annotation)
    return Ellipsis in arguments or any(_is_list(argument) for argument in arguments if get_args(argument))
