"""Rules as data: `bedplate/review/kinds/*.toml` has those of kinds, `danger.toml` of a chart those of its release.

`create`, `delete` and `replace` of a rule are judgements of the whole, `otherwise` judges every field that the rule
does not list, and each of `fields` judges some `paths` (`rule.py` says how they are written). A judgement is written
out (`danger`, `reason`, `source`), or names one of the file's `judgements` (`same = "kept"`), or names a function of
this folder that looks at the values (`judge = "amounts.share"`) and takes what else the table has.
`cases` are several of those, of which the first counts whose values are those of the change: `old` and `new` of the
field, `spec` of the resource by path (`absent`: none, `some`: any), `fresh`: its namespace is new, `gpus`: it asks for
some. Reasons may hold `{old}` and `{new}`. `also` names more kinds of the same rule. `like` takes the rule of another
kind, with a `source` of its own.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from bedplate.review.changes import Change
from bedplate.review.danger import BY_LABEL, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import Fields, Judge, Kind
from bedplate.review.rules.workloads import takes_gpus

KINDS = Path(__file__).parents[1] / "kinds"
Table = Mapping[str, Any]
NO_FIELD = Field("", None, None)


@cache
def document(name: str) -> Table:
    """A file of `kinds/` as it is written."""
    return tomllib.loads((KINDS / f"{name}.toml").read_text(encoding="utf-8"))


def kinds(name: str, common: Fields) -> Mapping[str, Kind]:
    """The rules of a file, by kind of resource; `common` are the fields that each of them has besides its own."""
    file = document(name)
    rules: dict[str, Kind] = {}
    for kind, table in file.items():
        if kind != "judgements":
            whole = {**file[table["like"]], **table} if "like" in table else table
            rules |= dict.fromkeys((kind, *table.get("also", ())), rule(whole, file.get("judgements", {}), common))
    return rules


def rule(table: Table, named: Table, common: Fields) -> Kind:
    """A rule from its table; `named` are the judgements that it may name."""
    source = {"source": table["source"]} if "source" in table else {}
    parts: Any = {
        key: _judge(table[key], named, source) for key in ("create", "delete", "replace", "otherwise") if key in table
    }
    return Kind(fields={**common, **fields(table, named, source)}, **parts)


def fields(source_table: Table, named: Table, source: Table | None = None) -> Fields:
    """The judgement of each path of `fields`."""
    return {
        path: _judge(table, named, source or {}) for table in source_table.get("fields", ()) for path in table["paths"]
    }


def _judge(entry: str | Table, named: Table, source: Table) -> Judgement | Judge:
    if isinstance(entry, str):
        entry = {"judge": entry} if "." in entry else {"same": entry}
    entry = {**(named[entry["same"]] if "same" in entry else entry), **source}
    if "cases" in entry:
        shared = {"source": entry["source"]} if "source" in entry else {}
        return partial(_first, [(case, _plain({**shared, **case}, named)) for case in entry["cases"]])
    if "judge" not in entry:
        return _plain({key: value for key, value in entry.items() if key != "same"}, named)
    module, _, name = entry["judge"].rpartition(".")
    more = {key: value for key, value in entry.items() if key not in ("judge", "paths")}
    return partial(getattr(import_module(f"{__package__}.{module}"), name), **more)


def _plain(entry: Table, named: Table) -> Judgement:
    """A judgement that is written out, or one of the file's by its name."""
    table = named[entry["same"]] if "same" in entry else entry
    return judgement(**{key: table[key] for key in ("danger", "reason", "source")})


def _first(cases: Sequence[tuple[Table, Judgement]], change: Change, field: Field = NO_FIELD) -> Judgement:
    """The first of some cases that is the change's."""
    judgement = next(judged for case, judged in cases if _holds(case, change, field))
    return replace(judgement, reason=judgement.reason.format(old=field.old, new=field.new))


def _holds(case: Table, change: Change, field: Field) -> bool:
    comparisons = [(field.old, case.get("old")), (field.new, case.get("new"))]
    comparisons += [(_at(change.resource.spec, path), some) for path, some in case.get("spec", {}).items()]
    fresh, gpus = case.get("fresh", change.fresh), case.get("gpus")
    return (
        all(some is None or any(_is(value, expected) for expected in some) for value, some in comparisons)
        and fresh == change.fresh
        and (gpus is None or gpus == takes_gpus(change.resource.inputs))
    )


def _at(spec: object, path: str) -> object:
    for key in path.split("."):
        spec = cast("Table", spec).get(key) if isinstance(spec, Mapping) else None
    return spec


def _is(value: object, expected: object) -> bool:
    """`true` is no 1."""
    if expected in ("absent", "some"):
        return (value is None) if expected == "absent" else bool(value)
    return value == expected and isinstance(value, bool) == isinstance(expected, bool)


def judgements(file: str, *names: str) -> Iterator[Judgement]:
    """Judgements of a file of `kinds/` by their names."""
    return (judgement(**document(file)["judgements"][name]) for name in names)


def judgement(danger: str, reason: str, source: str) -> Judgement:
    """A judgement from its danger as people read it."""
    return Judgement(BY_LABEL[danger.replace(" ", "-")], reason, source)
