"""Helm releases: what each chart's values do, as far as this stack writes them; any other is unknown.

`danger.toml` of the chart in `bedplate/charts/` says it. Its `role` is what jobs have of it, or `gone` says what its
end does; `rolls` are values that end in a template of its own pods and nowhere else; each of `fields` is a judgement
of some `paths`, `unless_on` for a part that may be left out, or the `judge` of a module of this folder that looks at
values.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from bedplate import charts
from bedplate.review.changes import Change
from bedplate.review.danger import BY_LABEL, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.releases import NEW, RELEASE, ROLES, ROLL
from bedplate.review.rules.rule import Judge, Kind, evicts, rolls
from bedplate.review.rules.workloads import DEPLOYMENTS, PREEMPTION, TAKES

FILE = "danger.toml"
ANY: Mapping[str, Any] = {"role": "controller"}
"""Of a chart that has no file: it is known what its end does, and nothing of its values."""
DISCOVERY = "node-feature-discovery docs: NodeFeature objects, extraLabelNs"


@cache
def rule(chart: str) -> Kind:
    """What a chart's file says, as a rule."""
    file = charts.stated(chart, FILE) or ANY
    new = judgement(file["new"]) if "new" in file else NEW
    gone = judgement(file["gone"]) if "gone" in file else ROLES[file["role"]]
    return Kind(new, gone, {**RELEASE, **dict(_fields(file))})


def judgement(said: Mapping[str, str]) -> Judgement:
    """With its danger as people read it."""
    return Judgement(BY_LABEL[said["danger"].replace(" ", "-")], said["reason"], said["source"])


def _fields(file: Mapping[str, Any]) -> Iterator[tuple[str, Judgement | Judge]]:
    yield from dict.fromkeys(file.get("rolls", ()), ROLL).items()
    for each in file.get("fields", ()):
        yield from dict.fromkeys(each["paths"], _judge(each)).items()


def _judge(said: Mapping[str, Any]) -> Judgement | Judge:
    if "judge" in said:
        module, _, name = said["judge"].rpartition(".")
        judge: Judge = getattr(import_module(f"{__package__}.{module}"), name)
        return judge
    return switch(judgement(said)) if said.get("unless_on") else judgement(said)


def switch(off: Judgement) -> Judge:
    """A part of the chart that may be left out."""
    return lambda _, field: ROLL if field.new is True else off


def labels(change: Change, field: Field) -> Judgement:
    """What lets nodes be labelled: where less of it is left, jobs find no node."""
    after = {str(other.new) for other in change.fields if other.place == field.place}
    if field.old is None or str(field.old) in after:
        return ROLL
    return evicts("nodes may lose labels: jobs that ask for them cannot start", DISCOVERY)


MODEL = "values.servingEngineSpec.modelSpec[]"


def model(change: Change, field: Field) -> Judgement:
    """A model server of the chart's: its pods start anew, and those beside the old ones take GPUs."""
    strategy = change.resource.inputs["values"].get("servingEngineSpec", {}).get("strategy", {})
    surges = strategy.get("rollingUpdate", {}).get("maxSurge", "25%") != 0
    if surges or field.old is None or (field.place == f"{MODEL}.replicaCount" and field.new > field.old):
        return evicts(TAKES, PREEMPTION)
    return rolls("its template changes: pods start anew, a server loads its model again", DEPLOYMENTS)
