"""Jobs and their places: pools, fabric, topology and quota on either side of a limit, and just beside what is refused."""

from dataclasses import replace
from typing import Any

from bedplate.components.facts import Facts
from tests.stack_files import known
from tests.training_jobs import cluster, job
from tests.unit.test_mig_layouts import known as cut
from tests.unit.training.edges import ROCE, Edge, here

L40S, LAB = "inference-l40s", "lab"
CPU_ONLY = "no such pool with GPUs; use nothing: there is none"
SMALL: dict[str, Any] = {"cpus": 32, "memoryGib": 256}
TOPOLOGY = {"required": "example.com/scalable-unit"}


def sliced() -> Facts:
    """Pools of whole, sliced and shared GPUs."""
    return replace(known(L40S), fabric=cluster(L40S).fabric, teams=cluster(L40S).teams)


def layouts() -> Facts:
    """Nodes whose GPUs are cut in two ways, and whole for the most part."""
    return replace(cut(), fabric=cluster(L40S).fabric)


def pretraining() -> Facts:
    """Volcano, and the Training Operator."""
    return known("onprem-h100-ib")


def without_fabric_for_teams() -> Facts:
    facts = cluster(ROCE)
    return replace(facts, teams=tuple(replace(team, rdma=False) for team in facts.teams))


def short_of_processors() -> Facts:
    """A team with a few processors more than its GPUs' pod takes."""
    facts = cluster(LAB, borrow=False)
    quota = {**facts.team("research").nominal["h100"], "cpu": 203}
    return replace(facts, teams=tuple(replace(team, nominal={"h100": quota}) for team in facts.teams))


def without_gpus() -> Facts:
    facts = cluster(ROCE)
    return replace(facts, pools=tuple(pool for pool in facts.pools if not pool.gpus))


def on(pool: str, **more: Any) -> dict[str, Any]:
    """One pod on a pool."""
    return job("Job", pool=pool, nodes=1, **more)


def whole_nics() -> Facts:
    """Each pod has NICs of its own, by rail."""
    facts = cluster(ROCE)
    return replace(facts, fabric=replace(facts.fabric, exposure="host-device"))


EDGES: dict[str, Edge] = {
    "whole NICs for a whole node": (job(gpusPerNode=8), whole_nics, ""),
    "whole NICs for half a node": (
        job(gpusPerNode=4),
        whole_nics,
        "beside the GPUs that a part of a node gets; use 8; or fabric.exposure shared or sriov in the profile",
    ),
    "no GPUs anywhere": (job(), without_gpus, f"pool = absent: {CPU_ONLY}"),
    "GPUs in several pools": (
        job(),
        sliced,
        "pool = absent: several pools have GPUs; use l40s or a100-mig or l4-shared",
    ),
    "Volcano's job under Kueue": (job("VolcanoJob"), here, "the scheduler here is kueue; use kind JobSet or TrainJob"),
    "several nodes under nobody": (
        job(),
        lambda: cluster(ROCE, None),
        "; add `scheduling` to the profile, or use one node",
    ),
    "one slice": (on("a100-mig", gpusPerNode=1), sliced, ""),
    "two slices": (on("a100-mig", gpusPerNode=2), sliced, "pool = a100-mig: pool a100-mig is cut into MIG slices"),
    "one share": (on("l4-shared", gpusPerNode=1), sliced, ""),
    "two shares": (
        on("l4-shared", gpusPerNode=2),
        sliced,
        "pool = l4-shared: pool l4-shared is shared by time slicing",
    ),
    "one node without the fabric": (job(nodes=1), without_fabric_for_teams, ""),
    "two nodes without the fabric": (
        job(),
        without_fabric_for_teams,
        "team = research: this team does not use the fabric",
    ),
    "two nodes where there is none": (job(pool="l40s"), lambda: cluster(L40S), ""),
    "processors of all GPUs": (job(cpus=32), here, ""),
    "processors of a whole node": (job(cpus=201), here, ""),
    "more processors than a node": (job(cpus=202), here, "cpus = 202: a node of pool h100 has 201 to give"),
    "memory of a whole node": (job(memoryGib=1843), here, ""),
    "half of the memory shared": (job(memoryGib=100, shmGib=50), here, ""),
    "a topology under Volcano": (
        job("VolcanoJob", team="pretraining", topology=TOPOLOGY),
        pretraining,
        "",
    ),
    "a topology that the operator does not know": (
        job("PyTorchJob", team="pretraining", topology=TOPOLOGY),
        pretraining,
        "topology = present: the operator of kind PyTorchJob makes a PodGroup without a topology",
    ),
    "the operator's job under Kueue with a topology": (
        job("PyTorchJob", topology={"required": "kubernetes.io/hostname"}),
        lambda: cluster(LAB),
        "",
    ),
    "Ray where a script must be sourced": (
        job("RayJob"),
        lambda: cluster("gke-a3-mega"),
        "kind = RayJob: /usr/local/nvidia/lib64/nccl-env-profile.sh must be sourced before NCCL",
    ),
    "two slices where all are slices": (
        on("a100-mig", gpusPerNode=2),
        sliced,
        "which a job of several GPUs cannot use; use another pool, or gpusPerNode: 1 and nodes: 1",
    ),
    "two slices beside whole GPUs": (
        on("a100", gpusPerNode=2),
        layouts,
        "cannot use; use another pool, slice: whole, or gpusPerNode: 1 and nodes: 1",
    ),
    "a slice of a kind that a node has one of": (on("a100", gpusPerNode=1, slice="3g.40gb"), layouts, ""),
    "a slice of a kind that no node has": (
        on("a100", gpusPerNode=1, slice="2g.20gb"),
        layouts,
        "slice = 2g.20gb: a node of pool a100 has none; use 1g.10gb or 3g.40gb or whole",
    ),
    "a slice of a whole GPU": (
        on("l40s", gpusPerNode=1, slice="1g.10gb"),
        sliced,
        "a node of pool l40s has none; use whole",
    ),
    "a slice of shared GPUs": (
        on("l4-shared", gpusPerNode=1, slice="1g.10gb"),
        sliced,
        "a node of pool l4-shared has none; remove it",
    ),
    "all whole GPUs of a node": (on("a100", gpusPerNode=5, slice="whole"), layouts, ""),
    "more than are whole": (
        on("a100", gpusPerNode=6, slice="whole"),
        layouts,
        "gpusPerNode = 6: a node of pool a100 has 5; use 5 or fewer",
    ),
    "Ray where nothing must be sourced": (job("RayJob"), here, ""),
    "another kind where a script must be sourced": (job(), lambda: cluster("gke-a3-mega"), ""),
    "what others leave idle": (job(), lambda: cluster(LAB), ""),
    "more than its own part": (
        job("VolcanoJob", team="alignment", nodes=5, **SMALL),
        pretraining,
        "the job asks for 40 nvidia.com/gpu, and team alignment is given 32 of pool h100",
    ),
    "more than all parts": (
        job(nodes=6, **SMALL),
        lambda: known(ROCE),
        "nodes = 6: the job asks for 48 nvidia.com/gpu, and all teams together are given 40 of pool h100",
    ),
    "processors for the workers alone": (job(nodes=1), short_of_processors, ""),
    "processors for the launcher as well": (
        job("MPIJob", nodes=1),
        short_of_processors,
        "205 cpu, and team research is given 203",
    ),
}
