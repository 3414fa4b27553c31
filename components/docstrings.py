"""What each field of a model is for: the text below it in the source, which is its one description.

Read only where a schema or a page is made. Pydantic's `use_attribute_docstrings` reads the sources of all models
whenever they are imported, which was a third of the profile's import time.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema


@cache
def docstrings(model: type[BaseModel]) -> Mapping[str, str]:
    """Field to description, those of the classes it derives from among them."""
    bases = [one for one in reversed(model.__mro__) if issubclass(one, BaseModel) and one is not BaseModel]
    return {name: text for base in bases for name, text in _documented(base)}


def _documented(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    for above, below in pairwise(_bodies(inspect.getfile(model)).get(model.__name__, ())):
        if isinstance(above, ast.AnnAssign) and isinstance(above.target, ast.Name):
            match below:
                case ast.Expr(ast.Constant(str(text))):
                    yield above.target.id, inspect.cleandoc(text)
                case _:
                    pass


@cache
def _bodies(file: str) -> Mapping[str, list[ast.stmt]]:
    """The statements of every class at the top of a file."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}


class Documented(GenerateJsonSchema):
    """JSON Schema with the fields' descriptions."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """The model's own schema, its properties described."""
        made: dict[str, Any] = super().model_schema(schema)
        said = docstrings(schema["cls"])
        for name, field in schema["cls"].model_fields.items():
            if name in said:
                made["properties"][field.alias or name]["description"] = said[name]
        return made
