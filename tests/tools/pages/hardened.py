"""`docs/hardened.md`: what the pods of every example stack ask of nodes, made from their plans (`make schema`)."""

from collections import defaultdict
from collections.abc import Iterator

from bedplate.components.pod_needs import UNCONFINED
from bedplate.evidence.needs import Needs, needs
from bedplate.folders import PROJECT
from bedplate.plan.capture import captured
from bedplate.plan.stackfile import load_project

PAGE_FILE = PROJECT / "docs" / "hardened.md"
HEAD = """# Hardened clusters

What the platform's own pods ask of a node beyond a container's own, part by part: each line is an exception that a
cluster with policies of its own (Pod Security admission, Gatekeeper, Kyverno) must make, or a part to leave out. The
level is the strictest of Kubernetes' Pod Security Standards under which the pod runs; every namespace of ours has the
label of its most demanding pod, and no more. `bedplate evidence` says the same of one cluster, by its profile. Teams'
pods are another matter: [teams](teams.md).

This page is made from the plans of the example stacks and from the charts at their pins (`make schema`); what an
operator makes by itself is among them, whether a profile has it made or not; `…` is what the operator fills in. "not
known": it could not be rendered.

| part | namespace, its level | workload | level | asks for |
|---|---|---|---|---|
"""
TAIL = """
## What to do with it

* **A policy that lets nothing through by default.** Except the namespaces of this page, at their level.
* **`privileged` is not wanted at all.** Drivers, device plugins and node agents have no other way. A node image with
  the driver leaves the driver's out ([platforms](platforms.md)), `monitoring: {kind: existing}` the node exporter's.
* **Namespaces that are not ours** (`kube-system`) have no label of ours: storage drivers of clouds, EFA's plugin.

See also [security](security.md), [evidence](evidence.md), [GPU Operator](gpu-operator.md), [network](network.md).
"""


def page() -> str:
    """The page."""
    return HEAD + "".join(_rows()) + TAIL


def _rows() -> Iterator[str]:
    project = load_project(PROJECT)
    every = {one: None for stack in sorted(project.stacks.known()) for one in needs(captured(project, stack))}
    parts: dict[tuple[str, str, str], list[Needs]] = defaultdict(list)
    for one in every:
        parts[one.part, one.namespace, one.lets or "not ours"].append(one)
    for (part, namespace, lets), found in sorted(parts.items()):
        for one in sorted(found, key=lambda one: one.workload):
            yield f"| {part} | {namespace}, {lets} | {one.workload} | {one.level or 'not known'} | {_asked(one)} |\n"


def _asked(one: Needs) -> str:
    """Of a privileged pod without what follows from it."""
    told = [text for text in one.asks or () if one.level != "privileged" or text not in UNCONFINED]
    return ", ".join(told) or ("" if one.asks is None else "nothing")


def write() -> None:
    """Write it."""
    PAGE_FILE.write_text(page(), encoding="utf-8")
