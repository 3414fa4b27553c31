"""`bedplate releases`: the version sets of this Bedplate, and what is published about what they install.

    bedplate releases show [SET]     versions, what was proven of each, and what not
    bedplate releases check [ENV]    advisories of a set, of a profile, or with --live of what runs on its cluster

Exit status of `check`: 0: nothing as grave as --fail-on says, but for what the set gives a reason for; 1: there is; 2:
the command is wrong, or OSV or the cluster does not answer.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.charts import sets
from bedplate.wrong import WRONG, WrongError, refusing

if TYPE_CHECKING:
    from bedplate.releases.check import Item

CLEAN, FOUND = 0, 1
SEVERITIES = ("critical", "high", "medium", "low", "unknown", "never")


@refusing
def main(words: list[str]) -> int:
    """One verb each."""
    options = _parser().parse_args(words)
    from bedplate.stacks.profile.problem import ProfileError  # noqa: PLC0415 - `--help` must not cost it

    try:
        return _check(options) if options.verb == "check" else _show(options)
    except ProfileError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG


def _parser() -> argparse.ArgumentParser:
    parser = usage.parser("releases", "Version sets that were proven together, and advisories about them.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    show = verbs.add_parser("show", help="versions, what was proven of each, and what not")
    show.add_argument("set", metavar="SET", nargs="?", help="such as 2026.11 (default: the newest)")
    usage.for_machines(show)
    check = verbs.add_parser("check", help="advisories of a set, of a profile, or of what runs")
    check.add_argument("env", metavar="ENV", nargs="?", help="a stack or a profile in place of the set alone")
    check.add_argument("--set", metavar="SET", help="without ENV (default: the newest)")
    check.add_argument("--live", action="store_true", help="with ENV: what its cluster runs, besides")
    source = check.add_mutually_exclusive_group()
    source.add_argument("--osv", metavar="FILE", type=Path, help="exported records of OSV: .json, all.zip, a folder")
    source.add_argument("--offline", action="store_true", help="our own list alone")
    check.add_argument("--fail-on", choices=SEVERITIES, default="critical", help="the least grave that fails")
    usage.for_machines(check)
    return parser


def _show(options: argparse.Namespace) -> int:
    name = _known(options.set)
    said = sets.read(name)
    if options.json:
        sys.stdout.write(json.dumps({"set": name, **said}, indent=2) + "\n")
        return CLEAN
    from bedplate.releases.show import show_set  # noqa: PLC0415 - machines do not pay for it

    show_set(name, said)
    return CLEAN


def _known(name: str | None) -> str:
    if name and name not in sets.known():
        raise WrongError(f"{name}: no version set of this Bedplate; use one of {', '.join(sets.known())}")
    return name or sets.newest()


def _check(options: argparse.Namespace) -> int:
    from bedplate.releases import check, osv  # noqa: PLC0415 - `--help` must not cost it

    if (options.env and options.set) or (options.live and not options.env):
        raise WrongError("name a stack (ENV, and --live for its cluster), or a set (--set SET)")
    name, items = _asked(options)
    ask = None if options.offline else osv.exported(options.osv) if options.osv else osv.online
    found = check.findings(items, ask, name)
    if options.json:
        sys.stdout.write(json.dumps(check.as_json(found, items, asked=bool(ask)), indent=2) + "\n")
    else:
        from bedplate.releases.show import show_findings  # noqa: PLC0415

        show_findings(name, found, items, asked=bool(ask))
    return FOUND if check.fails(found, options.fail_on) else CLEAN


def _asked(options: argparse.Namespace) -> "tuple[str, list[Item]]":
    """The set by whose reasons it is judged, and everything that is asked about."""
    from bedplate.releases import check  # noqa: PLC0415

    if not options.env:
        name = _known(options.set)
        return name, [*check.of_set(name), *check.of_bedplate()]
    from bedplate.stacks.load import load_named  # noqa: PLC0415

    profile = load_named(options.env)
    items = [*check.of_profile(profile), *check.of_bedplate()]
    if options.live:
        running, observed = check.of_cluster(profile.context)
        if observed.hidden:
            why = "; ".join(f"{kind}: {reason}" for kind, reason in observed.hidden.items())
            raise WrongError(f"{profile.context}: what runs cannot be seen: {why}")
        items = list(dict.fromkeys([*items, *running]))
    return profile.version_set or sets.newest(), items
