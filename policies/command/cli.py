"""`bedplate rules`: the rules over a folder of manifests, and what the rules are.

Exit status 0: clean, or advisory complaints only; 1: a mandatory rule is violated; 2: something cannot be read, or
nothing was judged.
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bedplate import usage
from bedplate.answer import answered
from bedplate.policies.command.check import Request, check
from bedplate.policies.command.facts_file import facts_in
from bedplate.policies.command.own import own_rules
from bedplate.policies.command.settings import FAIL_ON, Settings, settings
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import Level
from bedplate.policies.reports.outputs import FORMATS, WIDTH
from bedplate.policies.reports.sources import links
from bedplate.policies.rule import REGISTRY, Rule, in_order
from bedplate.wrong import WrongError, refusing

CLEAN, VIOLATED, UNREADABLE = 0, 1, 2


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Run one command and say by the exit status how it went."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["check"]:
        options = _parser("check").parse_args(words[1:])
        with _rules(settings(options.settings, Path())) as kept:
            return _check(options, kept)
    return _run(_parser("rules").parse_args(words))


@contextmanager
def _rules(kept: Settings) -> Generator[Settings]:
    """While it lasts, a repository's own rules are there beside ours."""
    with own_rules(map(kept.at, kept.rules)):
        kept.refuse_unknown()
        yield kept


def _parser(command: str) -> argparse.ArgumentParser:
    return usage.stated(__file__, command, formats=tuple(FORMATS), severities=FAIL_ON, names=_names)


def _run(options: argparse.Namespace) -> int:
    if options.list or options.explain:
        with _rules(settings(None, Path())):
            return _about_rules(options)
    if options.command == "config":
        return _say(json.dumps(_pack_config(options.profile), indent=2))
    if options.command == "admission":
        return _admission(options)
    _parser("rules").print_help()
    return UNREADABLE


def _about_rules(options: argparse.Namespace) -> int:
    if options.explain:
        return _say(explain(_rule(options.explain)))
    lines = "\n".join(f"{rule.id:9}{rule.severity:10} {rule.title}" for rule in in_order())
    return _say(
        answered("Rules", {"rules": [_as_json(rule) for rule in in_order()]}).rstrip() if options.json else lines
    )


def _known(options: argparse.Namespace, kept: Settings | None = None) -> Facts:
    """By the command line, else by the settings of the repository."""
    stated = kept or Settings()
    here = options.facts or options.profile
    file, profile = (
        (options.facts, options.profile) if here else (stated.facts and stated.at(stated.facts), stated.profile)
    )
    if file:
        return facts_in(file)
    return _facts(profile) if profile else Facts()


def _say(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    return CLEAN


def _check(options: argparse.Namespace, kept: Settings) -> int:
    if not (options.paths or options.cluster):
        raise WrongError("bedplate check: PATH: missing; `bedplate check --help` says more")
    if bool(options.paths) == options.cluster or (options.context and not options.cluster):
        raise WrongError("check: name files or folders, or --cluster (and --context) for what runs on a cluster")
    if (options.dry_run and not options.fix) or (options.fix and (options.cluster or options.write_baseline)):
        raise WrongError("check: --fix is for files, not beside --cluster or --write-baseline; --dry-run is with --fix")
    if options.dry_run and options.format not in ("text", "details"):
        raise WrongError(f"check: --dry-run shows a patch, not beside --format {options.format}: leave one of them out")
    request = Request(
        fix=("diff" if options.dry_run else "write") if options.fix else None,
        cluster=options.context if options.cluster else None,
        paths=tuple(options.paths),
        facts=_known(options, kept),
        levels={**kept.levels, **dict(map(_level, options.level))},
        exclude=(*kept.exclude, *options.exclude),
        allow_nothing=options.allow_nothing,
        waivers=(*map(kept.at, kept.waivers), *options.waivers),
        baseline=options.baseline or (kept.baseline and not options.write_baseline and kept.at(kept.baseline)) or None,
        new_baseline=options.write_baseline,
        form=options.format,
        chart=options.chart,
        fail_on=options.fail_on or kept.fail_on,
        waivers_beside=kept.waivers_beside and not options.no_waivers_beside,
    )
    return CLEAN if check(request) else VIOLATED


def _level(option: str) -> tuple[str, Level]:
    rule, _, level = option.partition("=")
    if level not in ("mandatory", "advisory", "disabled"):
        raise WrongError(f"--level {option}: write RULE=mandatory, RULE=advisory or RULE=disabled")
    return _rule(rule).id, level


def _rule(name: str) -> Rule:
    if rule := REGISTRY.get(name.upper()):
        return rule
    raise WrongError(f"{name}: no rule has this name; `bedplate rules --list` names them all")


def _as_json(rule: Rule) -> dict[str, object]:
    names = ("id", "title", "severity", "subject", "description", "why", "fix", "source")
    return {**{name: getattr(rule, name) for name in names}, "sometimes": rule.also, "sources": links(rule.source)}


def explain(rule: Rule) -> str:
    """Everything about a rule, within 80 columns."""
    both = f"{rule.severity}, in some cases {rule.also}" if rule.also else rule.severity
    parts = [f"{rule.id} {rule.title} ({both})", rule.description, f"Why: {rule.why}.", f"Fix: {rule.fix}."]
    paragraphs = [each for part in [*parts, f"Source: {rule.source}."] for each in part.split("\n\n")]
    return "\n\n".join(textwrap.fill(each, WIDTH) for each in paragraphs)


def _facts(environment: str) -> Facts:
    from bedplate.policies.command.cluster import facts_of  # noqa: PLC0415

    return facts_of(environment)


def _pack_config(environment: str) -> dict[str, object]:
    from bedplate.policies.pack import configuration  # noqa: PLC0415

    return configuration(_facts(environment))


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def _admission(options: argparse.Namespace) -> int:
    from bedplate.policies.admission import Enforcement, write  # noqa: PLC0415
    from bedplate.policies.judging.waiver_files import waivers_in  # noqa: PLC0415

    facts = _known(options)
    mild = [action for action, given in (("Warn", options.warn), ("Audit", options.audit)) if given]
    listed = (waiver for file in options.waivers for waiver in waivers_in(file, everywhere=True).waivers)
    enforcement = Enforcement(
        actions=tuple(mild) or ("Deny",),
        namespaces=options.namespaces,
        exempt=options.exempt,
        waivers=(*facts.waivers, *listed),
        memlock_unlimited=facts.memlock_unlimited,
    )
    return _say("\n".join(str(path) for path in write(options.out, enforcement)))
