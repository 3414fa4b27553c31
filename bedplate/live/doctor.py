"""`bedplate doctor ENV`: what is wrong on a cluster against its profile. It lists and reads, and changes nothing."""

import argparse
import sys

from bedplate import usage
from bedplate.answer import answer
from bedplate.live.finding import Finding
from bedplate.live.reading import Observed, UnreachableError, getter
from bedplate.plan.errors import PlanError
from bedplate.plan.target import Target, target
from bedplate.progress import progress
from bedplate.wrong import refusing

SETTLED, FINDINGS, UNKNOWN = 0, 1, 2
USAGE = "bedplate doctor ENV"


@refusing
def main(words: list[str]) -> int:
    """Look, judge, show."""
    options = usage.stated(__file__, "doctor").parse_args(words)
    try:
        return _examined(options)
    except UnreachableError as error:
        sys.stderr.write(f"the cluster does not answer: {error}; is it reached, and KUBECONFIG its file?\n")
    return UNKNOWN


def _examined(options: argparse.Namespace) -> int:
    chosen = target(None, options.stack, None, USAGE)
    from bedplate.stacks.providers import guard  # noqa: PLC0415 - Pulumi's SDK comes with it, and a wrong name must not cost it

    if guard(chosen.stack, chosen.project.stacks):
        return UNKNOWN
    observed, findings_there = _found(chosen)
    hidden = {str(kind): reason for kind, reason in observed.hidden.items()}
    if options.json:
        findings = [finding.as_json() for finding in findings_there]
        answer("Findings", {"stack": chosen.stack, "findings": findings, "unseen": hidden})
    else:
        from bedplate.live.show import show  # noqa: PLC0415 - machines do not pay for it

        show(chosen.stack, findings_there, hidden)
    return FINDINGS if findings_there else UNKNOWN if hidden else SETTLED


def _found(chosen: Target) -> tuple[Observed, list[Finding]]:
    from bedplate.live.desired import desired  # noqa: PLC0415
    from bedplate.live.examine import examine, observe  # noqa: PLC0415 - whoever is refused does not pay for it
    from bedplate.plan.capture import captured  # noqa: PLC0415
    from bedplate.stacks.facts.derive import facts  # noqa: PLC0415
    from bedplate.stacks.load import load_stack  # noqa: PLC0415

    files = chosen.project.stacks
    profile = load_stack(chosen.stack, files)
    if profile.makes_cluster:
        raise PlanError(
            [f"{files.file(chosen.stack)}: makes the cluster itself; name the stack that is deployed on it"]
        )
    with progress(f"Looking at {profile.context}"):
        plan = desired(captured(chosen.project, chosen.stack), facts(profile))
        observed = observe(plan, getter(profile.context))
        return observed, examine(plan, observed)
