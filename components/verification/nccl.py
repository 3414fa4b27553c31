"""The last step of a deployment: an all-reduce must reach the fabric's floor, over all rails, and no rail stand out.

A job like any other, in a team's queue and from the same contract: what it proves holds for the team's own jobs. Only
real GPUs can prove it; a simulated cluster merely starts it and calls it done.
"""

from pathlib import Path
from typing import Any, cast

import pulumi
from pydantic import Field, PositiveInt

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.manifest import declare
from bedplate.components.readiness import GUARDS, wait_for
from bedplate.components.section import DnsLabel, Seconds, Section
from bedplate.components.training.render import manifests
from bedplate.components.verification.qualification import Qualification
from bedplate.components.workload.job import TrainingJob

HERE = Path(__file__).parent
IN_PODS = "components.verification"
"""What the modules are called there, wherever they stand here: another text is another test of every cluster."""
BESIDES = ("nccl_log", "rails")
"""Modules that the pods' script imports; the image has none of ours."""
DIRECT = ("infiniband", "roce")
"""Fabrics whose adapters NCCL names, and over which it says how it reads GPU memory."""
NVLS, SHARP = "NCCL_NVLS_ENABLE", "NCCL_COLLNET_ENABLE"
"""Variables of NCCL by which a site declares, with 1 in `fabric.env`, that switches of NVLink and of the network reduce
(NCCL documentation, environment variables)."""
TOLERANCE = 0.9
"""Part of the floor that is still taken as reached."""
TWO = 2
"""Nodes, between which NCCL's trees carry more than a NIC."""
NAME = "nccl-verification"
NODE_NAME = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}


class VerificationSection(Section):
    """An all-reduce that every deployment must pass."""

    team: DnsLabel
    """Whose queue and quota it uses, and whose networks it proves."""
    image: str = Field(min_length=1)
    """With PyTorch, and on EFA with the aws-ofi-nccl plugin; pinned by tag or digest."""
    pool: DnsLabel | None = None
    """By default the only pool with GPUs."""
    nodes: int = Field(default=2, ge=2, le=1024)
    """Whole nodes; two have a floor of their own, as NCCL carries more between two than between many."""
    floor_gbs: PositiveInt | None = None
    """Bus bandwidth that must be reached, GB/s; by default the shape's published floor, of which 90 % will do. Without
    either only the network is checked."""
    largest_gib: PositiveInt = 8
    """The largest message."""
    timeout: Seconds = 3600
    """For queueing, pulling the image and the test itself."""
    qualify: Qualification | None = None
    """Keep nodes with GPUs out of the queues until `bedplate verify --qualify` has found them well, new ones and, one
    after another, all of them after a change of operators, driver or fabric. Needs Kueue. A deployment then runs no
    all-reduce of its own: nodes are let in after it. Switching it gives each pool's flavor another name, which Kueue
    takes for another pool: drain the queues before."""


class NcclVerification(Component[VerificationSection], token="bedplate:verification:NcclVerification"):
    """Runs the job and waits for its end; a failed one fails the deployment."""

    def _declare(self, args: Args[VerificationSection], _: pulumi.ResourceOptions) -> None:
        wait = pulumi.ResourceOptions(
            parent=self,
            delete_before_replace=True,
            # A job does not run again for a new annotation, and neither it nor a JobSet takes a new spec.
            replace_on_changes=["metadata", "spec"],
            custom_timeouts=pulumi.CustomTimeouts(create=f"{args.section.timeout}s"),
        )
        for manifest in objects(args.section, args.facts):
            declare(f"{NAME}-{manifest['kind'].lower()}", manifest, wait)


def job(section: VerificationSection, facts: Facts) -> TrainingJob:
    """The job; KAI makes no gang of a plain Job."""
    return TrainingJob(
        name=NAME,
        team=section.team,
        kind="JobSet" if facts.scheduler.kind == "kai" else "Job",
        image=section.image,
        command=(
            *("torchrun", "--no-python", "python", "-c", script()),
            *("--floor", str(gate(section, facts)), "--largest", str(section.largest_gib * 2**30)),
            *_promised(section, facts),
        ),
        pool=section.pool,
        nodes=section.nodes,
        max_restarts=1,
        grace=1,
    )


def script() -> str:
    """What the pods run: the all-reduce, after the modules that it imports."""
    texts = {f"{IN_PODS}.{name}": _in_pods(name) for name in BESIDES}
    return f"""import sys, types
for name, text in {texts!r}.items():
    sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), sys.modules[name].__dict__)
{_in_pods("all_reduce")}"""


def _in_pods(name: str) -> str:
    """The text of a module, whose imports name the others as the pods have them."""
    return (HERE / f"{name}.py").read_text(encoding="utf-8").replace(f"from {__package__}.", f"from {IN_PODS}.")


def _promised(section: VerificationSection, facts: Facts) -> tuple[str, ...]:
    """What NCCL's log must show on this fabric."""
    if facts.fabric.kind not in DIRECT:
        return ()
    adapters = ("--adapters", str(facts.pool(section.pool or facts.gpu_pools[0].name).nics))
    direct = ("--direct",) if facts.gpu_direct != "none" else ()
    return (*adapters, *direct, *declared(facts), *(("--sharp",) if facts.fabric.env.get(SHARP) == "1" else ()))


def declared(facts: Facts) -> tuple[str, ...]:
    """What the site says of NVLink's switches, which are the same within a node; NCCL's own word is 2, if it can."""
    return ("--nvls",) if facts.fabric.env.get(NVLS) == "1" else ()


def gate(section: VerificationSection, facts: Facts) -> float:
    """GB/s below which the fabric is broken; 0: unknown."""
    if section.floor_gbs is not None:
        return section.floor_gbs
    pool = facts.pool(section.pool or facts.gpu_pools[0].name)
    floor = pool.busbw_floor_gbs if section.nodes == TWO else pool.busbw_floor_many_gbs
    return round(floor * TOLERANCE, 1)


def objects(section: VerificationSection, facts: Facts) -> list[dict[str, Any]]:
    """The job's objects; a Job is awaited by itself, a JobSet by its status, and each anew on another foundation."""
    *others, last = manifests(job(section, facts), facts)
    wait = wait_for("condition=Completed") if last["kind"] == "JobSet" else {}
    annotations = {GUARDS: facts.foundation, **wait, **last["metadata"].get("annotations", {})}
    spec = told_their_node(last["spec"])
    return [*others, {**last, "metadata": {**last["metadata"], "annotations": annotations}, "spec": spec}]


def told_their_node(value: object) -> object:
    """A spec whose workers, wherever they stand, know the name of their node: what is slow is named by it.

    The fabric's daemon stays as the workload contract has it, by which the guards of the teams know it.
    """
    if isinstance(value, list):
        return [told_their_node(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    old = cast("dict[str, Any]", value)
    new = {key: item if key == "initContainers" else told_their_node(item) for key, item in old.items()}
    return new | {"env": [*old.get("env", ()), NODE_NAME]} if "resources" in new and "image" in new else new
