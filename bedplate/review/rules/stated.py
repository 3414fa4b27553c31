"""Rules as data: `bedplate/review/kinds/*.toml` has those of kinds, `danger.toml` of a chart those of its release.

`create`, `delete` and `replace` of a rule are judgements of the whole, `otherwise` judges every field that the rule
does not list, and each of `fields` judges some `paths` (`rule.py` says how they are written). A judgement is written
out (`danger`, `reason`, `source`), or names one of the file's `judgements` (`same = "kept"`), or names a function of
this folder that looks at the values (`judge = "queues.cohort"`) and takes what else the table has.
`also` names more kinds of the same rule. `like` takes the rule of another kind, with a `source` of its own.
"""

import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from bedplate.review.danger import BY_LABEL, Judgement
from bedplate.review.rules.rule import Fields, Judge, Kind

KINDS = Path(__file__).parents[1] / "kinds"
Table = Mapping[str, Any]


@cache
def document(name: str) -> Table:
    """A file of `kinds/` as it is written."""
    return tomllib.loads((KINDS / f"{name}.toml").read_text(encoding="utf-8"))


def kinds(name: str, common: Fields) -> Mapping[str, Kind]:
    """The rules of a file, by kind of resource; `common` are the fields that each of them has besides its own."""
    file = document(name)
    rules: dict[str, Kind] = {}
    for kind, said in file.items():
        if kind != "judgements":
            whole = {**file[said["like"]], **said} if "like" in said else said
            rules |= dict.fromkeys((kind, *said.get("also", ())), rule(whole, file.get("judgements", {}), common))
    return rules


def rule(said: Table, named: Table, common: Fields) -> Kind:
    """A rule from its table; `named` are the judgements that it may name."""
    source = {"source": said["source"]} if "source" in said else {}
    parts: Any = {
        key: _judge(said[key], named, source) for key in ("create", "delete", "replace", "otherwise") if key in said
    }
    return Kind(fields={**common, **fields(said, named, source)}, **parts)


def fields(said: Table, named: Table, source: Table | None = None) -> Fields:
    """The judgement of each path of `fields`."""
    return {path: _judge(table, named, source or {}) for table in said.get("fields", ()) for path in table["paths"]}


def _judge(said: str | Table, named: Table, source: Table) -> Judgement | Judge:
    if isinstance(said, str):
        said = {"judge": said} if "." in said else {"same": said}
    said = {**(named[said["same"]] if "same" in said else said), **source}
    if "judge" not in said:
        return judgement(**{key: said[key] for key in ("danger", "reason", "source")})
    module, _, name = said["judge"].rpartition(".")
    more = {key: value for key, value in said.items() if key not in ("judge", "paths")}
    return partial(getattr(import_module(f"{__package__}.{module}"), name), **more)


def judgement(danger: str, reason: str, source: str) -> Judgement:
    """A judgement from its danger as people read it."""
    return Judgement(BY_LABEL[danger.replace(" ", "-")], reason, source)
