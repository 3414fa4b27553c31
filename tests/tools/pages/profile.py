"""`docs/profile.md`: every key of the profile with its type, default and meaning, made from the models.

A section that has sections of its own has a page below `docs/profile/`. `make schema` writes them.
"""

import re
import types
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bedplate.components.docstrings import docstrings
from bedplate.folders import PROJECT
from bedplate.stacks.profile.models import models_in
from bedplate.stacks.profile.profile import Profile

DOCS = PROJECT / "docs"
FEW = 2
"""Sections of a key that stand on the first page."""
HEAD = """# The profile, key by key

The whole cluster is the one key `bedplate:profile` in `stacks/Pulumi.<env>.yaml`. A section that is absent is a
component the cluster does without. This page is made from the code (`make schema`).
"""


@cache
def pages() -> Mapping[str, str]:
    """Each by its file below docs/, the one of the whole profile first."""
    (_, profile), *others = _models("Profile", Profile, set())
    keys: dict[str, list[tuple[str, type[BaseModel]]]] = {}
    for title, model in others:
        keys.setdefault(title.partition(".")[0], []).append((title, model))
    own = {key: f"profile/{_file(key)}.md" for key, found in keys.items() if len(found) > FEW}
    links = {key: own.get(key) or "#" + _anchor(_titled(*found[0])) for key, found in keys.items()}
    here = [section for key, found in keys.items() if key not in own for section in found]
    first = HEAD + _section("Profile", profile, links) + "".join(_section(*one) for one in here)
    return {"profile.md": first, **{file: _page(key, keys[key]) for key, file in own.items()}}


def _page(key: str, found: list[tuple[str, type[BaseModel]]]) -> str:
    head = f"# The profile: {key}\n\nA section of [the profile](../profile.md), with all that stands below it.\n"
    return head + "".join(_section(*one) for one in found)


def _file(key: str) -> str:
    return re.sub("(?<=[a-z])([A-Z])", r"-\1", key).lower()


def _anchor(title: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _models(title: str, model: type[BaseModel], seen: set[type]) -> Iterator[tuple[str, type[BaseModel]]]:
    """A model and, once each, those that its fields are made of."""
    if model in seen:
        return
    seen.add(model)
    yield title, model
    for name, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            yield from _models(f"{title}.{field.alias or name}".removeprefix("Profile."), inner, seen)


def _titled(title: str, model: type[BaseModel]) -> str:
    kind = model.model_fields.get("kind")
    if kind is None or get_origin(kind.annotation) is not Literal:
        return title
    return f"{title} ({', '.join(map(str, get_args(kind.annotation)))})"


def _section(title: str, model: type[BaseModel], links: Mapping[str, str] = MappingProxyType({})) -> str:
    fields, title = model.model_fields, _titled(title, model)
    summary = _cell((model.__doc__ or "").split("\n\n")[0])
    if not fields:
        return f"\n## {title}\n\n{summary}\n"
    rows = "".join(_row(name, field, docstrings(model).get(name), links) for name, field in fields.items())
    return f"\n## {title}\n\n{summary}\n\n| key | type | default | meaning |\n|---|---|---|---|\n{rows}"


def _row(name: str, field: FieldInfo, said: str | None, links: Mapping[str, str]) -> str:
    meaning, key = _meaning(field, said), field.alias or name
    named = f"[`{key}`]({links[key]})" if key in links else f"`{key}`"
    return f"| {named} | {_type(field.annotation)} | {_default(field)} | {meaning} |\n"


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
    """Bring the pages up to date."""
    (DOCS / "profile").mkdir(exist_ok=True)
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
