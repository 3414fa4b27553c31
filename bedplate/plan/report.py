"""The plan as one page of HTML that needs nothing else: for a pull request's artefacts, or a wall.

The first screen answers what somebody asks who has one minute: what the cluster is and costs, whether it is all right,
and what can hurt. It runs no script and fetches nothing, and reads on a telephone, on paper and by keyboard.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

from .difference import rows, words
from .graph import Graph
from .show import DISCLAIMER, STYLES
from .teams import Quota, quotas
from .to_yaml import to_yaml
from .waves import Waves, waves

TEMPLATE = Path(__file__).with_name("report.html.jinja")


def report(graph: Graph, brief: Mapping[str, Any], drawn: Mapping[str, str]) -> str:
    """The page, with the pictures that could be drawn."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["yaml"] = to_yaml
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    found, order = Counter(verdict["severity"] for verdict in brief["verdicts"]), waves(graph)
    change = brief.get("diff")
    return template.render(
        plan=brief,
        cluster=dict(_cluster(graph.profile or {}, brief["sizing"])),
        state=_state(found, judged=bool(brief["sizing"])),
        severities={severity: found[severity] for severity in STYLES},
        hurts=list(_hurts(brief, order)),
        shares=list(_shares(quotas(brief["resources"]), brief["sizing"])),
        changes=list(rows(change)) if change else [],
        change=words(change) if change else "",
        order=order,
        drawn=drawn,
        resources=graph.resources,
        disclaimer=DISCLAIMER,
    )


def _cluster(profile: Mapping[str, Any], sizing: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What it is, in a few words each."""
    if not sizing:
        return
    yield "Platform", f"{profile['platform']}, Kubernetes {profile['kubernetesVersion']}"
    yield "Size", f"{sizing['nodes']} nodes, {sizing['gpus']} GPUs"
    kinds = Counter(pool["gpuProduct"] for pool in sizing["pools"] for _ in range(pool["gpus"]) if pool["gpuProduct"])
    yield "GPUs", ", ".join(f"{number} × {kind.removeprefix('NVIDIA-')}" for kind, number in kinds.items()) or "none"
    fabric = sizing["fabric"]
    yield "Fabric", f"{fabric['kind']}, {fabric['rails']} rails" if fabric["rails"] else fabric["kind"]
    yield "Cost", sizing["cost"]["text"]
    if scheduling := profile.get("scheduling"):
        yield "Jobs wait in", scheduling["kind"]


def _state(found: Mapping[str, int], *, judged: bool) -> tuple[str, str]:
    """How it is styled, and said."""
    if found["mandatory"]:
        return "mandatory", f"Refused: {found['mandatory']} mandatory"
    if found["advisory"]:
        return "advisory", f"Sound, {found['advisory']} advisory"
    return ("clean", "All right: no rule complains") if judged else ("clean", "Not judged: no profile")


def _hurts(brief: Mapping[str, Any], order: Waves) -> Iterator[str]:
    """What goes wrong, takes long or is still to do, the gravest first."""
    yield from (f"{one['rule']}: {one['message']}" for one in brief["verdicts"] if one["severity"] == "mandatory")
    yield from (f"Warning: {text}" for text in brief["warnings"])
    yield from (f"Advisory: {advisory['text']}" for advisory in brief["advisories"])
    if brief["secrets"]:
        yield f"To set before it comes up: {', '.join(brief['secrets'])}"
    if order.worst:
        last = order.chain[-1].name
        yield f"The gates on the way may take {order.worst}, until the last, {last}, gives up"
    if brief["unread"]:
        yield f"Not read here: {'; '.join(brief['unread'])}"
    if brief["lookups"]:
        yield f"Known only when it comes up: {', '.join(brief['lookups'])}"


def _shares(found: list[Quota], sizing: Mapping[str, Any]) -> Iterator[tuple[Quota, int, int, int]]:
    """Each with the whole, and both bars in percent of it: what there is, or of slices the most."""
    cards = Counter[str]()
    for pool in sizing.get("pools", ()):
        cards[pool["resource"]] += pool["gpus"]
    for quota in found:
        most = max(one.most for one in found if one.resource == quota.resource)
        whole = max(cards[quota.resource], most, 1)
        yield quota, whole, round(100 * (quota.own or 0) / whole), round(100 * quota.most / whole)
