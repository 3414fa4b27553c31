"""`bedplate/upgrades/proven.json` and `bedplate/upgrades/fields.json`, as they are written."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    proven, known = _read(proofs.DATA, {"steps": {}, "definitions": {}}), _read(fields.DATA, {})
    for step, (old, new, proof) in seen.items():
        proven["steps"][f"{step.chart} {step.old} {step.new}"] = proof
        proven["definitions"][f"{step.chart} {step.old}"] = fingerprint(old)
        proven["definitions"][f"{step.chart} {step.new}"] = fingerprint(new)
        others = [
            one for one in known.get(step.chart, []) if one["old"] != step.old and one.get("narrower") is not None
        ]
        order = releases(step.chart)
        known[step.chart] = sorted([*others, compared(step, old, new)], key=lambda one: order.index(one["old"]))
    for path, content in ((proofs.DATA, proven), (fields.DATA, known)):
        path.write_text(json.dumps(content, indent=1, sort_keys=path == proofs.DATA) + "\n")


def _read(path: Path, empty: dict[str, Any]) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else empty
