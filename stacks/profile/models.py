"""The models behind a profile: what each is made of, where in the YAML a location is, and sections left empty.

Between the keys of the YAML pydantic puts the names of a union's members, and only after a field that has a union can
one of its words be such a name: a label or a pool may well be called `roce`.
"""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bedplate.stacks.profile.problem import Problem


def models_below(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """The model and every model that its fields can hold, at any depth: once each, always in one order."""
    models, waiting = {model: None}, [model]
    while waiting:
        fields = waiting.pop(0).model_fields.values()
        fresh = [inner for field in fields for inner in models_in(field.annotation) if inner not in models]
        models |= dict.fromkeys(fresh)
        waiting += dict.fromkeys(fresh)
    return tuple(models)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - a type expression
    """The models that a field of this type can hold directly."""
    if isinstance(annotation, type) and not get_args(annotation):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in get_args(annotation):
        yield from models_in(argument)


MAP_KEY = "[key]"
"""What pydantic adds where the key itself of a mapping is wrong."""


def yaml_path(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    """`pools[0].shape` for such a location in the model."""
    return place_of(location, model)[0]


def place_of(location: tuple[int | str, ...], model: type[BaseModel]) -> tuple[str, FieldInfo | None, list[Any]]:
    """The path in the YAML of a location, the field that it is in, and the types that may stand there."""
    place: Any = model
    path, field = "", None
    for part in location:
        members = list(_members(place))
        if len(members) > 1:
            place = next((member for member in members if _is_called(member, part)), None)
        elif part != MAP_KEY:
            here = members[0] if members else None
            path += f"[{part}]" if isinstance(part, int) and get_origin(here) is not Mapping else f".{part}"
            field = _field(here, part) or field
            place = _below(here, part)
    return path.removeprefix("."), field, list(_members(place))


def _field(place: Any, part: int | str) -> FieldInfo | None:  # noqa: ANN401 - a type expression
    fields = place.model_fields.items() if isinstance(place, type) and issubclass(place, BaseModel) else ()
    return next((field for name, field in fields if part in (name, field.alias)), None)


def kinds_of(members: list[Any]) -> list[str]:
    """The kinds that pick one of a union's members."""
    fields = (
        member.model_fields.get("kind")
        for member in members
        if isinstance(member, type) and issubclass(member, BaseModel)
    )
    return [kind for field in fields if field for kind in get_args(field.annotation)]


def _members(place: Any) -> Iterator[Any]:  # noqa: ANN401 - a type expression
    """What may stand at a place: one type, or the members of its union."""
    if get_origin(place) is Annotated:
        yield from _members(get_args(place)[0])
    elif get_origin(place) in (Union, UnionType):
        present = [member for member in get_args(place) if member is not NoneType]
        yield from _members(present[0]) if len(present) == 1 else present
    else:
        yield place


def _is_called(member: Any, name: int | str) -> bool:  # noqa: ANN401 - a type expression
    """By its type, or by the `kind` that picks it."""
    if not isinstance(member, type):
        return False
    kind = member.model_fields.get("kind") if issubclass(member, BaseModel) else None
    return name in (member.__name__, *(get_args(kind.annotation) if kind else ()))


def _below(place: Any, part: int | str) -> Any:  # noqa: ANN401 - a type expression
    """The type of one of its fields, items or values; None where that is not known."""
    if isinstance(place, type) and issubclass(place, BaseModel):
        field = _field(place, part)
        return field.annotation if field else None
    arguments = get_args(place)
    return arguments[1] if get_origin(place) is Mapping else arguments[0] if arguments else None


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
    kinds = ((section, section.model_fields["kind"]) for section in sections if "kind" in section.model_fields)
    return next((name for name, kind in kinds if value.get("kind") in get_args(kind.annotation)), None)


def _written(key: str, sections: list[type[BaseModel]]) -> str:
    """How the section is asked for with nothing but its defaults."""
    needed = [section for section in sections if any(field.is_required() for field in section.model_fields.values())]
    return f"write its keys below {key}" if needed else f"write `{key}: {{}}`"
