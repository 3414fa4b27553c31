"""Jobs on either side of a limit, and just beside what is refused: the job, the cluster, and what is said of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bedplate.components.facts import Facts
from tests.stack_files import known
from tests.training_jobs import cluster, job

Edge = tuple[dict[str, Any], Callable[[], Facts], str]
ROCE = "onprem-h100-roce"


def here() -> Facts:
    """The reference cluster with every controller."""
    return cluster(ROCE)


def in_rack() -> Facts:
    """NVLink joins its nodes."""
    facts = here()
    return replace(facts, pools=tuple(replace(pool, nvlink_domain=72) if pool.gpus else pool for pool in facts.pools))


def stored() -> Facts:
    """The reference cluster with its volumes, one of which one node at a time can mount."""
    facts = known(ROCE)
    home = replace(facts.volumes["home"], mode="ReadWriteOnce")
    return replace(facts, volumes={**facts.volumes, "home": home})


def with_rights() -> Facts:
    """The same, two of whose volumes are read with the rights of service accounts."""
    facts = stored()
    read = {name: replace(facts.volumes[name], service_account=name) for name in ("datasets", "models")}
    return replace(facts, volumes={**facts.volumes, **read})


def reads(*claims: str) -> dict[str, Any]:
    """A job that mounts them."""
    return job(volumes=[{"claim": claim, "path": f"/{claim}", "readOnly": True} for claim in claims])


VOLUMES: dict[str, Edge] = {
    "a volume that is read by an account, and one by nobody's": (reads("datasets", "checkpoints"), with_rights, ""),
    "volumes that are read by two accounts": (
        reads("datasets", "models"),
        with_rights,
        "volumes = 2 volumes: datasets and models are read by different service accounts, and a pod has one",
    ),
    "state on a volume of the profile": (job(checkpoint={"claim": "checkpoints"}), stored, ""),
    "state on a volume that is made for it": (
        job(checkpoint={"claim": "mine", "size": "1Ti", "storageClass": "nfs-csi"}),
        stored,
        "",
    ),
    "state on a class that only the site knows": (
        job(checkpoint={"claim": "mine", "size": "1Ti", "storageClass": "weka"}),
        stored,
        "",
    ),
    "state on the default class, whatever that is": (
        job(checkpoint={"claim": "mine", "size": "1Ti"}),
        stored,
        (
            "checkpoint.storageClass = absent: all nodes write to the claim, and a default class, where there is one, "
            "makes disks of one node; use nfs-csi"
        ),
    ),
    "state on disks of one node": (
        job(checkpoint={"claim": "mine", "size": "1Ti", "storageClass": "disks"}),
        lambda: replace(stored(), classes={"disks": False}),
        "checkpoint.storageClass = disks: its volumes are mounted by one node; name one of NFS, CephFS or Lustre",
    ),
    "a volume that the profile makes, made again": (
        job(checkpoint={"claim": "checkpoints", "size": "1Ti"}),
        stored,
        "checkpoint.size = 1Ti: the profile makes this claim already",
    ),
    "state on a volume that nobody may write": (
        job(checkpoint={"claim": "datasets"}),
        stored,
        "checkpoint.claim = datasets: its mode is ReadOnlyMany, the job needs ReadWriteMany",
    ),
    "a volume of nobody": (
        job(checkpoint={"claim": "nosuch"}),
        stored,
        (
            "checkpoint.claim = nosuch: the profile has no such volume in namespace research, and the job does not make it; "
            "use datasets or checkpoints or models or home, or say existing: true"
        ),
    ),
    "a volume of nobody for a team that has one": (
        job(team="serving", nodes=1, gpusPerNode=1, volumes=[{"claim": "nosuch", "path": "/d"}]),
        lambda: replace(stored(), teams=tuple(replace(team, queue=None) for team in stored().teams)),
        (
            "volumes[0].claim = nosuch: the profile has no such volume in namespace serving, and the job does not make it; "
            "use models, or say existing: true"
        ),
    ),
    "a volume where there is none": (
        job(volumes=[{"claim": "nosuch", "path": "/d"}]),
        here,
        (
            "volumes[0].claim = nosuch: the profile has no such volume in namespace research, and the job does not make it; "
            "add it to storage.volumes, or say existing: true"
        ),
    ),
    "a volume that the team has made": (job(volumes=[{"claim": "own", "path": "/d", "existing": True}]), stored, ""),
    "state that is there and is made": (
        job(checkpoint={"claim": "own", "size": "1Ti", "existing": True}),
        stored,
        "checkpoint.existing = true: claim own cannot be there already and be made with 1Ti",
    ),
    "data that is read": (job(volumes=[{"claim": "datasets", "path": "/d"}]), stored, ""),
    "data that is written": (
        job(volumes=[{"claim": "datasets", "path": "/d", "readOnly": False}]),
        stored,
        "volumes[0].claim = datasets: its mode is ReadOnlyMany, the job needs ReadWriteMany",
    ),
    "a volume for one node on one": (job(nodes=1, volumes=[{"claim": "home", "path": "/d"}]), stored, ""),
    "a volume for one node on two": (
        job(volumes=[{"claim": "home", "path": "/d"}]),
        stored,
        "volumes[0].claim = home: its mode is ReadWriteOnce, the job needs ReadOnlyMany or ReadWriteMany",
    ),
    "a volume of another team": (
        job(team="serving", nodes=1, gpusPerNode=1, volumes=[{"claim": "datasets", "path": "/d"}]),
        lambda: replace(stored(), teams=tuple(replace(team, queue=None) for team in stored().teams)),
        "volumes[0].claim = datasets: the profile's volume of that name is not in namespace serving",
    ),
}
SHAPES: dict[str, Edge] = {
    "a cut that leaves a whole number": (job(parallelism={"tp": 8, "dp": 4}), here, "has 16 GPUs; use dp: 2"),
    "a cut that leaves none": (job(parallelism={"tp": 3, "dp": 4}), here, "16 GPUs; change one of them, or nodes"),
    "an elastic job that is not cut": (
        job("PyTorchJob", nodes=1, elastic={"minNodes": 1, "maxNodes": 2}, parallelism={}),
        lambda: cluster(ROCE, "volcano"),
        "",
    ),
    "an elastic job that is cut in two": (
        job("PyTorchJob", nodes=1, elastic={"minNodes": 1, "maxNodes": 2}, parallelism={"tp": 2}),
        lambda: cluster(ROCE, "volcano"),
        "elastic = present: a model cut by tp, pp or cp cannot lose a node",
    ),
    "DeepSpeed on a model that is cut in two": (
        job(deepspeed={"microBatch": 1}, parallelism={"tp": 2}),
        here,
        "deepspeed = present: DeepSpeed takes every GPU as data parallel",
    ),
    "DeepSpeed on a model that is not cut": (job(deepspeed={"microBatch": 1}, parallelism={}), here, ""),
    "groups of servers": (job("LeaderWorkerSet", replicas=2), lambda: cluster("eks-p5"), ""),
    "groups of a job": (job(replicas=2), here, "replicas = 2: kind JobSet runs once"),
    "a folder that DeepSpeed has not": (
        job(volumes=[{"claim": "a", "path": "/etc/deepspeed", "existing": True}]),
        here,
        "",
    ),
    "the folder that DeepSpeed has": (
        job(deepspeed={"microBatch": 1}, volumes=[{"claim": "a", "path": "/etc/deepspeed", "existing": True}]),
        here,
        "volumes[0].path = /etc/deepspeed: something else is mounted there",
    ),
}
RACKS: dict[str, Edge] = {
    "whole nodes of a rack": (job(), in_rack, ""),
    "parts of two nodes of a rack": (job(gpusPerNode=4), in_rack, "gpusPerNode = 4: NVLink joins its nodes"),
    "part of one node of a rack": (job(nodes=1, gpusPerNode=4), in_rack, ""),
}
ENDS: dict[str, Edge] = {
    "all the time to end that the cluster gives": (job(grace=600), here, ""),
    "a second more": (job(grace=601), here, "the cluster lets a pod take 600 s to end"),
}
EDGES = {**VOLUMES, **SHAPES, **RACKS, **ENDS}
