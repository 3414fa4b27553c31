"""Keys that are written and empty: `gpuOperator:` is YAML's null, which would be taken for absent."""

from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from pydantic import BaseModel

from bedplate.stacks.profile.models import models_in
from bedplate.stacks.profile.problem import Problem

NULL = "it says nothing: YAML reads null"


def empty_sections(document: Mapping[str, Any], model: type[BaseModel], above: str = "") -> Iterator[Problem]:
    """Every key that is there without a word, at any depth of plain sections and their lists."""
    names = {field.alias or name: field for name, field in model.model_fields.items()}
    for key, value in document.items():
        sections = list(models_in(names[key].annotation)) if key in names else []
        if isinstance(value, list):
            yield from _within(cast("list[Any]", value), sections, f"{above}{key}")
        elif not sections:
            continue
        elif value is None:
            fix = f"{_written(key, sections)}, or remove the key"
            yield Problem(f"{above}{key}", None, f"{NULL}, and the section would be absent", fix)
        elif isinstance(value, Mapping) and (section := _asked_for(value, sections)):  # pyright: ignore[reportUnknownArgumentType]
            yield from empty_sections(value, section, f"{above}{key}.")  # pyright: ignore[reportUnknownArgumentType]


def _within(items: list[Any], sections: list[type[BaseModel]], above: str) -> Iterator[Problem]:
    for number, item in enumerate(items):
        if isinstance(item, Mapping) and (section := _asked_for(item, sections)):  # pyright: ignore[reportUnknownArgumentType]
            yield from empty_sections(item, section, f"{above}[{number}].")  # pyright: ignore[reportUnknownArgumentType]


def _asked_for(value: Mapping[str, Any], sections: list[type[BaseModel]]) -> type[BaseModel] | None:
    """The only one, or the one of its `kind`."""
    if len(sections) == 1:
        return sections[0]
    kinds = ((one, one.model_fields["kind"]) for one in sections if "kind" in one.model_fields)
    return next((one for one, kind in kinds if value.get("kind") in get_args(kind.annotation)), None)


def _written(key: str, sections: list[type[BaseModel]]) -> str:
    """How the section is asked for with nothing but its defaults."""
    needed = [one for one in sections if any(field.is_required() for field in one.model_fields.values())]
    return f"write its keys below {key}" if needed else f"write `{key}: {{}}`"
