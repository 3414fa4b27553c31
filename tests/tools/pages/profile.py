"""`docs/profile.md`: every key of the profile with its type, default and meaning, made from the models.

`make schema` writes it.
"""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bedplate.components.docstrings import docstrings
from bedplate.folders import PROJECT
from bedplate.stacks.profile.models import models_in
from bedplate.stacks.profile.profile import Profile

REFERENCE_FILE = PROJECT / "docs" / "profile.md"
HEAD = """# The profile, key by key

The whole cluster is the one key `bedplate:profile` in `stacks/Pulumi.<env>.yaml`. A section that is absent is a
component the cluster does without. This page is made from the code (`make schema`).
"""


def reference() -> str:
    """The page."""
    return HEAD + "".join(_section(name, model) for name, model in _models("Profile", Profile, set()))


def _models(title: str, model: type[BaseModel], seen: set[type]) -> Iterator[tuple[str, type[BaseModel]]]:
    """A model and, once each, those that its fields are made of."""
    if model in seen:
        return
    seen.add(model)
    yield title, model
    for name, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            yield from _models(f"{title}.{field.alias or name}".removeprefix("Profile."), inner, seen)


def _section(title: str, model: type[BaseModel]) -> str:
    fields = model.model_fields
    if "kind" in fields and get_origin(fields["kind"].annotation) is Literal:
        title += f" ({', '.join(map(str, get_args(fields['kind'].annotation)))})"
    summary = _cell((model.__doc__ or "").split("\n\n")[0])
    if not fields:
        return f"\n## {title}\n\n{summary}\n"
    rows = "".join(_row(name, field, docstrings(model).get(name)) for name, field in fields.items())
    return f"\n## {title}\n\n{summary}\n\n| key | type | default | meaning |\n|---|---|---|---|\n{rows}"


def _row(name: str, field: FieldInfo, said: str | None) -> str:
    meaning = _meaning(field, said)
    return f"| `{field.alias or name}` | {_type(field.annotation)} | {_default(field)} | {meaning} |\n"


def _type(annotation: Any) -> str:
    """A type in YAML's words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in arguments)
    if origin in (Union, types.UnionType):
        kinds = dict.fromkeys(_type(argument) for argument in arguments if argument is not types.NoneType)
        return " or ".join(kinds)
    if origin in (tuple, list):
        return f"list of {_type(arguments[0])}"
    if origin is not None:
        return "mapping"
    words = {str: "text", int: "integer", float: "number", bool: "true or false"}
    return words.get(annotation, "section" if _is_model(annotation) else "text")


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, BaseModel) or value in ((), {}):
        return "–"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _meaning(field: FieldInfo, said: str | None) -> str:
    """The field's own words, or those of the section it holds."""
    inner = next(models_in(field.annotation), None)
    return _cell(said) or _cell(((inner and inner.__doc__) or "").split("\n\n")[0])


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def write() -> None:
    """Bring the page up to date."""
    REFERENCE_FILE.write_text(reference(), encoding="utf-8")
