"""TRN-5xx."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case, put

SPECS = "job spec pytorchReplicaSpecs"
WORKER = f"{SPECS} Worker template"
CONTAINER = f"{WORKER} spec containers 0"
MASTER = f"{SPECS} Master template spec containers 0"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"


def runtime() -> v.Doc:
    job = {"name": "node", "template": {"metadata": {"labels": {STEP: "trainer"}}, "spec": {"template": v.template()}}}
    spec = {"template": {"spec": {"replicatedJobs": [job]}}}
    return v.manifest("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "own", spec=spec)


def launched(*command: str, **more: Any) -> v.Doc:
    container = v.container(command=list(command), **more)
    replicas = {"Worker": {"replicas": 2, "template": v.template(v.pod_spec(container))}}
    return v.pytorch_job(pytorchReplicaSpecs=replicas)


def deepspeed(total: int) -> v.Doc:
    text = f'{{"train_batch_size": {total}, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2}}'
    return v.manifest("v1", "ConfigMap", "deepspeed", "team", data={"ds.json": text})


def configured() -> v.Doc:
    job = v.pytorch_job()
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        role["template"]["spec"]["volumes"].append({"name": "ds", "configMap": {"name": "deepspeed"}})
    return job


def sized(parameters: str) -> v.Doc:
    job = v.pytorch_job()
    job["metadata"]["annotations"] = {"bedplate.dev/model-parameters": parameters}
    return job


def serving_ssh(command: list[str], **security: Any) -> v.Doc:
    """An MPIJob whose workers run this."""
    job = v.mpi_job()
    container = job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    container.update(command=command, securityContext=security)
    return job


SSHD = ["/usr/sbin/sshd", "-De"]
MPI_WORKER = "job spec mpiReplicaSpecs Worker template spec containers 0"
CHROOTING = serving_ssh(SSHD, capabilities={"add": ["IPC_LOCK", "SYS_CHROOT"]})
CLAIMS = {"job": v.pytorch_job(), "claim": v.claim("checkpoints", "team")}
VOLUME = v.manifest("v1", "PersistentVolume", "fs", spec={"storageClassName": "lustre"})

CASES = [
    case(
        "TRN-501",
        {"job": v.pytorch_job(), "mpi": v.mpi_job()},
        (f"{CONTAINER} name", "trainer", "Worker has the containers trainer. The operator's webhook denies"),
    ),
    case(
        "TRN-501",
        {
            "job": {
                **put({"job": v.pytorch_job()}, (*CONTAINER.split(), "name"), "main")["job"],
                "apiVersion": "x.example/v1",
            }
        },
        ("job apiVersion", "kubeflow.org/v1", "Worker has the containers main"),
    ),
    case(
        "TRN-502",
        {
            "mpi": v.operator("mpi-operator"),
            "training": v.operator("training-operator", "--enable-scheme=pytorchjob"),
            "job": v.mpi_job(),
        },
        (
            "training spec template spec containers 0 args",
            [],
            "manages MPIJobs beside Deployment kubeflow/mpi-operator",
        ),
        ("training spec template spec containers 0 args 0", "--enable-scheme=mpijob", "manages MPIJobs"),
        ("job", {**v.mpi_job(), "apiVersion": "kubeflow.org/v1"}, "is kubeflow.org/v1 beside mpi-operator"),
    ),
    case(
        "TRN-502",
        {"training": v.operator("training-operator"), "job": {**v.mpi_job(), "apiVersion": "kubeflow.org/v1"}},
        ("mpi", v.operator("mpi-operator"), "manages MPIJobs"),
    ),
    case(
        "TRN-503",
        {"job": v.pytorch_job(), "mpi": v.mpi_job(), "server": v.deployment()},
        (
            "mpi spec mpiReplicaSpecs Launcher template spec containers 0 command 1",
            "-np 16",
            "an item that starts `-np` and goes on",
        ),
        (f"{CONTAINER} command", ["python train.py"], "an item that starts `python` and goes on"),
        (f"{CONTAINER} command", ["torchrun", "--nnodes 2", "train.py"], "container pytorch has an item"),
    ),
    case(
        "TRN-503",
        {"job": launched("mpirun", "--mca", "plm_rsh_args", "-o ConnectionAttempts=10", "-np", "16", "a.out")},
        (f"{CONTAINER} command 2", "plm_other", "an item that starts `-o` and goes on"),
    ),
    case(
        "TRN-503",
        {"job": launched("bash", "-c", "torchrun --nnodes 2 train.py")},
        (f"{CONTAINER} command 1", "-x", "container pytorch has an item that starts `torchrun`"),
    ),
    case(
        "TRN-504",
        {"job": v.pytorch_job()},
        (f"{CONTAINER} command", ["torchrun", "--nnodes=4", "a.py"], "Worker --nnodes is 4, the job has 2"),
        (
            f"{CONTAINER} command",
            ["torchrun", "--nproc-per-node", "4", "a.py"],
            "--nproc_per_node is 4, the pod has 8 GPUs",
        ),
        (
            f"{CONTAINER} command",
            [
                "torchrun",
                "--nproc_per_node=8",
                "a.py",
                "--tensor-model-parallel-size=8",
                "--pipeline-model-parallel-size",
                "3",
            ],
            "tensor x pipeline x context parallelism is 24, which does not divide 16 GPUs",
        ),
        (f"{SPECS} Worker replicas", 3, "Master --nnodes is 2, the job has 4"),
    ),
    case(
        "TRN-504",
        {"job": v.mpi_job()},
        ("job spec slotsPerWorker", 4, "slotsPerWorker is 4, a worker has 8 GPUs"),
        (
            "job spec mpiReplicaSpecs Launcher template spec containers 0 command 2",
            "32",
            "-np is 32, 2 workers with 8 slots make 16",
        ),
        ("job spec mpiReplicaSpecs Worker replicas", 4, "-np is 16, 4 workers"),
    ),
    case(
        "TRN-504",
        {
            "job": v.pytorch_job(
                elasticPolicy={"minReplicas": 2, "maxReplicas": 8},
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(v.pod_spec(v.container(command=["torchrun", "--nnodes=8"]))),
                    }
                },
            )
        },
        ("job spec elasticPolicy", GONE, "--nnodes is 8, the job has 2"),
    ),
    case(
        "TRN-521",
        {"facts": {"platform": "kubeadm"}, "job": v.mpi_job()},
        ("facts platform", "openshift", "Worker worker runs sshd without SYS_CHROOT"),
    ),
    case(
        "TRN-521",
        {"facts": {"platform": "openshift"}, "job": CHROOTING},
        (f"{MPI_WORKER} securityContext capabilities add", ["IPC_LOCK"], "Worker worker runs sshd without SYS_CHROOT"),
    ),
    case(
        "TRN-521",
        {"facts": {"platform": "openshift"}, "job": serving_ssh(SSHD, privileged=True)},
        (f"{MPI_WORKER} securityContext privileged", False, "Worker worker runs sshd without SYS_CHROOT"),
    ),
    case(
        "TRN-521",
        {"facts": {"platform": "openshift"}, "job": serving_ssh(["sleep", "infinity"])},
        (f"{MPI_WORKER} command", GONE, "Worker worker runs sshd without SYS_CHROOT"),
    ),
    case(
        "TRN-521",
        {"facts": {"platform": "openshift"}, "job": {**v.mpi_job(), "apiVersion": "kubeflow.org/v1"}},
        ("job apiVersion", "kubeflow.org/v2beta1", "Worker worker runs sshd without SYS_CHROOT"),
    ),
    case(
        "TRN-521",
        {"facts": {"platform": "openshift"}, "job": {**v.mpi_job(), "kind": "Other"}},
        ("job kind", "MPIJob", "Worker worker runs sshd without SYS_CHROOT"),
    ),
    case(
        "TRN-505",
        {"job": launched("torchrun", "--rdzv_endpoint=llama-worker-0:29400", "a.py")},
        (
            f"{CONTAINER} command 1",
            "--rdzv_endpoint=llama-master-0:29400",
            "meets at llama-master-0, but the job has no Master",
        ),
        ("job spec elasticPolicy", {"minReplicas": 1}, "Worker names the endpoint llama-worker-0 beside elasticPolicy"),
    ),
    case(
        "TRN-505",
        {"job": v.indexed_job(), "service": v.headless()},
        ("service", GONE, "subdomain ranks has no Service of that name"),
        ("service metadata name", "other", "subdomain ranks has no Service"),
        ("service spec selector", {"app": "other"}, "selects by app, which the pods of Job team/llama do not have"),
        (
            "service spec publishNotReadyAddresses",
            GONE,
            "does not publish the addresses of pods of Job team/llama before",
        ),
        ("service metadata namespace", "other", "subdomain ranks has no Service"),
    ),
    case(
        "TRN-505",
        {"job": launched("torchrun", "--master_addr", "$(MASTER_ADDR)", "a.py", env=[])},
        (f"{CONTAINER} command 2", "llama-master-0", "the job has no Master"),
    ),
    case(
        "TRN-506",
        {
            "job": v.pytorch_job(
                elasticPolicy={"minReplicas": 2, "maxReplicas": 8},
                pytorchReplicaSpecs={"Worker": {"replicas": 2, "template": v.template()}},
            )
        },
        (f"{SPECS} Master", {"replicas": 1}, "has elasticPolicy and a Master"),
        ("job spec elasticPolicy maxReplicas", 2, "elasticPolicy has the range 2 to 2"),
    ),
    case(
        "TRN-506",
        {"job": v.pytorch_job()},
        ("job spec elasticPolicy", {"maxReplicas": 4}, "has elasticPolicy and a Master"),
    ),
    case(
        "TRN-507",
        {"job": v.pytorch_job()},
        (f"{CONTAINER} image", "other:1", "Master and Worker differ in image. Ranks run"),
        (f"{CONTAINER} env", [{"name": "NCCL_SOCKET_IFNAME", "value": "en0"}], "differ in the communication variables"),
        (f"{WORKER} spec volumes 0 emptyDir sizeLimit", "8Gi", "differ in /dev/shm"),
        (f"{CONTAINER} command 5", "3e-4", "differ in the script's arguments"),
        (f"{CONTAINER} resources limits cpu", "48", "differ in resources"),
    ),
    case(
        "TRN-507",
        {"set": v.job_set(), "group": v.leader_worker_set()},
        (
            "group spec leaderWorkerTemplate workerTemplate spec containers 0 image",
            "other:1",
            "leader and worker differ in image",
        ),
    ),
    case(
        "TRN-508",
        {"group": v.leader_worker_set(), "job": v.pytorch_job()},
        (
            "group spec leaderWorkerTemplate workerTemplate spec containers 0 command",
            ["torchrun", "train.py"],
            "runs a training command. Its pods restart for ever",
        ),
        ("group metadata name", "x" * 52, "the name has 52 characters"),
    ),
    case(
        "TRN-508",
        {"group": v.leader_worker_set()},
        (
            "group spec leaderWorkerTemplate",
            {"size": 2, "workerTemplate": {"spec": {"containers": [{"name": "a"}]}}},
            "serves no port",
        ),
    ),
    case(
        "TRN-509",
        {"job": v.pytorch_job(), "set": v.job_set(), "one": v.indexed_job()},
        ("job spec runPolicy backoffLimit", 0, "runPolicy.backoffLimit is 0"),
        ("set spec failurePolicy", GONE, "JobSet team/llama: has no failurePolicy"),
        ("one spec backoffLimit", 0, "Job team/llama: backoffLimit is 0"),
        (f"{SPECS} Worker restartPolicy", "Always", "Worker has restartPolicy Always"),
    ),
    case(
        "TRN-509",
        {
            "one": v.manifest(
                "batch/v1",
                "Job",
                "x",
                spec={
                    "backoffLimit": 0,
                    "completionMode": "Indexed",
                    "template": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 8}}}]}},
                },
            ),
            "group": v.leader_worker_set(),
        },
        ("one spec parallelism", 2, "backoffLimit is 0"),
    ),
    case(
        "TRN-510",
        CLAIMS,
        (
            "claim spec",
            {"accessModes": ["ReadWriteOnce"], "storageClassName": "local"},
            "2 pods mount it but claim checkpoints is ReadWriteOnce; right only where all of them are on one node",
            "advisory",
        ),
        (
            "claim spec",
            {"accessModes": ["ReadWriteOncePod"], "storageClassName": "local"},
            "2 pods mount it but claim checkpoints is ReadWriteOncePod. The second",
            "mandatory",
        ),
        ("claim spec storageClassName", "gp3", "asks for ReadWriteMany of class gp3, which has block volumes"),
    ),
    case(
        "TRN-510",
        {
            **CLAIMS,
            "class": v.manifest("storage.k8s.io/v1", "StorageClass", "lustre", provisioner="fsx.csi.aws.com"),
            "facts": {"pools": [v.pool()]},
        },
        ("claim spec", {"accessModes": ["ReadWriteOnce"], "storageClassName": "a"}, "2 pods mount it", "mandatory"),
        ("class provisioner", "ebs.csi.aws.com", "class lustre, which has block volumes"),
    ),
    case(
        "TRN-511",
        CLAIMS,
        ("claim metadata namespace", "other", "Worker mounts claim checkpoints, which is not in team"),
        ("claim", GONE, "mounts claim checkpoints, which is not in team"),
        ("claim spec storageClassName", "", 'storageClassName "" asks for a volume made by hand'),
    ),
    case(
        "TRN-511",
        {"volume": VOLUME, "claim": v.claim("fs", "team", volumeName="fs")},
        ("volume spec storageClassName", "other", "has class lustre, its volume fs has another one"),
    ),
    case(
        "TRN-511",
        {"volume": {**VOLUME, "spec": {}}, "claim": v.claim("fs", "team", storageClassName="")},
        ("volume spec storageClassName", "other", "asks for a volume made by hand, and there is none"),
    ),
    case(
        "TRN-511",
        {
            "claim": v.claim("fs", "team", storageClassName="", volumeName="elsewhere"),
            "other": v.claim("gs", "team", storageClassName="", selector={"matchLabels": {}}),
        },
        ("claim spec volumeName", GONE, "asks for a volume made by hand"),
        ("other spec selector", GONE, "asks for a volume made by hand"),
    ),
    case(
        "TRN-512",
        {"job": v.pytorch_job(), "probe": v.mpi_job()},
        (
            SPECS,
            {"Worker": {"replicas": 2, "template": v.template({**v.pod_spec(), "volumes": [dict(v.SHM)]})}},
            "Worker mounts nothing that outlives it",
        ),
    ),
    case(
        "TRN-512",
        {
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {**v.pod_spec(v.container(args=["--out", "s3://bucket/run"])), "volumes": []}
                        ),
                    }
                }
            )
        },
        (f"{CONTAINER} args", [], "mounts nothing that outlives it"),
    ),
    case(
        "TRN-513",
        {"job": configured(), "config": deepspeed(128)},
        ("config", deepspeed(64), "train_batch_size 64 is not 4 x 2 x 16 GPUs"),
        ("config data ds.json", deepspeed(32)["data"]["ds.json"], "train_batch_size 32"),
    ),
    case(
        "TRN-514",
        {"job": sized("7G"), "facts": {"pools": [v.pool()]}},
        (
            "job metadata annotations bedplate.dev/model-parameters",
            "70G",
            "70G parameters take 1120 GB, 16 GPUs have 1024 GB to spare",
        ),
    ),
    case(
        "TRN-515",
        {
            "facts": {"rdmaResources": {v.FABRIC: 1}},
            "job": v.train_job(resourcesPerNode={"limits": {"nvidia.com/gpu": 8, v.FABRIC: 1}}),
        },
        (
            "job spec trainer resourcesPerNode limits",
            {"nvidia.com/gpu": 8},
            "trainer.resourcesPerNode has none of rdma/fabric",
        ),
    ),
    case(
        "TRN-515",
        {
            "facts": {"rdmaResources": {v.FABRIC: 1}},
            "job": v.train_job(numNodes=1, resourcesPerNode={"limits": {"nvidia.com/gpu": 8}}),
            "plain": v.train_job(),
        },
        ("job spec trainer numNodes", 2, "has none of rdma/fabric"),
    ),
    case(
        "TRN-515",
        {"job": v.train_job(resourcesPerNode={"limits": {"cpu": "4"}}), "runtime": runtime()},
        (
            "job spec runtimeRef name",
            "own",
            "trainer.resourcesPerNode has no nvidia.com/gpu, its runtime has",
        ),
    ),
    case(
        "TRN-516",
        {"runtime": runtime(), "old": {**runtime(), "apiVersion": "kubeflow.org/v2alpha1"}},
        (
            "runtime spec template spec replicatedJobs 0 template metadata",
            {},
            f"no replicated job has the label {STEP}",
        ),
    ),
    case(
        "TRN-517",
        {"job": v.pytorch_job(), "mpi": v.mpi_job(), "set": v.job_set()},
        ("job spec runPolicy cleanPodPolicy", GONE, "runPolicy.cleanPodPolicy is not set with queue training"),
        ("mpi spec runPolicy cleanPodPolicy", "None", "runPolicy.cleanPodPolicy is None with queue training"),
    ),
    case(
        "TRN-517",
        {"job": {**v.pytorch_job(runPolicy={}), "metadata": {"name": "x", "labels": {}}}},
        ("job metadata labels", dict(v.QUEUED), "cleanPodPolicy is not set"),
    ),
    case(
        "TRN-518",
        {"job": v.train_job(), "mpi": v.mpi_job()},
        ("job", v.pytorch_job(), "is a Kubeflow v1 job"),
    ),
    case(
        "TRN-518",
        {"job": {**v.pytorch_job(), "apiVersion": "training.example.com/v1alpha1"}},
        ("job apiVersion", "kubeflow.org/v1", "is a Kubeflow v1 job"),
    ),
]
