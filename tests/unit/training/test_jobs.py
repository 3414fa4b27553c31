"""What each kind of job looks like, and which jobs are refused with which words."""

import json
from typing import Any

import pytest

from bedplate.components.workload.kinds import KINDS, Kind
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import known
from tests.training_jobs import all_templates, cluster, container, env, is_worker, job, main, rendered

ROCE = "onprem-h100-roce"


def spec(written: dict[str, Any], stack: str = ROCE, scheduler: str = "kueue") -> dict[str, Any]:
    return main(rendered(written, cluster(stack, scheduler)))["spec"]


def test_a_static_pytorchjob_has_a_master_and_the_rest_as_workers() -> None:
    found = spec(job("PyTorchJob", nodes=3))
    assert {role: replicas["replicas"] for role, replicas in found["pytorchReplicaSpecs"].items()} == {
        "Master": 1,
        "Worker": 2,
    }
    assert "elasticPolicy" not in found
    assert {container(one)["name"] for one in all_templates([found])} == {"pytorch"}
    assert found["nprocPerNode"] == "8"
    assert found["runPolicy"]["cleanPodPolicy"] == "Running"


def test_an_elastic_pytorchjob_has_no_master_and_a_smaller_gang() -> None:
    written = job("PyTorchJob", nodes=2, elastic={"minNodes": 1, "maxNodes": 4})
    found = spec(written, scheduler="volcano")
    assert list(found["pytorchReplicaSpecs"]) == ["Worker"]
    assert (found["elasticPolicy"]["minReplicas"], found["elasticPolicy"]["maxReplicas"]) == (1, 4)
    assert found["runPolicy"]["schedulingPolicy"]["minAvailable"] == 1
    assert "rdzvHost" not in found["elasticPolicy"]


def test_mpirun_has_one_token_per_argument_and_a_rank_per_gpu() -> None:
    found = spec(job("MPIJob", env={"SEED": "7"}))
    launcher = found["mpiReplicaSpecs"]["Launcher"]["template"]
    words = container(launcher)["command"]
    ssh = words.index("plm_rsh_args") + 1
    assert "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null" in words[ssh]
    assert all(" " not in word for word in words[:ssh] + words[ssh + 1 :])
    assert words[words.index("-np") + 1] == "16"
    assert found["slotsPerWorker"] == 8
    assert words[-2:] == ["python", "train.py"]
    passed = {words[i + 1] for i, word in enumerate(words) if word == "-x"}
    assert set(env(found["mpiReplicaSpecs"]["Worker"]["template"])) <= passed
    assert not any(name.startswith("nvidia.com/") for name in container(launcher)["resources"]["limits"])


def test_an_mpi_job_runs_in_an_image_whose_ssh_nobody_has_configured() -> None:
    worker = spec(job("MPIJob"))["mpiReplicaSpecs"]["Worker"]["template"]
    (start,) = container(worker)["command"][2:]
    assert start == "mkdir -p /run/sshd && ssh-keygen -A && exec /usr/sbin/sshd -De -o StrictModes=no"


def test_gkes_script_is_sourced_in_every_rank() -> None:
    found = spec(job("MPIJob"), "gke-a3-mega")
    words = container(found["mpiReplicaSpecs"]["Launcher"]["template"])["command"]
    assert words[words.index("bash") :][:2] == ["bash", "-c"]
    assert words[-3:] == ["/usr/local/nvidia/lib64/nccl-env-profile.sh", "python", "train.py"]


def test_tcpxo_brings_its_daemon_as_a_native_sidecar() -> None:
    (pod,) = all_templates(rendered(job("Job"), cluster("gke-a3-mega")))
    (daemon,) = pod["spec"]["initContainers"]
    assert daemon["restartPolicy"] == "Always"
    assert "/dev/nvidia7" in pod["metadata"]["annotations"]["devices.gke.io/container.tcpxo-daemon"]
    assert daemon["args"][0].endswith("/fts/entrypoint_rxdm_container.sh --num_hops=2")
    assert not [word for word in ("--num_nics", "--uid", "--alsologtostderr") if word in daemon["args"][0]], (
        "deprecated"
    )
    assert env(pod)["NCCL_LIB_DIR"] == "/usr/local/nvidia/lib64"
    (started,) = (each["value"] for each in daemon["env"] if each["name"] == "HEALTH_CHECK_LOG_FILE")
    assert daemon["startupProbe"]["exec"]["command"] == ["cat", started]
    libraries = [mount for mount in daemon["volumeMounts"] if mount["name"] == "nvidia-libraries"]
    assert [mount["readOnly"] for mount in libraries] == [True]


