"""YAML files of this folder, in whose strings `<name>` stands for the text of that name."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

from bedplate.components.bounded_yaml import BoundedLoader

FOLDER = Path(__file__).parent
_NAME = re.compile(r"<([a-z0-9_]+)>")


@cache
def document(name: str) -> Mapping[str, Any]:
    """A file as it is written: `alerts/gpu`, `dashboards/node`."""
    return yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), BoundedLoader)  # noqa: S506 - a safe one


def filled(value: object, texts: Mapping[str, str]) -> Any:  # noqa: ANN401 - as the file has it
    """The value with each name replaced, in the texts themselves too; a name without a text is a KeyError."""
    if isinstance(value, str):
        return _NAME.sub(lambda match: filled(texts[match[1]], texts), value)
    if isinstance(value, list):
        return [filled(item, texts) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: filled(item, texts) for key, item in cast("dict[str, object]", value).items()}
    return value
