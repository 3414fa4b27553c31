"""Schedulers, teams, servers and storage: profiles on either side of a limit, and just beside what is refused."""

from typing import Any

from tests.unit.checks.case import GONE, edited, refused, taken
from tests.unit.cloud.test_cloud_checks import oke

ROCE, EKS, GKE, L40S, LAB = "onprem-h100-roce", "eks-p5", "gke-a3-mega", "inference-l40s", "lab"
S = "serving.servers.0."
FIXED = {f"{S}maxReplicas": GONE, f"{S}scaling": GONE}
GROUP: dict[str, Any] = {
    f"{S}tensorParallel": 8,
    f"{S}pipelineParallel": 2,
    f"{S}replicas": 1,
    f"{S}maxReplicas": GONE,
    f"{S}scaling": GONE,
    "training.leaderWorkerSet": {},
}
MADE_ELSEWHERE = {"cloud": GONE, "pools.1.capacity": GONE, "pools.1.placement": GONE, "pools.1.zone": GONE}
LOADED = 600 + 1800
"""Seconds: the least that a server is given to start, and half an hour for its image."""
HUB = {"kind": "hugging-face", "repository": "org/model"}
VOLUME = {"name": "more", "namespaces": ["research"], "size": "1Ti", "path": "/more"}
TRITON = {
    "kind": "triton",
    "name": "ranker",
    "namespace": "serving",
    "pool": "h100",
    "weights": {"kind": "volume", "volume": "models", "directory": "ranker"},
}
ONE_GPU = {"gpu": "L4", "gpus": 1, "cpus": 8, "memoryGib": 32}
ONE_NODE = {"storage.existingClasses.0.kind": "block", "storage.volumes.0.mode": "ReadWriteOnce"}


def cpu_pools(count: int) -> dict[str, Any]:
    """So many further pools, each with labels of its own."""
    shape = {"shape": {"cpus": 8, "memoryGib": 32}, "nodes": 1}
    return {f"pools.{2 + i}": {"name": f"cpu-{i}", **shape, "selector": {"pool": str(i)}} for i in range(count)}


