"""Jobs, queues, servers and volumes just beside what a rule refuses, and exactly at its limits."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case, put
from tests.unit.policies.cases_infrastructure import CHECKPOINT
from tests.unit.policies.cases_nccl import EFA, env, on_efa, pod
from tests.unit.policies.cases_scheduling import CHAIN, KAI_TOPOLOGY, kai, unqueued
from tests.unit.policies.cases_serving import scaler
from tests.unit.policies.cases_training import configured, deepspeed, launched, sized

SPECS = "job spec pytorchReplicaSpecs"
WORKER = f"{SPECS} Worker template"
CONTAINER = f"{WORKER} spec containers 0"
EXCLUDE = "kueue helmRelease values managerConfig controllerManagerConfigYaml"
WORKERS = ("j", "spec", "pytorchReplicaSpecs", "Worker", "replicas")
NO_VOLUMES: v.Doc = {"containers": [v.container()], "volumes": []}


def workers(spec: v.Doc, replicas: int = 2, **metadata: Any) -> v.Doc:
    """A job of workers alone."""
    template = {"metadata": metadata, "spec": spec}
    return unqueued(pytorchReplicaSpecs={"Worker": {"replicas": replicas, "template": template}})


def called(name: str, job: v.Doc) -> v.Doc:
    return {**job, "metadata": {**job["metadata"], "name": name}}


def spread(key: str, when: str) -> v.Doc:
    constraint = {"topologyKey": key, "whenUnsatisfiable": when}
    return workers({**v.pod_spec(), "topologySpreadConstraints": [constraint]})


def server(*args: str) -> v.Doc:
    return v.manifest("v1", "Pod", "x", spec={"containers": [v.server(8, args=["--model", "m", *args])]})


NCCL = [
    case(
        "NCCL-302",
        {"pod": pod(v.container(env=env(NCCL_IB_GID_INDEX="3"), fabric="nvidia.com/rdma-vf"))},
        (
            "pod spec containers 0 resources",
            {"limits": {"nvidia.com/gpu": 8, v.FABRIC: 1}},
            "NCCL_IB_GID_INDEX is 3. NCCL picks it",
        ),
    ),
    case(
        "NCCL-311",
        {"job": v.pytorch_job()},
        (f"{WORKER} spec volumes 0 emptyDir sizeLimit", "257Gi", "is 257Gi of a memory limit of 512Gi"),
    ),
    case(
        "NCCL-311",
        {"pod": pod(v.container(), volumes=[{**v.SHM, "emptyDir": {"medium": "Memory", "sizeLimit": "256Gi"}}])},
    ),
    case(
        "NCCL-312",
        {
            "job": workers(
                v.pod_spec(v.container(resources={"limits": {"cpu": "32", "memory": "1Gi", "nvidia.com/gpu": 8}}))
            )
        },
        (f"{CONTAINER} resources limits cpu", "31", "Worker has 31 cores for 8 GPUs"),
    ),
    case(
        "NCCL-314",
        {"facts": {"pools": [v.pool(efaPerNode=4)]}, "pod": on_efa(gpus=3, efa=1)},
        (f"pod spec containers 0 resources limits {EFA}", 2, "Request 1"),
    ),
]
SCHEDULING = [
    case("SCH-401", {"job": workers(v.pod_spec(), labels={"scheduling.x-k8s.io/pod-group": "g"})}),
    case("SCH-401", {"job": workers(v.pod_spec(), annotations={"scheduling.k8s.io/group-name": "g"})}),
    case(
        "SCH-406",
        CHAIN,
        ("queue", GONE, "clusterQueue gpus does not exist"),
        ("flavor", GONE, "flavor h100 does not exist"),
    ),
    case(
        "SCH-406",
        {"job": v.pytorch_job(), "local": {**v.local_queue(), "metadata": {"name": "other", "namespace": "other"}}},
        ("local metadata namespace", "team", "queue training is no LocalQueue in team"),
        complete=False,
    ),
    case(
        "SCH-408",
        {"flavor": v.flavor(), "kueue": v.kueue("resources: {excludeResourcePrefixes: [hugepages-]}")},
        (EXCLUDE, "resources: {excludeResourcePrefixes: [rdma/fabric]}", "hides rdma/fabric"),
        (EXCLUDE, "resources: {excludeResourcePrefixes: [vpc.amazonaws.com]}", "hides vpc.amazonaws.com"),
    ),
    case(
        "SCH-409",
        {
            "facts": {"pools": [v.pool(labels={"pool": "a"}), v.pool(name="b", nodes=4, labels={"pool": "b"})]},
            "flavor": v.flavor(nodeLabels={"pool": "a"}),
            "queue": v.cluster_queue(),
        },
        ("queue spec resourceGroups 0 flavors 0 resources 2 nominalQuota", 24, "24 GPUs, its nodes have 16"),
    ),
    case(
        "SCH-409",
        {
            **CHAIN,
            "queue": v.cluster_queue(cohortName="all"),
            "peer": {**v.cluster_queue(cohortName="other"), "metadata": {"name": "peer"}},
        },
        (f"{SPECS} Worker replicas", 3, "asks for 32 GPUs, ClusterQueue gpus can give 16"),
    ),
    case(
        "SCH-414", {"job": spread("zone", "ScheduleAnyway"), "other": spread("kubernetes.io/hostname", "DoNotSchedule")}
    ),
    case(
        "SCH-415",
        {"pod": kai(), "topology": KAI_TOPOLOGY},
        ("topology", GONE, "kai.scheduler/topology fabric is no Topology"),
    ),
    case(
        "SCH-418",
        {"pod": v.manifest("v1", "Pod", "x", spec={"priorityClassName": "system-node-critical", "containers": []})},
        ("pod spec priorityClassName", "high", "pod has the unknown priority class high"),
    ),
    case(
        "SCH-418",
        {"pod": v.manifest("v1", "Pod", "x", spec={"priorityClassName": "high", "containers": []})},
        complete=False,
    ),
]
SERVING = [
    case(
        "INF-602",
        {"server": v.deployment()},
        ("server spec template spec containers 0 startupProbe failureThreshold", 59, "gives up after 590 s"),
    ),
    case(
        "INF-602",
        {
            "server": v.manifest(
                "v1",
                "Pod",
                "x",
                spec={"containers": [v.server(startupProbe={"failureThreshold": 60, "periodSeconds": 10})]},
            )
        },
    ),
    case(
        "INF-611",
        {
            "server": v.deployment(replicas=1),
            "claim": v.claim("models", "serve", "ReadWriteOnce", storageClassName="local"),
            "scaler": scaler(most=1),
        },
        ("scaler spec maxReplicas", 2, "several replicas mount it"),
    ),
    case(
        "INF-615",
        {"facts": {"pools": [v.pool()]}, "server": server("-tp", "8")},
        ("server", server("-tp", "9"), "serves over 9 GPUs as a Pod; a node has 8"),
    ),
    case(
        "STO-703",
        {
            "facts": {"pools": [v.pool(taints=[{"key": "fsx.csi.aws.com/agent-not-ready", "effect": "NoExecute"}])]},
            "driver": v.release(
                "aws-fsx-csi-driver", "1.17.0", "kube-system", node={"tolerateAllTaints": True, "tolerations": []}
            ),
        },
        ("driver helmRelease values node tolerateAllTaints", False, "does not tolerate fsx.csi.aws.com"),
    ),
    case(
        "STO-704",
        {
            "claim": v.manifest(
                "v1",
                "PersistentVolumeClaim",
                "c",
                annotations={**CHECKPOINT, "bedplate.dev/checkpoint-size": "3600G"},
                spec={},
            )
        },
        ("claim metadata annotations bedplate.dev/checkpoint-size", "3610G", "a checkpoint takes 361 s"),
    ),
]
TRAINING = [
    case("TRN-504", {"job": launched("python", "train.py", "--tensor-model-parallel-size=3")}),
    case("TRN-505", {"job": v.pytorch_job(elasticPolicy={"minReplicas": 1, "maxReplicas": 4})}),
    case(
        "TRN-508",
        {"group": called("x" * 51, v.leader_worker_set())},
        ("group metadata name", "x" * 52, "the name has 52 characters"),
    ),
    case(
        "TRN-509",
        {"job": v.mpi_job()},
        ("job spec runPolicy backoffLimit", 0, "MPIJob team/nccl: runPolicy.backoffLimit is 0"),
    ),
    case(
        "TRN-511",
        {"job": v.pytorch_job(), "claim": v.claim("other", "other")},
        ("claim metadata name", "checkpoints", "mounts claim checkpoints, which is not in team"),
        complete=False,
    ),
    case(
        "TRN-512",
        {"job": workers(NO_VOLUMES, replicas=1), "group": v.leader_worker_set()},
        (f"{SPECS} Worker replicas", 2, "Worker mounts nothing that outlives it"),
    ),
    case(
        "TRN-512",
        {"job": called("nccl-tests", workers(NO_VOLUMES))},
        ("job metadata name", "check", "mounts nothing that outlives it"),
    ),
    case(
        "TRN-512",
        {"job": workers({"containers": [v.container(command=["nccl-test"])], "volumes": []})},
        (f"{CONTAINER} command", ["train"], "mounts nothing that outlives it"),
    ),
    case(
        "TRN-513",
        {"job": configured(), "config": deepspeed(128), "plain": called("plain", launched("torchrun", "a.py"))},
        ("config", deepspeed(64), "train_batch_size 64 is not 4 x 2 x 16 GPUs"),
    ),
    case(
        "TRN-513",
        {
            "job": put({"j": configured()}, WORKERS, 2)["j"],
            "config": deepspeed(192),
        },
        (f"{SPECS} Worker replicas", 1, "train_batch_size 192 is not 4 x 2 x 16 GPUs"),
    ),
    case(
        "TRN-513",
        {"job": configured(), "elsewhere": {**deepspeed(64), "metadata": {"name": "deepspeed", "namespace": "x"}}},
    ),
    case(
        "TRN-514",
        {"job": sized("64G"), "facts": {"pools": [v.pool()]}},
        ("job metadata annotations bedplate.dev/model-parameters", "65G", "65G parameters take 1040 GB"),
    ),
    case(
        "TRN-514",
        {"job": put({"j": sized("96G")}, WORKERS, 2)["j"], "facts": {"pools": [v.pool()]}},
        (f"{SPECS} Worker replicas", 1, "16 GPUs have 1024 GB to spare"),
    ),
]
CASES = [*NCCL, *SCHEDULING, *SERVING, *TRAINING]
