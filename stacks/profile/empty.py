"""Sections that are written and empty: `gpuOperator:` is YAML's null, which would be taken for absent."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel

from bedplate.stacks.profile.models import models_in
from bedplate.stacks.profile.problem import Problem


def empty_sections(document: Mapping[str, Any], model: type[BaseModel], above: str = "") -> Iterator[Problem]:
    """Every key whose section is there without a word, at any depth of plain sections."""
    names = {field.alias or name: field for name, field in model.model_fields.items()}
    for key, value in document.items():
        sections = list(models_in(names[key].annotation)) if key in names else []
        if not sections:
            continue
        if value is None:
            reason = "it says nothing: YAML reads null, and the section would be absent"
            yield Problem(f"{above}{key}", None, reason, f"{_written(key, sections)}, or remove the key")
        elif isinstance(value, Mapping) and (section := _asked_for(value, sections)):  # pyright: ignore[reportUnknownArgumentType]
            yield from empty_sections(value, section, f"{above}{key}.")  # pyright: ignore[reportUnknownArgumentType]


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