EDGES = {
    "a team that retires": taken(edited(ROCE, {"tenancy.retire": ["research"]})),
    "a team that has gone already": refused(
        edited(ROCE, {"tenancy.retire": ["research", "sales"]}), ("tenancy.retire[1] = sales: no such team",)
    ),
    "a volume that retires": taken(edited(ROCE, {"storage.retire": ["home"]})),
    "a volume that has gone already": refused(
        edited(ROCE, {"storage.retire": ["home", "old"]}), ("storage.retire[1] = old: no such volume",)
    ),
    "held to one level": taken(edited(LAB, {"scheduling.topology": {"levels": ["a/b"], "required": "a/b"}})),
    "kept near if it fits": taken(edited(LAB, {"scheduling.topology": {"levels": ["a/b"], "preferred": "a/b"}})),
    "a domain twice": refused(
        edited(LAB, {"scheduling": {"kind": "volcano", "topology": {"levels": ["a/b"], "domains": ["r1", "r1"]}}}),
        ("scheduling.topology.domains", "listed twice"),
    ),
    "a domain called like the one above": refused(
        edited(LAB, {"scheduling": {"kind": "volcano", "topology": {"levels": ["a/b"], "domains": ["network"]}}}),
        ("scheduling.topology.domains", "named network"),
    ),
    "as many pools as Kueue has flavors": taken(edited(LAB, cpu_pools(62))),
    "one pool more than Kueue has flavors": refused(edited(LAB, cpu_pools(63)), ("pools = 65", "at most 64 flavors")),
    "every GPU promised": taken(edited(LAB, {"tenancy.teams.0.gpus": {"h100": 16}})),
    "more than the only GPU": refused(
        edited(LAB, {"pools.2": {"name": "one", "shape": ONE_GPU, "nodes": 1}, "tenancy.teams.0.gpus": {"one": 2}}),
        ("tenancy.teams = 2", "promised 2 GPUs of pool one, which has 1"),
    ),
    "GPUs of a pool that has none": refused(
        edited(LAB, {"tenancy.teams.0.gpus": {"system": 1}}), ("tenancy.teams[0].gpus.system = 1", "use one of: h100")
    ),
    "defaults that Kueue would take for the limits": refused(
        edited(LAB, {"tenancy.teams.0.containerDefaults": {"cpu": "2"}}),
        ("tenancy.teams[0].containerDefaults", "remove it"),
    ),
    "defaults without Kueue": taken(
        edited(LAB, {"scheduling": {"kind": "volcano"}, "tenancy.teams.0.containerDefaults": {"cpu": "2"}})
    ),
    "a server that goes just in time": taken(edited(ROCE, {**FIXED, f"{S}grace": 600})),
    "a server that goes a second late": refused(
        edited(ROCE, {**FIXED, f"{S}grace": 601}), ("serving.servers[0].grace = 601", "tenancy.longestGrace is 600")
    ),
    "a server on all GPUs of a node": taken(edited(ROCE, {**FIXED, f"{S}tensorParallel": 8})),
    "a server on GPUs that two share": refused(
        edited(L40S, {"pools.1.timeSlicing": 2, f"{S}maxReplicas": GONE, f"{S}scaling": GONE}),
        ("serving.servers[0].pool = l40s", "its GPUs are shared by time"),
    ),
    "KV heads that do not divide": refused(
        edited(
            ROCE,
            {**FIXED, f"{S}model": {"billions": 8, "layers": 32, "heads": 24, "kvHeads": 6}, f"{S}tensorParallel": 4},
        ),
        ("serving.servers[0].tensorParallel = 4", "24 heads, and divide its 6 KV heads", "use one of 1, 2, 3, 6, 12"),
    ),
    "KV heads that are repeated": taken(
        edited(
            ROCE,
            {**FIXED, f"{S}model": {"billions": 8, "layers": 32, "heads": 24, "kvHeads": 4}, f"{S}tensorParallel": 8},
        )
    ),
    "servers on every GPU": taken(edited(ROCE, {f"{S}maxReplicas": 16, "tenancy.teams.1.gpus.h100": 64})),
    "a cache target of twice all": refused(
        edited(ROCE, {f"{S}scaling": {"metric": "kv-cache", "target": 2}}),
        ("serving.servers[0].scaling.target = 2", "0 to 1"),
    ),
    "a cache target of all": taken(edited(ROCE, {f"{S}scaling": {"metric": "kv-cache", "target": 1}})),
    "nothing keeps the download, and the nodes have disks": taken(edited(ROCE, {f"{S}weights": HUB})),
    "nothing keeps the download, and nothing is stored": refused(
        edited(L40S, {f"{S}weights": HUB, "storage": GONE}),
        ("serving.servers[0].weights.cache = absent", "storage.cache"),
    ),
    "one pod with a volume for one node": taken(edited(L40S, {**ONE_NODE, **FIXED, f"{S}replicas": 1})),
    "two pods with a volume for one node": refused(
        edited(L40S, {**ONE_NODE, **FIXED}),
        ("serving.servers[0].weights.cache = models", "its mode is ReadWriteOnce, and 2 pods mount it"),
    ),
    "two nodes of one replica with a volume for one": refused(
        edited(
            ROCE,
            {
                **GROUP,
                "tenancy.teams.1.gpus.h100": 16,
                "storage.existingClasses.1": {"name": "rbd", "kind": "block"},
                "storage.volumes.4": {
                    **VOLUME,
                    "namespaces": ["serving"],
                    "storageClass": "rbd",
                    "mode": "ReadWriteOnce",
                },
                f"{S}weights.volume": "more",
            },
        ),
        ("serving.servers[0].weights.volume = more", "its mode is ReadWriteOnce, and 2 pods mount it"),
    ),
    "a Triton server with a volume for several nodes": taken(edited(ROCE, {"serving": {"servers": [TRITON]}})),
    "a group on the fabric": taken(edited(ROCE, {**GROUP, "tenancy.teams.1.gpus.h100": 16})),
    "a group that is loaded just before Kueue would evict it": taken(
        edited(ROCE, {**GROUP, "tenancy.teams.1.gpus.h100": 16, "scheduling.podsReadyTimeout": LOADED})
    ),
    "a group that Kueue would evict just before it is loaded": refused(
        edited(ROCE, {**GROUP, "tenancy.teams.1.gpus.h100": 16, "scheduling.podsReadyTimeout": LOADED - 1}),
        ("scheduling.podsReadyTimeout", f"takes up to {LOADED} s", f"use {LOADED} or more"),
    ),
    "a server without a group, which waits in the queue too": refused(
        edited(ROCE, {"scheduling.podsReadyTimeout": 2399}),
        ("scheduling.podsReadyTimeout", "takes up to 2400 s", "use 2400 or more"),
    ),
    "a server that is given all the time it takes": taken(edited(ROCE, {"scheduling.podsReadyTimeout": 2400})),
    "a group without Kueue": taken(
        edited(ROCE, {**GROUP, "tenancy.teams.1.gpus.h100": 16, "scheduling": {"kind": "kai"}})
    ),
    "a group of a team without the fabric": taken(edited(ROCE, {**GROUP, "tenancy.teams.1.rdma": False})),
    "a class of Managed Lustre near the GPUs": taken(edited(GKE, {"storage.classes": [{"name": "fast"}]})),
    "a class of Managed Lustre in any zone": refused(
        edited(GKE, {"storage.classes": [{"name": "fast"}], **MADE_ELSEWHERE}),
        ("storage.classes[0] = fast", "any zone", "give the pool its zone"),
    ),
    "o2ib over RoCE": taken(edited(ROCE, {"storage.driver.fileSystems.lustre.lnet": "o2ib"})),
    "a class without a driver": refused(
        edited(L40S, {"storage.classes": [{"name": "fast"}]}), ("storage.classes[0] = fast", "there is no driver")
    ),
    "a class of a static driver": refused(
        edited(ROCE, {"storage.classes": [{"name": "fast"}]}), ("storage.classes[0] = fast", "makes no file systems")
    ),
    "a small volume of an existing class": taken(
        edited(
            GKE,
            {
                "storage.existingClasses": [{"name": "pd", "kind": "nfs"}],
                "storage.volumes.3": {**VOLUME, "storageClass": "pd"},
            },
        )
    ),
    "the smallest file system": taken(
        edited(
            GKE,
            {
                "storage.classes": [{"name": "fast"}],
                "storage.volumes.3": {**VOLUME, "storageClass": "fast", "size": "9000Gi"},
            },
        )
    ),
    "a whole file system where the driver mounts directories": refused(
        edited(
            ROCE,
            {
                "charts": {"mirror": "/srv/charts"},
                "storage.driver.kind": "exascaler",
                "storage.volumes.4": {**VOLUME, "fileSystem": "lustre"},
            },
        ),
        ("storage.volumes[4].directory = absent", "mounts directories"),
    ),
    "a whole file system": taken(edited(ROCE, {"storage.volumes.4": {**VOLUME, "fileSystem": "lustre"}})),
    "a volume of Oracle's driver": taken(
        edited(
            oke(),
            {
                "storage.driver": {"kind": "oci-lustre", "fileSystems": {"fs": {"mgs": "10.0.0.1", "name": "fs"}}},
                "storage.volumes": [{**VOLUME, "namespaces": ["team"], "fileSystem": "fs"}],
            },
        )
    ),
    "a volume that Oracle's driver cannot make read-only": refused(
        edited(
            oke(),
            {
                "storage.driver": {"kind": "oci-lustre", "fileSystems": {"fs": {"mgs": "10.0.0.1", "name": "fs"}}},
                "storage.volumes": [{**VOLUME, "namespaces": ["team"], "fileSystem": "fs", "mode": "ReadOnlyMany"}],
            },
        ),
        ("storage.volumes[0].mode = ReadOnlyMany", "Oracle's driver"),
    ),
}
