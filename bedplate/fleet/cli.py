"""`bedplate fleet`: many clusters in waves, behind gates, with one view.

bedplate fleet plan [FILE]        every cluster's plan, offline
bedplate fleet diff A             what a change does to every cluster, the worst first
bedplate fleet preview [FILE]     what would change, by each cluster's own engine
bedplate fleet drift [FILE]       which clusters are not what their profiles say
bedplate fleet up [FILE]          wave after wave, with gates; the same words take a killed run up
bedplate fleet status [FILE]      where each cluster is
bedplate fleet stacks [FILE]      the fleet as objects of the Pulumi Kubernetes Operator
bedplate fleet pause|resume|rollback [FILE]
"""

import argparse
import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.answer import answer, answered
from bedplate.review.danger import BY_LABEL
from bedplate.wrong import refusing

if TYPE_CHECKING:
    from pathlib import Path

    from bedplate.fleet.member import Formation

CLEAN, FAILED = 0, 1


@refusing
def main(words: list[str]) -> int:
    """One verb each."""
    options = usage.stated(__file__, "fleet", dangers=tuple(BY_LABEL)).parse_args(words)
    from bedplate.fleet.reading import formation  # noqa: PLC0415 - `--help` must not cost it

    formed = formation(options.file)
    verbs = {"plan": _plan, "diff": _diff, "status": _status, "stacks": _stacks}
    return verbs.get(options.verb, _run)(options, formed)


def _plan(options: argparse.Namespace, formed: "Formation") -> int:
    from bedplate.fleet.plans import plans  # noqa: PLC0415 - `--help` must not cost them
    from bedplate.progress import progress  # noqa: PLC0415

    out: Path | None = options.out
    with progress(f"Planning {len(formed.members)} clusters"):
        results = list(plans(formed, out))
    document = {"fleet": formed.fleet.name, "clusters": [each.as_json() for each in results]}
    if out:
        (out / "fleet.json").write_text(answered("FleetPlan", document), encoding="utf-8")
    if options.json:
        answer("FleetPlan", document)
    else:
        from bedplate.fleet.show import show_plans  # noqa: PLC0415 - machines do not pay for it

        show_plans(formed, results)
    return FAILED if any(each.fault or each.violated for each in results) else CLEAN


def _diff(options: argparse.Namespace, formed: "Formation") -> int:
    from bedplate.fleet import diff, show  # noqa: PLC0415 - `--help` must not cost them
    from bedplate.progress import progress  # noqa: PLC0415

    level = BY_LABEL[options.fail_on] if options.fail_on else None
    with progress(f"Comparing with {options.old}"), diff.planned_at(options.old, options.file) as earlier:
        results = diff.rows(formed, earlier)
    match options.format:
        case "json":
            document = {"fleet": formed.fleet.name, "summary": show.in_all(results)}
            clusters = [row.as_json(level) for row in results]
            answer("FleetDifference", {**document, "clusters": clusters})
        case "markdown":
            sys.stdout.write(show.markdown(formed.fleet.name, results))
        case _:
            show.show_rows(results)
    refused = [*diff.refused(results, level)] if level else []
    sys.stderr.writelines(
        f"not acknowledged: {name}: {each.title}: {each.judgement.danger.label}\n" for name, each in refused
    )
    return FAILED if refused else CLEAN


def _stacks(options: argparse.Namespace, formed: "Formation") -> int:
    from bedplate.fleet.operator import LOST, Place, stacks  # noqa: PLC0415 - `--help` must not cost it
    from bedplate.plan.to_yaml import to_yaml  # noqa: PLC0415

    own = (options.repository, options.commit, options.folder, options.backend, options.namespace)
    for each in stacks(formed, Place(*own, options.service_account)):
        sys.stdout.write(f"---\n{to_yaml(each)}")
    sys.stderr.writelines(f"lost: {line}\n" for line in LOST)
    return CLEAN


def _status(options: argparse.Namespace, formed: "Formation") -> int:
    from bedplate.engine.tool import provided  # noqa: PLC0415 - Pulumi's SDK comes with it
    from bedplate.fleet import run  # noqa: PLC0415
    from bedplate.fleet.show import show_status  # noqa: PLC0415

    provided()
    run.deployable(formed)
    results = run.status(formed)
    if options.json:
        answer("FleetStatus", results)
    else:
        show_status(results)
    return CLEAN


def _run(options: argparse.Namespace, formed: "Formation") -> int:
    """What asks or changes clusters."""
    from bedplate.engine.tool import provided  # noqa: PLC0415 - Pulumi's SDK comes with it
    from bedplate.fleet import run  # noqa: PLC0415

    provided()
    logs: Path = getattr(options, "logs", None) or options.file.parent / "fleet-logs"
    if options.verb == "pause":
        return run.pausing(formed)
    looks = {"preview": run.preview, "drift": run.drift}
    changes = {"up": run.up, "rollback": run.rollback, "resume": run.resume}
    if options.verb in changes and not (options.yes or _asked(formed.fleet.name, options.verb)):
        return CLEAN
    return {**looks, **changes}[options.verb](formed, logs)


def _asked(name: str, verb: str) -> bool:
    """Whether somebody at a terminal says so; nobody is asked where nobody watches."""
    if not sys.stdin.isatty():
        sys.stdout.write(f"To go: bedplate fleet {verb} --yes\n")
        return False
    sys.stderr.write(f"{verb} {name}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
