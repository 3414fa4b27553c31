"""What an update is for the user, in Markdown: the text of its pull request, and on a terminal the same."""

from collections.abc import Iterator

from bedplate.releases import check
from bedplate.releases.newer import Look
from bedplate.releases.update import Update
from bedplate.upgrades.upgrade import Upgrade, upgrade

MOST = 12
"""Keys that are named; the rest is counted."""


def markdown(found: Update, *, written: bool) -> str:
    """All of it, a line a fact."""
    return "\n".join(_lines(found, written=written)) + "\n"


def _lines(found: Update, *, written: bool) -> Iterator[str]:
    yield f"# Releases newer than version set {found.old}"
    yield ""
    if found.moved:
        verb = "has" if written else "would have"
        yield from (f"Version set {found.new} {verb}:", "", "| what | from | to |", "|---|---|---|")
        yield from (f"| {look.name} | {look.now} | {look.to} |" for look in found.moved)
    else:
        yield "Nothing newer of the lines that it has."
    yield from _section("Of another line, and not taken (`--newest NAME` takes it)", _ahead(found))
    yield from _section("Could not be looked up, or came otherwise than published: their pins stay", _problems(found))
    yield from _section("Not looked up: published in git alone", [look.name for look in found.looks if look.where])
    known = [look for look in found.looks if look.digest]
    yield from _section("Archives", [f"digests of {len(known)} of {len(_charts(found))} charts are known"])
    if written:
        yield from _written(found)


def _section(title: str, rows: list[str]) -> Iterator[str]:
    if rows:
        yield from ("", f"## {title}", "", *(f"* {row}" for row in rows))


def _ahead(found: Update) -> list[str]:
    return [f"{look.name} {look.to}: {look.newest}" for look in found.looks if look.newest != look.to]


def _problems(found: Update) -> list[str]:
    return [f"{look.name} {look.now}: {look.problem}" for look in found.problems]


def _charts(found: Update) -> list[Look]:
    return [look for look in found.looks if "/" not in look.name]


def _written(found: Update) -> Iterator[str]:
    """What is known once the tools have read the archives."""
    charts = [look for look in found.moved if "/" not in look.name]
    yield from _section("Keys and fields that change", [_changes(upgrade(one.name, one.now, one.to)) for one in charts])
    before, after = (_advisories(name) for name in (found.old, found.new))
    yield from _section("Advisories of our list that it closes", sorted(before - after))
    yield from _section("Advisories of our list that stay open", sorted(after))
    yield from _section("Left for whoever reads this", [*_left(charts)])


def _changes(way: Upgrade) -> str:
    parts = [("keys gone", way.keys.gone if way.keys else ()), ("keys come", way.keys.come if way.keys else ())]
    if way.fields:
        parts += [("fields gone", way.fields.gone), ("fields come", way.fields.come)]
    said = [f"{word}: {_named([*names])}" for word, names in parts if names]
    unknown = "; fields of its kinds: not compared (`python -m tests.tools.upgrades`)" if way.fields is None else ""
    return f"{way.chart} {way.old} to {way.new}: {'; '.join(said) or 'no key comes or goes'}{unknown}"


def _named(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(f"`{name}`" for name in names[:MOST]) + more


def _advisories(name: str) -> set[str]:
    own = check.findings(check.of_set(name), None, name)
    return {f"{one.id} ({one.severity}): {one.item} {one.version}" for one in own}


def _left(charts: list[Look]) -> Iterator[str]:
    for one in charts:
        yield (
            f"{one.name}: the release notes; the record of the way in `bedplate/charts/{one.name}/upgrades.toml`, which"
            " is `unknown` until somebody tried it (`python -m tests.tools.upgrades`)"
        )
    yield "what runs where it is supported: `python -m tests.tools.catalog`; generated pages: `make schema`"
    yield 'the tests say what else a release lacks (CONTRIBUTING.md, "What a change touches")'
