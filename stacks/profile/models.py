"""The models that a model is made of, whatever unions and lists its fields hold them in."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel


def models_below(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """The model and every model that its fields can hold, at any depth: once each, always in one order."""
    found, waiting = {model: None}, [model]
    while waiting:
        fields = waiting.pop(0).model_fields.values()
        fresh = [one for field in fields for one in models_in(field.annotation) if one not in found]
        found |= dict.fromkeys(fresh)
        waiting += dict.fromkeys(fresh)
    return tuple(found)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - a type expression
    """The models that a field of this type can hold directly."""
    if isinstance(annotation, type) and not get_args(annotation):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in get_args(annotation):
        yield from models_in(argument)
