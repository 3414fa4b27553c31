"""`bedplate diff A B --stack ENV`: what the difference of two plans does to the running cluster.

A and B are git revisions (B: the working tree unless said), or folders that `bedplate plan ENV --out DIR` wrote.
`--preview FILE` judges what `pulumi preview --json` printed instead.
"""

import argparse
import sys

from bedplate import usage
from bedplate.answer import answer
from bedplate.review.danger import BY_LABEL
from bedplate.review.findings import Finding, failing, findings
from bedplate.review.plans import Plan, plan, previewed
from bedplate.wrong import refusing

GOOD, DANGEROUS = 0, 1


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Compare, show, and say by the exit status whether it may be merged."""
    parser = usage.stated(__file__, "diff", dangers=tuple(BY_LABEL))
    options = parser.parse_args(arguments)
    if bool(options.old) == bool(options.preview):
        parser.error("name two plans (A [B]), or --preview FILE")
    old, new = _sides(options)
    judged = findings(old, new)
    _show(options, judged, _reach(judged, new), _cost(old, new))
    refused = failing(judged, BY_LABEL[options.fail_on]) if options.fail_on else []
    sys.stderr.writelines(
        f"not acknowledged: {finding.title}: {finding.judgement.danger.label}\n" for finding in refused
    )
    return DANGEROUS if refused else GOOD


def _sides(options: argparse.Namespace) -> tuple[Plan, Plan]:
    from bedplate.progress import progress  # noqa: PLC0415 - a wrong command must not cost it

    if options.preview:
        return previewed(options.preview)
    with progress(f"Comparing {options.old} with {options.new}"):
        return plan(options.old, options.stack), plan(options.new, options.stack)


def _reach(judged: list[Finding], new: Plan) -> str:
    if new.profile is None:
        return ""
    from bedplate.review.reach import reach  # noqa: PLC0415 - only a profile of ours tells
    from bedplate.stacks.facts.derive import facts  # noqa: PLC0415
    from bedplate.stacks.load import load  # noqa: PLC0415

    return reach(judged, facts(load(new.profile)))


def _cost(old: Plan, new: Plan) -> str:
    if old.profile is None or new.profile is None or old.profile == new.profile:
        return ""
    from bedplate.review.cost import cost  # noqa: PLC0415 - only two profiles of ours tell

    return cost(old.profile, new.profile)


def _show(options: argparse.Namespace, judged: list[Finding], reach: str, cost: str) -> None:
    from bedplate.review.show import markdown, show, summary  # noqa: PLC0415

    match options.format:
        case "json":
            changes = [finding.as_json() for finding in judged]
            document = {"summary": summary(judged), "reach": reach, "cost": cost, "changes": changes}
            answer("Difference", document)
        case "markdown":
            sys.stdout.write(markdown(judged, reach, cost))
        case _:
            show(judged, reach, cost)


if __name__ == "__main__":
    sys.exit(main())
