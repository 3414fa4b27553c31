"""Everything that a statement says, from the plan, the files that were given, and the cluster if it is asked."""

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bedplate.folders import PACKAGE
from bedplate.plan.capture import captured
from bedplate.plan.graph import Graph
from bedplate.plan.summary import releases, resources
from bedplate.plan.target import Target, target
from bedplate.plan.verdicts import verdicts
from bedplate.policies.rules import RULES
from bedplate.progress import progress
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.wrong import WrongError

from .deployed import of_state, stated
from .images import images
from .lists import as_json
from .needs import needs
from .parts import NO_CHECKS, NO_CLUSTER, NO_STATE, digests, of_checks, of_cluster
from .statement import Part, Planned, statement

USAGE = "bedplate evidence ENV"
JUDGING = ("catalog", "policies")
SOURCES = (".py", ".csv")


def gathered(options: argparse.Namespace, head: Mapping[str, str]) -> dict[str, Any] | None:
    """The statement; None where the kubeconfig's context is another than the profile's, which has been said."""
    chosen = target(None, options.stack, None, USAGE)
    with progress(f"Planning {chosen.stack}"):
        files = _files(chosen)
        graph = captured(chosen.project, chosen.stack)
        if files != _files(chosen):
            raise WrongError(f"{chosen.project.stacks.file(chosen.stack)}: changed while it was planned; run it again")
        planned = _planned(chosen, graph, files, tuple(options.node_os or ()))
    state = _state(options.state, graph)
    changed = str(state.says.get("changed", ""))
    checks = {
        f"verify {file.name}": of_checks(_read(file), str(file), chosen.stack, changed) for file in options.verify
    }
    with progress("Looking at the cluster"):
        cluster = _cluster(chosen, graph) if options.cluster else Part(not_checked=(NO_CLUSTER,))
    if cluster is None:
        return None
    return statement(
        planned, {"state": state, "cluster": cluster}, checks or {"verify": Part(not_checked=(NO_CHECKS,))}, head
    )


def _state(file: Path | None, graph: Graph) -> Part:
    return of_state(_read(file), str(file), stated(graph.resources)) if file else Part(not_checked=(NO_STATE,))


def _files(chosen: Target) -> dict[str, bytes]:
    sources = chosen.project.stacks.sources(chosen.stack)
    return {name: _read(path) for name, path in sources.items()}


def _planned(chosen: Target, graph: Graph, files: Mapping[str, bytes], systems: tuple[str, ...]) -> Planned:
    profile = graph.profile or {}
    return Planned(
        stack=chosen.stack,
        files=files,
        resources=resources(graph),
        releases=releases(graph),
        rules=rules(),
        findings=verdicts(graph, profile),
        images=as_json(images(graph, systems), chosen.stack),
        pods=[need.as_json() for need in needs(graph)],
    )


def rules() -> dict[str, Any]:
    """How many, and the digest of the sources from which they judge: their code, and what they know of machines.

    Each file's path in the package, a NUL, its bytes and a NUL, by path: in a checkout the same as in a wheel of it.
    """
    whole = hashlib.sha256()
    for path in (path for room in JUDGING for path in sorted((PACKAGE / room).rglob("*"))):
        if path.suffix in SOURCES:
            whole.update(f"{path.relative_to(PACKAGE)}\0".encode() + path.read_bytes() + b"\0")
    return {"count": len(RULES), "sha256": whole.hexdigest()}


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WrongError(f"{file}: cannot be read: {error.strerror}") from None


def _cluster(chosen: Target, graph: Graph) -> Part | None:
    """What `bedplate doctor` finds, and images by digest in the namespaces that are ours and nobody's jobs."""
    from bedplate.live import kinds  # noqa: PLC0415 - only who asks the cluster pays for it
    from bedplate.live.desired import desired  # noqa: PLC0415
    from bedplate.live.examine import examine, observe  # noqa: PLC0415
    from bedplate.live.reading import UnreachableError, getter, look  # noqa: PLC0415
    from bedplate.stacks.providers import guard  # noqa: PLC0415

    if guard(chosen.stack, chosen.project.stacks):
        return None
    derived = facts(load(graph.profile or {}))
    plan = desired(graph, derived)
    try:
        get = getter(derived.context)
        observed = observe(plan, get)
        pods = look(get, [kinds.POD], sorted(plan.homes))
    except UnreachableError as error:
        return Part(not_checked=(f"the running cluster: it does not answer: {error}",))
    hidden = {str(kind): reason for kind, reason in observed.with_more(pods).hidden.items()}
    findings = [finding.as_json() for finding in examine(plan, observed)]
    return of_cluster(observed.version, findings, hidden, len(plan.objects), digests(pods.of(kinds.POD)))
