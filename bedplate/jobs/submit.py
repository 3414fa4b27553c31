"""`bedplate job submit FILE`: render, judge, and hand to the API server."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from bedplate.components.workload.kinds import KINDS
from bedplate.plan.errors import PlanError
from bedplate.plan.target import target
from bedplate.stacks.profile.stack_file import read_mapping

from . import contract
from .kubectl import Kubectl

if TYPE_CHECKING:
    from bedplate.policies.judging.verdict import Verdict

CLEAN, FAILED = 0, 1


def submit(options: argparse.Namespace) -> int:
    """Nothing is sent that violates a mandatory policy, and no job is changed that is there already."""
    document = read_mapping(options.file, str(options.file))
    if "apiVersion" in document:
        raise PlanError([f"{options.file}: holds an object, not a job file: kubectl apply -f {options.file}"])
    kubectl = Kubectl(options.context, options.namespace or _team(document, options))
    objects, verdicts = _rendered(document, options, kubectl)
    sys.stderr.writelines(f"{verdict.severity} {verdict.rule}: {verdict.message}\n" for verdict in verdicts)
    if any(verdict.severity == "mandatory" for verdict in verdicts):
        sys.stderr.write("Nothing is submitted: a mandatory policy is violated.\n")
        return FAILED
    _unused(kubectl, document)
    dry = ("--dry-run=server",) if options.dry_run else ()
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    sys.stdout.write(kubectl.read("apply", *dry, "-f", "-", given=json.dumps(listed)))
    return CLEAN


def _team(document: dict[str, Any], options: argparse.Namespace) -> str:
    team = document.get("team")
    if not isinstance(team, str):
        raise PlanError([f"{options.file}: team: absent: name the team, which is the namespace"])
    return team


def _rendered(
    document: dict[str, Any], options: argparse.Namespace, kubectl: Kubectl
) -> "tuple[list[dict[str, Any]], list[Verdict]]":
    if options.stack or options.profile:
        from bedplate.plan.job import render  # noqa: PLC0415 - loads a profile

        chosen = target(options.stack, options.profile, None, "bedplate job submit FILE")
        return render(document, chosen, str(options.file))
    return contract.render(document, contract.facts(kubectl), str(options.file))


def _unused(kubectl: Kubectl, document: dict[str, Any]) -> None:
    """Most of a job cannot change: an apply over one that is there would stop half-way."""
    group, _, plural = KINDS[document["kind"]].admitted
    if kubectl.named(f"{plural}.{group}", document["name"]):
        fix = "cancel it first, or give this one another name"
        raise PlanError([f"{document['kind']} {document['name']}: there already: {fix}"])