def test_the_pods_of_a_job_meet_at_its_first_under_a_service_that_answers_before_they_are_ready() -> None:
    objects = rendered(job("Job"), cluster(ROCE))
    service = next(one for one in objects if one["kind"] == "Service")
    (pod,) = all_templates(objects)
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert pod["spec"]["subdomain"] == service["metadata"]["name"]
    assert env(pod)["PET_RDZV_ENDPOINT"] == "llama-0.llama:29400"
    assert (env(pod)["PET_NNODES"], env(pod)["PET_NPROC_PER_NODE"]) == ("2", "8")


def test_a_failure_counts_once_and_a_disruption_not_at_all() -> None:
    found = spec(job("JobSet", maxRestarts=5))
    assert found["failurePolicy"]["maxRestarts"] == 5
    assert found["failurePolicy"]["rules"][0]["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    template = found["replicatedJobs"][0]["template"]["spec"]
    assert template["backoffLimit"] == 0
    assert template["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["type"] == "DisruptionTarget"
    assert spec(job("Job", maxRestarts=5))["backoffLimit"] == 10


def test_a_trainjob_brings_a_runtime_of_its_own_with_the_teams_networks() -> None:
    runtime, train = rendered(job("TrainJob"), cluster("eks-p5"))
    assert train["spec"]["runtimeRef"]["name"] == runtime["metadata"]["name"]
    assert train["spec"]["runtimeRef"]["kind"] == "TrainingRuntime"
    limits = train["spec"]["trainer"]["resourcesPerNode"]["limits"]
    assert limits == container(all_templates([runtime])[0])["resources"]["limits"]
    assert limits["vpc.amazonaws.com/efa"] == "32"
    step = runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["metadata"]["labels"]
    assert step == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}


def test_volcano_is_given_queue_and_size_through_the_runtime_of_a_trainjob() -> None:
    objects = rendered(job("TrainJob"), cluster("eks-p5", "volcano"))
    runtime = next(one for one in objects if one["kind"] == "TrainingRuntime")
    annotations = runtime["spec"]["template"]["metadata"]["annotations"]
    assert annotations["scheduling.volcano.sh/queue-name"] == "research"
    assert runtime["spec"]["podGroupPolicy"]["volcano"]["networkTopology"]["mode"] == "soft"


@pytest.mark.parametrize(
    ("scheduler", "mark"),
    [
        ("kueue", ("kueue.x-k8s.io/podset-required-topology", "topology.k8s.aws/network-node-layer-2")),
        ("kai", ("kai.scheduler/topology-required-placement", "topology.k8s.aws/network-node-layer-2")),
    ],
)
def test_a_topology_is_asked_in_the_schedulers_own_words(scheduler: str, mark: tuple[str, str]) -> None:
    written = job("JobSet", topology={"required": "topology.k8s.aws/network-node-layer-2"})
    objects = rendered(written, cluster("eks-p5", scheduler))
    where = all_templates(objects)[0] if scheduler == "kueue" else main(objects)
    assert mark in where["metadata"]["annotations"].items()


@pytest.mark.parametrize(
    ("kind", "more", "together"),
    [
        ("LeaderWorkerSet", {}, ["llama", "llama"]),
        ("PyTorchJob", {}, ["llama", "llama"]),
        ("PyTorchJob", {"elastic": {"minNodes": 1, "maxNodes": 4}}, []),
        ("JobSet", {}, []),
    ],
)
def test_a_first_pod_and_the_others_are_two_pod_sets_to_be_placed_as_one(
    kind: Kind, more: dict[str, Any], together: list[str]
) -> None:
    written = job(kind, topology={"required": "topology.k8s.aws/network-node-layer-2"}, **more)
    marks = [one["metadata"]["annotations"] for one in all_templates(rendered(written, cluster("eks-p5")))]
    names = [mark["kueue.x-k8s.io/podset-group-name"] for mark in marks if "kueue.x-k8s.io/podset-group-name" in mark]
    assert names == together


def test_a_topology_is_a_tier_to_volcano() -> None:
    written = job("VolcanoJob", topology={"required": "topology.k8s.aws/network-node-layer-2"})
    assert spec(written, "eks-p5", "volcano")["networkTopology"] == {"mode": "hard", "highestTierAllowed": 2}


def test_deepspeeds_batch_is_micro_batch_times_accumulation_times_gpus() -> None:
    written = job("JobSet", deepspeed={"microBatch": 2, "accumulation": 4})
    objects = rendered(written, cluster(ROCE))
    (config,) = [json.loads(one["data"]["ds_config.json"]) for one in objects if one["kind"] == "ConfigMap"]
    assert config["train_batch_size"] == 2 * 4 * 16
    assert config["zero_optimization"]["stage"] == 3
    (pod,) = all_templates(objects)
    assert {"name": "deepspeed", "configMap": {"name": "llama-deepspeed"}} in pod["spec"]["volumes"]


def test_a_checkpoint_claim_that_is_made_can_be_written_by_all_nodes() -> None:
    written = job("JobSet", checkpoint={"claim": "state", "size": "2Ti", "storageClass": "lustre"})
    objects = rendered(written, cluster(ROCE))
    assert objects[0]["kind"] == "PersistentVolumeClaim"
    assert objects[0]["spec"]["accessModes"] == ["ReadWriteMany"]
    (pod,) = all_templates(objects)
    assert env(pod)["CHECKPOINT_DIR"] == "/checkpoints"
    assert {"name": "state", "mountPath": "/checkpoints"} in container(pod)["volumeMounts"]


def test_a_budget_counts_the_workers_of_a_job_on_nodes_of_ones_own() -> None:
    objects = rendered(job("MPIJob"), cluster(ROCE))
    (budget,) = [one for one in objects if one["kind"] == "PodDisruptionBudget"]
    chosen = budget["spec"]["selector"]["matchLabels"]
    matched = [one for one in all_templates(objects) if chosen.items() <= one["metadata"]["labels"].items()]
    assert budget["spec"]["minAvailable"] == 2
    assert [is_worker(one) for one in matched] == [True]


@pytest.mark.parametrize(
    ("stack", "key"),
    [("eks-p5", "karpenter.sh/do-not-disrupt"), ("gke-a3-mega", "cluster-autoscaler.kubernetes.io/safe-to-evict")],
)
def test_a_clouds_autoscaler_is_told_to_leave_the_job_alone(stack: str, key: str) -> None:
    objects = rendered(job("JobSet"), cluster(stack))
    assert all(key in one["metadata"]["annotations"] for one in all_templates(objects))
    assert not any(one["kind"] == "PodDisruptionBudget" for one in objects)


def test_servers_start_anew_group_by_group_and_are_reached_at_their_leaders() -> None:
    service, group = rendered(job("LeaderWorkerSet", replicas=2), cluster("eks-p5"))
    assert group["spec"]["leaderWorkerTemplate"]["size"] == 2
    assert service["spec"]["selector"]["leaderworkerset.sigs.k8s.io/worker-index"] == "0"
    assert "ports" in container(group["spec"]["leaderWorkerTemplate"]["leaderTemplate"])
    assert "ports" not in container(group["spec"]["leaderWorkerTemplate"]["workerTemplate"])


def test_a_ray_job_has_a_worker_per_node_and_its_entry_point_as_one_line() -> None:
    found = spec(job("RayJob", script=["train.py", "--note", "two words"]))
    assert found["entrypoint"] == "python train.py --note 'two words'"
    (group,) = found["rayClusterSpec"]["workerGroupSpecs"]
    assert (group["minReplicas"], group["replicas"], group["maxReplicas"]) == (2, 2, 2)
    assert found["shutdownAfterJobFinishes"] is True


def test_every_kind_is_among_the_examples_of_this_file() -> None:
    assert {main(rendered(job(kind), cluster("onprem-h100-roce", "volcano")))["kind"] for kind in KINDS} == {
        "PyTorchJob",
        "TrainJob",
        "MPIJob",
        "JobSet",
        "Job",
        "LeaderWorkerSet",
        "RayJob",
    }


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": (job(gpuPerNode=8), "gpuPerNode = 8: unknown key; did you mean gpusPerNode?"),
    "unknown kind": ({**job(), "kind": "XGBoostJob"}, "kind = XGBoostJob: not a choice"),
    "unknown team": (job(team="sales"), "team = sales: no such team on this cluster; use research or platform"),
    "unknown pool": (job(pool="a100"), "pool = a100: no such pool with GPUs; use h100"),
    "too many nodes": (job(nodes=9), "nodes = 9: pool h100 has 8 nodes"),
    "too many GPUs": (job(gpusPerNode=16), "gpusPerNode = 16: a node of pool h100 has 8"),
    "script and command": (job(command=["train"]), "script = both: a job has either a script or a command"),
    "neither": ({**job(), "script": []}, "script = absent: a job has either a script or a command"),
    "flag and value": (job(script=["train.py", "--lr 1e-4"]), "script[1] = --lr 1e-4: several words in one item"),
    "world size": (
        job(parallelism={"tp": 8, "dp": 4}),
        "parallelism.dp = 4: tp x pp x cp x dp = 32, but the job has 16",
    ),
    "indivisible": (job(parallelism={"tp": 3}), "parallelism = 3: tp x pp x cp = 3 does not divide the 16 GPUs"),
    "elastic JobSet": (
        job(elastic={"minNodes": 1, "maxNodes": 2}),
        "elastic = present: kind JobSet has a fixed number",
    ),
    "rigid range": (
        job("PyTorchJob", elastic={"minNodes": 2, "maxNodes": 2}),
        "elastic.minNodes = 2: not less than maxNodes 2",
    ),
    "elastic and cut": (
        job("PyTorchJob", elastic={"minNodes": 1, "maxNodes": 2}, parallelism={"tp": 8}),
        "elastic = present: a model cut by tp, pp or cp cannot lose a node",
    ),
    "outside the range": (
        job("PyTorchJob", nodes=4, elastic={"minNodes": 1, "maxNodes": 2}),
        "nodes = 4: outside the elastic range 1 to 2",
    ),
    "batch identity": (
        job(deepspeed={"microBatch": 4, "accumulation": 4, "trainBatch": 128}),
        "deepspeed.trainBatch = 128: microBatch x accumulation x GPUs = 4 x 4 x 16 = 256; use 256",
    ),
    "deepspeed and cut": (
        job(deepspeed={"microBatch": 1}, parallelism={"tp": 8}),
        "deepspeed = present: DeepSpeed takes every GPU as data parallel",
    ),
    "deepspeed under MPI": (
        job("MPIJob", deepspeed={"microBatch": 1}),
        "deepspeed = present: kind MPIJob is not started by",
    ),
    "training in LWS": ({**job("LeaderWorkerSet"), "port": None}, "port = absent: a LeaderWorkerSet is for servers"),
    "port on a job": (job(port=80), "port = 80: kind JobSet answers no requests"),
    "long name": (job(name="x" * 60), "name = " + "x" * 59),
    "long group name": (job("LeaderWorkerSet", name="x" * 52), "use 51 or fewer"),
    "digit first": (job(name="7b"), "name = 7b: a Service's name begins with a letter"),
    "few processors": (job(cpus=16), "cpus = 16: fewer than 4 for each of 8 GPUs"),
    "too much memory": (job(memoryGib=4000), "memoryGib = 4000: a node of pool h100 has 1843 to give"),
    "too much shm": (job(memoryGib=100, shmGib=64), "shmGib = 64: it counts as memory, and more than half of 100 GiB"),
    "no priority": (
        job(priority="urgent"),
        "priority = urgent: the cluster has no such PriorityClass; use inference or",
    ),
    "unknown level": (job(topology={"required": "rack"}), "topology.required = rack: not a level"),
    "mounted twice": (
        job(
            checkpoint={"claim": "a", "path": "/d", "existing": True},
            volumes=[{"claim": "b", "path": "/d", "existing": True}],
        ),
        "volumes[0].path = /d: something else",
    ),
    "secret": (
        job(env={"HF": "hf_abcdefgh"}),
        "env.HF = [secret]: a secret does not belong in a file that is reviewed",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_job_that_cannot_work_is_refused_with_key_value_reason_and_fix(name: str) -> None:
    written, said = BAD[name]
    with pytest.raises(ProfileError) as refused:
        rendered(written, cluster(ROCE))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value), "one fault, one line"


def test_variables_whose_names_only_sound_secret_are_taken() -> None:
    assert rendered(job(env={"TOKENIZERS_PARALLELISM": "false"}), cluster(ROCE))


def test_a_kind_that_nobody_runs_is_told_with_those_that_somebody_does() -> None:
    with pytest.raises(ProfileError) as refused:
        rendered(job("PyTorchJob"), known("onprem-h100-roce"))
    assert str(refused.value).endswith(
        "kind = PyTorchJob: the cluster has no controller for it; use TrainJob or MPIJob or JobSet or Job or RayJob; "
        "or have training.trainingOperator added to the profile"
    )
