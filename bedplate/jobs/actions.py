"""`bedplate job list|why|logs|cancel`: what a team asks about its jobs once they are there."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

from bedplate.answer import answer
from bedplate.cluster.objects import name
from bedplate.components.workload.pod import JOB_LABEL
from bedplate.nearest import meant
from bedplate.plan.errors import PlanError
from bedplate.progress import progress

from . import sight
from .kubectl import Kubectl
from .reason import Reason
from .why import why

CLEAN, FAILED = 0, 1


def list_(options: argparse.Namespace) -> int:
    """Every job, its kind, and why it is where it is."""
    with progress("Looking at the jobs"):
        kubectl = _kubectl(options)
        kinds = kubectl.kinds()
        seen = sight.seen(kubectl, kinds, sight.jobs(kubectl, kinds))
    rows = [(job.job, str(job.objects[0]["kind"]), why(job)) for job in seen]
    if options.json:
        answer("Jobs", {"jobs": [_plain(job, reason) | {"kind": kind} for job, kind, reason in rows]})
        return CLEAN
    width = max((len(job) for job, _, _ in rows), default=0)
    sys.stdout.writelines(f"{job:{width}}  {kind:<15}  {reason}\n" for job, kind, reason in rows)
    if not rows:
        sys.stderr.write("no jobs in this namespace\n")
    return CLEAN


def why_(options: argparse.Namespace) -> int:
    """One sentence about one job."""
    reason = _reason(_kubectl(options), options.name)
    if options.json:
        answer("JobReason", _plain(options.name, reason))
    else:
        sys.stdout.write(f"{options.name}: {reason}\n")
    return CLEAN


def logs(options: argparse.Namespace) -> int:
    """What the job's pods write; why it has none yet."""
    kubectl = _kubectl(options)
    pods = kubectl.items(["pods"], "-l", f"{JOB_LABEL}={options.name}")
    if not pods:
        sys.stderr.write(f"no pods yet. {options.name}: {_reason(kubectl, options.name)}\n")
        return FAILED
    more = (("--follow",) if options.follow else ()) + (("--previous",) if options.previous else ())
    # By default kubectl reads five pods at most, and ten lines of each.
    limits = ("--max-log-requests", str(len(pods)), "--tail", str(options.tail))
    return kubectl.hand_over("logs", "-l", f"{JOB_LABEL}={options.name}", "--prefix", *limits, *more)


def cancel(options: argparse.Namespace) -> int:
    """Delete the job and what came with it; its checkpoints stay."""
    kubectl = _kubectl(options)
    kinds = kubectl.kinds()
    own = [job for job in sight.jobs(kubectl, kinds) if name(job) == options.name]
    objects = [*own, *sight.beside(kubectl, kinds, options.name)]
    if not objects:
        raise _no_such(options.name)
    return kubectl.hand_over("delete", "--wait=false", "--ignore-not-found", *map(sight.reference, objects))


def _reason(kubectl: Kubectl, job: str) -> Reason:
    with progress(f"Looking at {job}"):
        kinds = kubectl.kinds()
        jobs = sight.jobs(kubectl, kinds)
        (seen,) = sight.seen(kubectl, kinds, jobs, job)
    if reason := why(seen):
        return reason
    raise _no_such(job, list(map(name, jobs)))


def _no_such(job: str, names: Sequence[str] = ()) -> PlanError:
    there = ", ".join(names) or "see bedplate job list"
    fix = meant(job, names) or "name its namespace with -n"
    return PlanError([f"{job}: no such job in this namespace ({there}); {fix}"])


def _kubectl(options: argparse.Namespace) -> Kubectl:
    return Kubectl(options.context, options.namespace)


def _plain(job: str, reason: Reason | None) -> dict[str, object]:
    return {"job": job, **(asdict(reason) if reason else {})}
