"""`bedplate releases`: the version sets of this Bedplate, and what is published about what they install.

bedplate releases show [SET]     versions, what was proven of each, and what not
bedplate releases check [ENV]    advisories of a set, of a profile, or with --live of what runs on its cluster
bedplate releases sbom [SET]     a set, or with --bedplate this Bedplate itself, in CycloneDX
bedplate releases update         what is newer; in a checkout, with --write, a new set
"""

import argparse
import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.answer import answer
from bedplate.charts import sets
from bedplate.progress import progress
from bedplate.wrong import WRONG, WrongError, refusing

if TYPE_CHECKING:
    from bedplate.releases.check import Item

CLEAN, FOUND = 0, 1
SEVERITIES = ("critical", "high", "medium", "low", "unknown", "never")


@refusing
def main(words: list[str]) -> int:
    """One verb each."""
    options = usage.stated(__file__, "releases", severities=SEVERITIES).parse_args(words)
    from bedplate.stacks.profile.problem import ProfileError  # noqa: PLC0415 - `--help` must not cost it

    try:
        return {"check": _check, "sbom": _sbom, "show": _show, "update": _update}[options.verb](options)
    except ProfileError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG


def _show(options: argparse.Namespace) -> int:
    name = _known(options.set)
    said = sets.read(name)
    if options.json:
        answer("VersionSet", {"set": name, **said})
        return CLEAN
    from bedplate.releases.show import show_set  # noqa: PLC0415 - machines do not pay for it

    show_set(name, said)
    return CLEAN


def _sbom(options: argparse.Namespace) -> int:
    from bedplate.releases import sbom  # noqa: PLC0415 - `--help` must not cost it

    if options.wheel and not options.wheel.is_file():
        raise WrongError(f"--wheel {options.wheel}: there is no such file")
    if options.set and (options.bedplate or options.wheel):
        raise WrongError("name a set, or this Bedplate (--bedplate, --wheel FILE)")
    itself = options.bedplate or options.wheel
    document = sbom.of_bedplate(options.wheel) if itself else sbom.of_set(_known(options.set))
    sys.stdout.write(sbom.text(document))
    return CLEAN


def _known(name: str | None) -> str:
    if name and name not in sets.known():
        raise WrongError(f"{name}: no version set of this Bedplate; use one of {', '.join(sets.known())}")
    return name or sets.newest()


def _check(options: argparse.Namespace) -> int:
    from bedplate.releases import check, osv  # noqa: PLC0415 - `--help` must not cost it

    if (options.stack and options.set) or (options.live and not options.stack):
        raise WrongError("name a stack (ENV, and --live for its cluster), or a set (--set SET)")
    if options.osv and options.offline:
        raise WrongError("--osv reads OSV's records and --offline reads none: name one of them")
    with progress("Looking up advisories"):
        name, items = _asked(options)
        ask = None if options.offline else osv.exported(options.osv) if options.osv else osv.online
        found = check.findings(items, ask, name)
    if options.json:
        answer("Advisories", check.as_json(found, items, asked=bool(ask)))
    else:
        from bedplate.releases.show import show_findings  # noqa: PLC0415

        show_findings(name, found, items, asked=bool(ask))
    return FOUND if check.fails(found, options.fail_on) else CLEAN


def _update(options: argparse.Namespace) -> int:
    from bedplate.releases import news, update  # noqa: PLC0415 - `--help` must not cost it
    from bedplate.releases.published import Published  # noqa: PLC0415

    if options.write:
        update.refuse_installed()
    if options.without_helm and not options.write:
        raise WrongError("--without-helm says how a set is written: name --write, too")
    with progress("Looking up newer releases"):
        found = update.update(Published(options.mirror, options.images, options.verify), options.newest)
        if options.archives:
            update.keep(found, options.archives)
        written = bool(options.write and found.new)
        if written:
            update.write(found, rendered=not options.without_helm)
    text = news.markdown(found, written=written)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    if options.json:
        answer("NewerReleases", update.as_json(found))
    else:
        sys.stdout.write(text)
    return FOUND if found.problems else CLEAN


def _asked(options: argparse.Namespace) -> "tuple[str, list[Item]]":
    """The set by whose reasons it is judged, and everything that is asked about."""
    from bedplate.releases import check  # noqa: PLC0415

    if not options.stack:
        name = _known(options.set)
        return name, [*check.of_set(name), *check.of_bedplate()]
    from bedplate.stacks.load import load_named  # noqa: PLC0415

    profile = load_named(options.stack)
    items = [*check.of_profile(profile), *check.of_bedplate()]
    if options.live:
        running, observed = check.of_cluster(profile.context)
        if observed.hidden:
            why = "; ".join(f"{kind}: {reason}" for kind, reason in observed.hidden.items())
            raise WrongError(f"{profile.context}: what runs cannot be seen: {why}")
        items = list(dict.fromkeys([*items, *running]))
    return profile.version_set or sets.newest(), items
