"""Where in the YAML a validation error is: pydantic's location, read along the model.

Between the keys of the YAML pydantic puts the names of a union's members, and only after a field that has a union can
one of its words be such a name: a label or a pool may well be called `roce`.
"""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

MAP_KEY = "[key]"
"""What pydantic adds where the key itself of a mapping is wrong."""


def yaml_path(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    """`pools[0].shape` for such a location in the model."""
    return "".join(_shown(location, model)).removeprefix(".")


def _shown(location: tuple[int | str, ...], model: type[BaseModel]) -> Iterator[str]:
    place: Any = model
    for part in location:
        members = list(_members(place))
        if len(members) > 1:
            place = next((member for member in members if _is_called(member, part)), None)
        elif part != MAP_KEY:
            here = members[0] if members else None
            in_list = isinstance(part, int) and get_origin(here) is not Mapping
            yield f"[{part}]" if in_list else f".{part}"
            place = _below(here, part)


def place_of(location: tuple[int | str, ...], model: type[BaseModel]) -> tuple[FieldInfo | None, list[Any]]:
    """The field that a location is in, and the types that may stand there."""
    place: Any = model
    field: FieldInfo | None = None
    for part in location:
        members = list(_members(place))
        if len(members) > 1:
            place = next((member for member in members if _is_called(member, part)), None)
        elif part != MAP_KEY:
            here = members[0] if members else None
            field = _field(here, part) or field
            place = _below(here, part)
    return field, list(_members(place))


def _field(place: Any, part: int | str) -> FieldInfo | None:  # noqa: ANN401 - a type expression
    fields = place.model_fields.items() if isinstance(place, type) and issubclass(place, BaseModel) else ()
    return next((field for name, field in fields if part in (name, field.alias)), None)


def kinds_of(members: list[Any]) -> list[str]:
    """The kinds that pick one of a union's members."""
    fields = (one.model_fields.get("kind") for one in members if isinstance(one, type) and issubclass(one, BaseModel))
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
