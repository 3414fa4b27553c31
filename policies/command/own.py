"""A company's own rules: Python that it installs, and CEL expressions in files that its settings name.

Python registers them as ours do (`bedplate.policies.rule.rule`) in a module that an entry point of the group
`bedplate.rules` names. Either way they are listed, reported and waived as ours are.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path

from bedplate.policies.command.expressions import rules_in
from bedplate.policies.command.settings import settings
from bedplate.policies.judging.judge import Levels, beside
from bedplate.policies.rule import MANDATORY, ORDER, REGISTRY, Rule
from bedplate.wrong import WrongError

GROUP = "bedplate.rules"
IDENT = re.compile(r"[A-Z]{3,4}-[0-9]{3}")
"""As waivers name a rule: bedplate.components.waiver."""
WORDS = ("title", "why", "fix", "source")
"""What every rule says of itself; a mandatory one has a proof besides."""


@contextmanager
def own_rules(files: Iterable[Path]) -> Generator[Mapping[str, Rule]]:
    """While it lasts, the installed rules and those of the files are judged beside ours; they come back."""
    found: dict[str, Rule] = {}
    for where, each in (*_installed(), *((str(file), rule) for file in files for rule in rules_in(file))):
        if fault := _fault(each, found):
            raise WrongError(f"{where}: {each.id}: {fault}")
        found[each.id] = each
    with beside(found.values()):
        yield found


@contextmanager
def of_repository(file: Path | None = None) -> Generator[Levels]:
    """The same for a plan and for the engine, with the rules of the nearest settings, or of those in a file.

    What the settings say of ours holds for checks of manifests alone: a repository does not switch off what guards its
    clusters. Levels come back, of its own rules.
    """
    kept = settings(file, Path())
    with own_rules(map(kept.at, kept.rules)) as own:
        kept.refuse_unknown()
        yield {ident: level for ident, level in kept.levels.items() if ident in own}


def _fault(own: Rule, others: Iterable[str]) -> str:
    ident, words = own.id, own.own or {}
    if lacking := [word for word in (*WORDS, *(["proof"] if own.severity == MANDATORY else [])) if not words.get(word)]:
        return f"write {', '.join(lacking)} in rule(...)"
    if IDENT.fullmatch(ident) is None:
        return "write an id as ACME-101: three or four capitals, three digits"
    if ident.partition("-")[0] in ORDER:
        return f"ids that begin with {', '.join(ORDER)} are Bedplate's"
    return "two rules have this id" if ident in others else ""


def _installed() -> Iterator[tuple[str, Rule]]:
    """The rules that each entry point's module registers, taken from the registry again: they hold for one run."""
    for point in entry_points(group=GROUP):
        known = set(REGISTRY)
        try:
            point.load()
        except Exception as error:  # noqa: BLE001 (it is somebody else's code: whatever it raises is its own fault)
            raise WrongError(f"{GROUP}: {point.name} = {point.value}: {type(error).__name__}: {error}") from None
        LOADED.setdefault(point.value, tuple(REGISTRY.pop(ident) for ident in list(REGISTRY) if ident not in known))
        yield from ((f"{GROUP}: {point.name}", each) for each in LOADED[point.value])


LOADED: dict[str, tuple[Rule, ...]] = {}
"""A module is run once in a process, whatever the number of its checks."""
