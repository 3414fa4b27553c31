"""`bedplate job submit FILE`: render, judge, and hand to the API server.

The job is rendered from what stands in the team's namespace, without the profile and its repository, unless a stack or
a profile is named.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bedplate.cluster.objects import bundle
from bedplate.components.workload.contract import FACTS_KEY
from bedplate.components.workload.extras import CONFIG_MAP
from bedplate.components.workload.kinds import KINDS
from bedplate.plan.errors import PlanError
from bedplate.plan.job import judged, refused
from bedplate.plan.job import render as by_profile
from bedplate.plan.target import target
from bedplate.progress import progress
from bedplate.stacks.profile.stack_file import read_mapping

from .kubectl import Kubectl

if TYPE_CHECKING:
    from bedplate.components.facts import Facts
    from bedplate.policies.judging.verdict import Verdict

    Rendered = tuple[list[dict[str, Any]], list[Verdict]]

CLEAN, FAILED = 0, 1


def submit(options: argparse.Namespace) -> int:
    """Nothing is sent that violates a mandatory policy, and no job is changed that is there already."""
    document = read_mapping(options.file, str(options.file))
    if "apiVersion" in document:
        raise PlanError([f"{options.file}: holds an object, not a job file: kubectl apply -f {options.file}"])
    kubectl = Kubectl(options.context, options.namespace or _team(document, options))
    objects, verdicts = _rendered(document, options, kubectl)
    if refused(verdicts, "submitted"):
        return FAILED
    _refuse_existing(kubectl, document)
    dry = ("--dry-run=server",) if options.dry_run else ()
    sys.stdout.write(kubectl.read("apply", *dry, "-f", "-", given=bundle(objects)))
    return CLEAN


def _team(document: dict[str, Any], options: argparse.Namespace) -> str:
    team = document.get("team")
    if not isinstance(team, str):
        raise PlanError([f"{options.file}: team: absent: name the team, which is the namespace"])
    return team


def _rendered(document: dict[str, Any], options: argparse.Namespace, kubectl: Kubectl) -> "Rendered":
    if options.stack or options.profile:
        chosen = target(options.stack, options.profile, None, "bedplate job submit FILE")
        return by_profile(document, chosen, str(options.file))
    with progress(f"Rendering {options.file.name}"):
        return render(document, facts(kubectl), str(options.file))


def facts(kubectl: Kubectl) -> "Facts":
    """The cluster's facts, as the namespace's ConfigMap has them."""
    from bedplate.components.facts.written import read  # noqa: PLC0415 - needs pydantic, which other verbs do without

    place = f"namespace {kubectl.namespace}" if kubectl.namespace else "this namespace"
    config_map = kubectl.named("configmap", CONFIG_MAP)
    if config_map is None:
        fix = "is it a team's of this cluster? Or --stack ENV"
        raise PlanError([f"{CONFIG_MAP}: {place} has no such ConfigMap: {fix}"])
    try:
        return read(config_map["data"][FACTS_KEY])
    except (KeyError, ValueError) as error:
        fix = "use that one, or --stack ENV"
        raise PlanError([f"{CONFIG_MAP}: {place}'s was written by another version of Bedplate: {fix}"]) from error


def render(document: Mapping[str, Any], facts: "Facts", source: str) -> "Rendered":
    """The job's objects, and the verdicts of those rules that need no profile."""
    _, objects, verdicts = judged(document, facts, source, {})
    return objects, verdicts


def _refuse_existing(kubectl: Kubectl, document: dict[str, Any]) -> None:
    """Most of a job cannot change: an apply over an existing one would stop half-way."""
    group, _, plural = KINDS[document["kind"]].admitted
    if kubectl.named(f"{plural}.{group}", document["name"]):
        fix = "cancel it first, or give this one another name"
        raise PlanError([f"{document['kind']} {document['name']}: there already: {fix}"])
