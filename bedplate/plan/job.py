"""`bedplate job render FILE --stack ENV`: a job file as the objects that `kubectl apply` takes on that cluster.

Objects go to standard output or, with --out, into a folder; what the policies say goes to standard error. A job that
violates a mandatory policy is not written: the output may be on its way to a cluster.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bedplate.answer import answer
from bedplate.progress import progress
from bedplate.stacks.profile.stack_file import PROFILE_KEY, read_mapping

from .errors import PlanError
from .stackfile import load_configuration
from .target import Target, target
from .to_yaml import to_yaml

if TYPE_CHECKING:
    from bedplate.components.facts import Facts
    from bedplate.components.workload.job import TrainingJob
    from bedplate.policies.judging.verdict import Verdict
    from bedplate.stacks.profile.profile import Profile

    from .fit import Line

CLEAN, FAILED = 0, 1
MARKER = ".bedplate-job"


def run(options: argparse.Namespace) -> int:
    """Render, judge, and write what may be applied."""
    document = read_mapping(options.file, str(options.file))
    cluster = target(options.stack, options.profile, options.project, "bedplate job render FILE --stack ENV")
    if options.out:
        _check(options.out)
    with progress(f"Rendering {options.file.name}"):
        objects, verdicts, fits = rendered(document, cluster, str(options.file))
    if options.json:
        violated = any(verdict.severity == "mandatory" for verdict in verdicts)
        as_json = [verdict.as_json() for verdict in verdicts]
        whole = {"manifests": objects, "verdicts": as_json, "fit": fits.as_json()}
        answer("JobPlan", whole)
        return FAILED if violated else CLEAN
    if refused(verdicts, "written"):
        return FAILED
    _write(options.out, objects)
    if options.out:
        sys.stdout.write(f"{fits.name}: {fits.text}\n")
    return CLEAN


def render(document: Mapping[str, Any], cluster: Target, source: str) -> "tuple[list[dict[str, Any]], list[Verdict]]":
    """The objects of a job on a stack's cluster, and what the policies say about them."""
    objects, verdicts, _ = rendered(document, cluster, source)
    return objects, verdicts


def rendered(
    document: Mapping[str, Any], cluster: Target, source: str
) -> "tuple[list[dict[str, Any]], list[Verdict], Line]":
    """The same, and what of the cluster the job takes."""
    from bedplate.stacks.facts.derive import facts  # noqa: PLC0415 - a wrong command must not cost it
    from bedplate.stacks.facts.policies import policy_facts  # noqa: PLC0415

    from .fit import of_job  # noqa: PLC0415

    profile = _profile(cluster)
    derived = facts(profile)
    job, objects, verdicts = judged(document, derived, source, policy_facts(profile))
    return objects, verdicts, of_job(job, derived)


def judged(
    document: Mapping[str, Any], facts: "Facts", source: str, policies: Mapping[str, Any]
) -> "tuple[TrainingJob, list[dict[str, Any]], list[Verdict]]":
    """A job, its objects, and what the rules say that hold for any team's manifests: no more of the cluster is seen."""
    from bedplate.components.training.render import manifests  # noqa: PLC0415
    from bedplate.policies.facts import Facts as PolicyFacts  # noqa: PLC0415
    from bedplate.policies.judging.judge import judge  # noqa: PLC0415
    from bedplate.policies.manifests.charts import from_manifest  # noqa: PLC0415
    from bedplate.stacks.jobs.checks import load_job  # noqa: PLC0415

    job = load_job(document, facts, source)
    objects = manifests(job, facts)
    policy_facts = PolicyFacts.from_mapping(policies)
    return job, objects, judge((from_manifest(obj, source) for obj in objects), policy_facts, complete=False)


def refused(verdicts: "Sequence[Verdict]", done: str) -> bool:
    """Say what the rules say, and where one is mandatory that nothing is `done`."""
    sys.stderr.writelines(f"{verdict.severity} {verdict.rule}: {verdict.message}\n" for verdict in verdicts)
    violated = any(verdict.severity == "mandatory" for verdict in verdicts)
    if violated:
        sys.stderr.write(f"Nothing is {done}: a mandatory policy is violated.\n")
    return violated


def _profile(cluster: Target) -> "Profile":
    from bedplate.stacks.load import load  # noqa: PLC0415

    files, configuration = cluster.project.stacks, load_configuration(cluster.project, cluster.stack)
    return load(json.loads(configuration.values[PROFILE_KEY]), files.file(cluster.stack), files.place(cluster.stack))


def _check(folder: Path) -> None:
    """Only a new folder, or that of an earlier job, is written to."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARKER).exists())):
        raise PlanError([f"--out {folder}: holds something that no job wrote: name an empty or a new folder"])


def _write(folder: Path | None, objects: list[dict[str, Any]]) -> None:
    if folder is None:
        sys.stdout.write("---\n".join(to_yaml(document) for document in objects))
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for earlier in folder.glob("[0-9][0-9]-*.yaml"):
            earlier.unlink()
        (folder / MARKER).touch()
        for index, document in enumerate(objects):
            name = f"{index:02}-{document['kind']}-{document['metadata']['name']}.yaml".lower()
            (folder / name).write_text(to_yaml(document), encoding="utf-8")
    except OSError as error:
        raise PlanError([f"--out {folder}: cannot be written: {error.strerror or error}"]) from error
