"""`docs/answers.md`, and `docs/answers/KIND.schema.json` of every kind, made from `bedplate/answers.yaml`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from bedplate.answer import API_VERSION
from bedplate.folders import PROJECT

ANSWERS = PROJECT / "bedplate" / "answers.yaml"
PAGE = PROJECT / "docs" / "answers.md"
FOLDER = PROJECT / "docs" / "answers"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
HEAD = f"""# Answers for machines

Every command that answers with findings or figures has `--json` (`-o json` means the same), and its answer says what it is:
`apiVersion: {API_VERSION}` and a `kind`. A field may come with any release; one that goes, or changes its meaning, makes the next
version. `?` after a field: it may be absent; `*`: any key. The JSON Schemas hold for every answer of this release: a test runs
the commands. A signed statement is in-toto's, SARIF and JUnit are what their standards say.

| kind | command | what it is | fields |
|---|---|---|---|
"""


def kinds() -> Mapping[str, Mapping[str, Any]]:
    """As the file has them."""
    return yaml.safe_load(ANSWERS.read_text(encoding="utf-8"))


def schema(kind: str) -> dict[str, Any]:
    """Of one answer; more fields than these may come."""
    stated = kinds()[kind]
    whole = _schema({"apiVersion": "string", "kind": "string", **stated["fields"]})
    whole["properties"] |= {"apiVersion": {"const": API_VERSION}, "kind": {"const": kind}}
    return {"$schema": DIALECT, "title": kind, "description": f"{stated['command']}: {stated['purpose']}", **whole}


def _schema(stated: object) -> dict[str, Any]:
    if isinstance(stated, list):
        return {"type": "array", "items": _schema(stated[0])}
    if isinstance(stated, dict):
        fields = {str(name): _schema(each) for name, each in cast("dict[str, object]", stated).items()}
        rest = {"additionalProperties": fields.pop("*")} if "*" in fields else {}
        needed = [name for name in fields if not name.endswith("?")]
        properties = {name.removesuffix("?"): each for name, each in fields.items()}
        return {"type": "object", "properties": properties, "required": needed, **rest}
    types = str(stated).split("|")
    return {} if types == ["any"] else {"type": types[0] if len(types) == 1 else types}


def files() -> Iterator[tuple[Path, str]]:
    """Each with what it shall hold."""
    for kind in kinds():
        yield FOLDER / f"{kind}.schema.json", json.dumps(schema(kind), indent=2) + "\n"
    yield PAGE, HEAD + "".join(_row(kind, stated) for kind, stated in kinds().items())


def _row(kind: str, stated: Mapping[str, Any]) -> str:
    fields = ", ".join(f"`{name}`" for name in stated["fields"])
    command = stated["command"].replace("|", " or ")
    return f"| [{kind}](answers/{kind}.schema.json) | `{command}` | {stated['purpose']} | {fields} |\n"


def write() -> None:
    """All of them."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in files():
        path.write_text(text, encoding="utf-8")
