"""Helm releases: what each chart's values do, as far as this stack writes them; any other value is unknown.

`danger.toml` of the chart in `bedplate/charts/` says it, in the way of `stated.py`. `delete` is often one of the
judgements of `kinds/common.toml`; `rolls` are values that end in a template of the chart's own pods and nowhere else.
"""

from functools import cache

from bedplate import charts
from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules import stated
from bedplate.review.rules.rule import Kind

FILE = "danger.toml"
NAMED = stated.document("common")["judgements"]
ROLL = stated.judgement(**NAMED["roll"])
_RELEASE = stated.fields(stated.document("common")["Release"], NAMED)


@cache
def rule(chart: str) -> Kind:
    """A chart's rule; of a chart without a file only its end is known, as that of a controller."""
    entries = charts.stated(chart, FILE)
    rolls = dict.fromkeys(entries.get("rolls", ()), ROLL)
    return stated.rule({"create": "new", "delete": "controller", **entries}, NAMED, {**_RELEASE, **rolls})


def switch(_: Change, field: Field, *, danger: str, reason: str, source: str) -> Judgement:
    """A part of the chart that may be left out: the judgement is of its end."""
    return ROLL if field.new is True else stated.judgement(danger, reason, source)
