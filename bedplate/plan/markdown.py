"""The plan for a pull request's comment or a step's summary: what a reviewer asks first comes first.

Whole items only: where a list is longer than a comment can hold, its last line says how many more there are, and the
folder of `--out` has all of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from bedplate.components.chart_keys import chart_name

from .difference import rows, words
from .teams import quotas

MOST = 40
"""Items of a list: of the widest ones, so many stay within GitHub's 65,536 characters together."""
LONGEST = 65_000
"""Bytes of a comment; GitHub takes 65,536 characters, and the caller has a line of its own before it."""
MARKS = {"mandatory": "**mandatory**", "advisory": "advisory", "waived": "waived"}
"""Severities, the gravest first."""


def markdown(brief: Mapping[str, Any]) -> str:
    """One document."""
    parts = [_head(brief), _verdicts(brief["verdicts"]), _change(brief.get("diff", {}))]
    parts += [_size(brief["sizing"]), _teams(brief["resources"])]
    parts += [_gates(brief["gates"]), _to_do(brief), _releases(brief["releases"]), _counts(brief["counts"])]
    return _whole([part for part in parts if part])


def _whole(parts: list[str]) -> str:
    """As many parts as fit, each of them whole."""
    sizes = accumulate(len(part.encode()) + len("\n\n") for part in parts)
    kept = [part for part, size in zip(parts, sizes, strict=True) if size <= LONGEST]
    left = len(parts) - len(kept)
    note = [f"… {left} more part{'s' * (left > 1)} did not fit: the plan's folder has them"] if left else []
    return "\n\n".join([*kept, *note]) + "\n"


def _head(brief: Mapping[str, Any]) -> str:
    severities = [verdict["severity"] for verdict in brief["verdicts"]]
    refused, advised = (severities.count(severity) for severity in ("mandatory", "advisory"))
    verdict = f"refused: {refused} mandatory" if refused else f"clean, {advised} advisory" if advised else "clean"
    total = sum(brief["counts"].values())
    size = f"{total} resources, {len(brief['releases'])} releases, {len(brief['gates'])} gates."
    return f"### Plan of `{brief['stack']}`: {verdict}\n\n{size}"


def _verdicts(verdicts: list[Mapping[str, str]]) -> str:
    first = sorted(verdicts, key=lambda verdict: list(MARKS).index(verdict["severity"]))
    lines = [f"* {MARKS[verdict['severity']]} {verdict['rule']}: {_plain(verdict['message'])}" for verdict in first]
    return "\n".join(_shortened(lines))


def _change(difference: Mapping[str, Any]) -> str:
    """Of two plans, where they were compared (review/): it comes before what the new one is."""
    if not difference:
        return ""
    loud = [*rows(difference)]
    sentence = f"**This change:** {_plain(words(difference))}"
    return "\n\n".join([sentence, _table(("danger", "change", "why"), loud)] if loud else [sentence])


def _size(sizing: Mapping[str, Any]) -> str:
    if not sizing:
        return ""
    keys = ("name", "shape", "nodes", "gpus", "nicsPerNode")
    rows = [
        (*(pool[key] for key in keys), _figure(pool["dollarsPerHour"]), _figure(pool["kilowatts"]))
        for pool in sizing["pools"]
    ]
    fabric = sizing["fabric"]
    note = f"Fabric: {fabric['kind']}" + (f", {fabric['rails']} rails" if fabric["rails"] else "")
    cost = sizing["cost"]
    figures = (_figure(cost["dollarsPerHour"] or None), _figure(cost["kilowatts"] or None))
    total = ("**all**", "", sizing["nodes"], sizing["gpus"], "", *figures)
    heads = ("pool", "shape", "nodes", "GPUs", "interfaces a node", "$ an hour", "kW at most")
    fits = _shortened([f"* {item['kind']} {item['name']}: {_plain(item['text'])}" for item in sizing["fit"]])
    return "\n\n".join([_table(heads, [*rows, total]), f"{note}. Cost: {_plain(cost['text'])}.", "\n".join(fits)])


def _figure(number: float | None) -> str:
    """Two digits, or a dash where nobody knows."""
    return "–" if number is None else f"{number:,.2f}"


def _teams(resources: list[Mapping[str, Any]]) -> str:
    """What a team's queue gives it for certain, and the most that it may request at once."""
    rows = [
        (quota.team, quota.resource, "–" if quota.own is None else quota.own, quota.most) for quota in quotas(resources)
    ]
    return _table(("team", "resource", "its own", "at most"), rows) if rows else ""


def _gates(gates: list[Mapping[str, Any]]) -> str:
    rows = [(gate["name"], gate["kind"], gate["timeout"] or "the engine's own") for gate in gates]
    return _folded("Gates, in order", _table(("gate", "kind", "waits at most"), rows)) if rows else ""


def _to_do(brief: Mapping[str, Any]) -> str:
    lines = [f"* To set before `up`: `{key}`" for key in brief["secrets"]]
    lines += [f"* Needs of the cluster: {_plain(text)}" for text in brief["needs"]]
    lines += [f"* Warning: {_plain(text)}" for text in brief["warnings"]]
    lines += [f"* Advisory: {_plain(advisory['text'])}" for advisory in brief["advisories"]]
    lines += [f"* Not read here: {_plain(text)}" for text in brief["unread"]]
    lines += [f"* Looked up only at `up`: {_plain(text)}" for text in brief["lookups"]]
    return "\n".join(_shortened(lines))


def _releases(releases: list[Mapping[str, Any]]) -> str:
    rows = [
        (release["name"], chart_name(str(release["chart"])), release["version"], release["namespace"])
        for release in releases
    ]
    return _folded("Releases", _table(("release", "chart", "version", "namespace"), rows)) if rows else ""


def _counts(counts: Mapping[str, int]) -> str:
    return _folded("Resources by kind", _table(("kind", "resources"), list(counts.items())))


def _table(heads: Iterable[str], rows: Sequence[tuple[object, ...]]) -> str:
    heads = tuple(heads)
    lines = (f"| {' | '.join(_cell(value) for value in row)} |" for row in rows)
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *_shortened(list(lines))])


def _shortened(lines: list[str]) -> Iterator[str]:
    yield from lines[:MOST]
    if more := lines[MOST:]:
        text = f"… and {len(more)} more: the plan's folder has all of them"
        yield f"| {text} |" if more[0].startswith("|") else f"* {text}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _cell(value: object) -> str:
    return _plain(str(value)).replace("|", "\\|")


def _plain(text: str) -> str:
    """Text of a profile must not become markup of the comment."""
    return " ".join(text.split()).replace("<", "&lt;").replace("@", "@\N{ZERO WIDTH SPACE}")
