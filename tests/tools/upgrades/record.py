"""`proven.json` and `fields.json` of a chart in `bedplate/charts/`, as they are written."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from bedplate.charts import DATA, cache_clear, measured, written
from bedplate.upgrades import fields, proofs
from bedplate.upgrades.records import Transition, releases
from tests.tools.upgrades.releases import Definitions, fingerprint
from tests.tools.upgrades.schemas import differences, narrowed


def compared(step: Transition, old: Definitions, new: Definitions) -> dict[str, Any]:
    """What the schemas of a pair say."""
    gone, come = differences(old, new)
    return {"old": step.old, "new": step.new, "gone": gone, "come": come, "narrower": narrowed(old, new)}


def write(seen: Mapping[Transition, tuple[Definitions, Definitions, Mapping[str, Any]]]) -> None:
    """Lay what was tried now over what was tried before."""
    for step, (old, new, proof) in seen.items():
        proven = deepcopy(measured(step.chart, proofs.FILE) or {"steps": {}, "definitions": {}})
        proven["steps"][f"{step.old} {step.new}"] = proof
        proven["definitions"] |= {step.old: fingerprint(old), step.new: fingerprint(new)}
        known: list[dict[str, Any]] = measured(step.chart, fields.FILE) or []
        others = [one for one in known if one["old"] != step.old and one.get("narrower") is not None]
        order = releases(step.chart)
        steps = sorted([*others, compared(step, old, new)], key=lambda one: order.index(one["old"]))
        for name, content in ((proofs.FILE, proven), (fields.FILE, steps)):
            (DATA / step.chart / name).write_text(written(content), encoding="utf-8")
        cache_clear()
