"""Mistakes that every schema takes and only a real controller notices: each is planted, and found."""

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.controllers.known import HEALTH
from bedplate.lab.watch import watch
from tests.cluster.copies import command_of
from tests.cluster.real import STAYS, Lab
from tests.training_jobs import job

MESSAGES = "{{range .status.conditions}}{{.message}} {{end}}"
KUEUE = "kueue.x-k8s.io/v1beta2"


def queue(kueue: Lab, **changed: Any) -> dict[str, Any]:
    """Research's own queue under another name, with some of its spec changed."""
    found = json.loads(kueue.cluster.kubectl("get", "clusterqueue", "research", "--output=json"))
    return {**_head("ClusterQueue", "wrong"), "spec": found["spec"] | changed}


def _head(kind: str, name: str, **more: str) -> dict[str, Any]:
    return {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name, **more}}


def groups(kueue: Lab) -> list[dict[str, Any]]:
    return copy.deepcopy(queue(kueue)["spec"]["resourceGroups"])


def negative(kueue: Lab) -> dict[str, Any]:
    changed = groups(kueue)
    changed[0]["flavors"][0]["resources"][0]["nominalQuota"] = "-1"
    return queue(kueue, resourceGroups=changed)


def twice(kueue: Lab) -> dict[str, Any]:
    return queue(kueue, resourceGroups=groups(kueue) * 2)


def selector(kueue: Lab) -> dict[str, Any]:
    return queue(kueue, namespaceSelector={"matchExpressions": [{"key": "team", "operator": "In"}]})


def weight(kueue: Lab) -> dict[str, Any]:
    return queue(kueue, fairSharing={"weight": "-1"})


def taint(_: Lab) -> dict[str, Any]:
    taints = [{"key": "pool", "value": "not one word", "effect": "NoSchedule"}]
    return {**_head("ResourceFlavor", "wrong"), "spec": {"nodeTaints": taints}}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (twice, r'vclusterqueue.kb.io.*Duplicate value: "nvidia.com/gpu"'),
        (negative, r"vclusterqueue.kb.io.*nominalQuota.*must be greater than or equal to 0"),
        (selector, r"vclusterqueue.kb.io.*values: Required value"),
        (weight, r"vclusterqueue.kb.io.*fairSharing.*must be greater than or equal to 0"),
        (taint, r"vresourceflavor.kb.io.*nodeTaints\[0\].value"),
    ],
)
def test_the_queues_webhook_refuses_what_its_schema_takes(wrong: Any, told: str, kueue: Lab) -> None:
    with pytest.raises(LabError, match=told):
        kueue.cluster.apply([wrong(kueue)])


def test_the_jobs_webhook_refuses_two_topologies_at_once(kueue: Lab) -> None:
    with pytest.raises(LabError, match=r"vjob.kb.io.*must not contain more than one topology annotation"):
        kueue.submit(job("Job"), {"kueue.x-k8s.io/podset-required-topology": "kubernetes.io/hostname"})
    kueue.clear()


def test_the_jobsets_webhook_refuses_a_policy_for_a_job_that_is_not_there(kueue: Lab) -> None:
    made = kueue.submit(job("JobSet"), STAYS)
    kueue.clear()
    wrong = made[-1] | {
        "spec": made[-1]["spec"] | {"successPolicy": {"operator": "All", "targetReplicatedJobs": ["x"]}}
    }
    with pytest.raises(LabError, match=r"invalid replicatedJob name 'x' does not appear"):
        kueue.cluster.apply([wrong])


def test_a_queue_of_a_flavor_that_is_not_there_says_so_and_admits_nothing(kueue: Lab) -> None:
    changed = groups(kueue)
    changed[0]["flavors"][0]["name"] = "h200"
    kueue.cluster.apply([queue(kueue, resourceGroups=changed)])
    told = "missing ResourceFlavor(s): h200"
    watch(kueue.cluster, "clusterqueues", MESSAGES, lambda seen: told in seen.get("wrong", ""))
    kueue.cluster.kubectl("delete", "clusterqueue", "wrong")


def test_a_local_queue_of_nobody_says_so(kueue: Lab) -> None:
    lost = {**_head("LocalQueue", "wrong", namespace="research"), "spec": {"clusterQueue": "nobody"}}
    kueue.cluster.apply([lost])
    reason = "{{range .status.conditions}}{{.reason}} {{end}}"
    found = lambda seen: "ClusterQueueDoesNotExist" in seen.get("wrong", "")  # noqa: E731
    watch(kueue.cluster, "localqueues --namespace research", reason, found)
    kueue.cluster.kubectl("delete", "localqueue", "wrong", "--namespace", "research")


def level(container: dict[str, Any], template: dict[str, Any]) -> None:
    template["annotations"] = {"kueue.x-k8s.io/podset-required-topology": "example.com/nowhere"}


def device(container: dict[str, Any], template: dict[str, Any]) -> None:
    for part in container["resources"].values():
        part["example.com/fpga"] = "1"


def size(container: dict[str, Any], template: dict[str, Any]) -> None:
    for part in container["resources"].values():
        part["nvidia.com/gpu"] = "64"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (level, "does not contain the requested level"),
        (device, "resource example.com/fpga unavailable in ClusterQueue"),
        (size, "insufficient quota for nvidia.com/gpu"),
    ],
)
def test_a_job_that_can_never_be_admitted_is_told_why(wrong: Any, told: str, kueue: Lab) -> None:
    made = kueue.submit(job("Job"), STAYS)
    kueue.clear()
    template = made[-1]["spec"]["template"]
    wrong(template["spec"]["containers"][0], template["metadata"])
    kueue.cluster.apply([made[-1]])
    explained = lambda seen: any(told in text for text in seen.values())  # noqa: E731
    watch(kueue.cluster, "workloads --namespace research", MESSAGES, explained)
    assert kueue.pods("llama") == []
    kueue.clear()


@pytest.mark.parametrize(
    ("controller", "wrong", "told"),
    [
        ("kueue", {"waitForPodReady": {}}, "unknown field"),
        ("kueue", {"integrations": {"frameworks": ["jobset.x-k8s.io/jobsets"]}}, "jobset.x-k8s.io/jobsets"),
        ("kueue", {"fairSharing": {"preemptionStrategies": ["Anything"]}}, "preemptionStrategies"),
        ("kueue", {"waitForPodsReady": {"timeout": "-1s"}}, "waitForPodsReady"),
        ("kueue", {"managedJobsNamespaceSelector": {"matchLabels": {"a b": "c"}}}, "managedJobsNamespaceSelector"),
        ("jobset", {"leaderElecton": {}}, "unknown field"),
        ("trainer", {"certManagment": {}}, "unknown field"),
        ("trainer", {"controller": {"groupKindConcurrency": {"TrainJob.trainer.kubeflow.org": 0}}}, "greater than 0"),
        ("trainer", {"featureGates": {"TrainJobState": True}}, "TrainJobState"),
    ],
)
def test_a_wrong_key_of_the_configuration_ends_the_controller(
    controller: str, wrong: dict[str, Any], told: str, kueue: Lab, tmp_path: Path
) -> None:
    kueue.needs(controller)
    name = "controller_manager_config.yaml"
    folder = command_of(kueue, controller).folder
    stated = yaml.safe_load(Path(folder, name).read_text())
    (tmp_path / name).write_text(yaml.safe_dump(stated | wrong))
    assert told in ended(kueue, controller, (), tmp_path)


@pytest.mark.parametrize(
    ("controller", "flag", "told"),
    [
        ("training-operator", "--enable-scheme=pytorchjobs", "pytorchjobs"),
        ("training-operator", "--gang-scheduler=volcano", "gang-scheduler"),
        ("mpi-operator", "--gang-scheduler-name=volcano", "gang-scheduler-name"),
    ],
)
def test_a_wrong_flag_ends_the_operator(controller: str, flag: str, told: str, kueue: Lab, tmp_path: Path) -> None:
    kueue.needs(controller)
    assert told in ended(kueue, controller, (flag,), tmp_path)


def ended(kueue: Lab, controller: str, more: tuple[str, ...], folder: Path) -> str:
    """The last words of a second process, started as the first but for a mistake."""
    command = command_of(kueue, controller)
    (folder / "kubeconfig.yaml").write_text(kueue.cluster.kubeconfig.read_text())
    done = subprocess.run(
        (*command.arguments, *more),
        cwd=folder,
        env={**command.environment, HEALTH: "127.0.0.1:0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode
    return done.stdout + done.stderr


def test_an_mpijob_that_no_webhook_refuses_is_refused_by_its_operator_and_makes_no_pod(kueue: Lab) -> None:
    kueue.needs("mpi-operator")
    made = kueue.submit(job("MPIJob"), STAYS)
    kueue.clear()
    launcher = made[-1]["spec"]["mpiReplicaSpecs"]["Launcher"] | {"restartPolicy": "Always"}
    specs = made[-1]["spec"]["mpiReplicaSpecs"] | {"Launcher": launcher}
    kueue.cluster.apply([made[-1] | {"spec": made[-1]["spec"] | {"mpiReplicaSpecs": specs}}])
    told = "events --namespace research --field-selector reason=ValidationError"
    watch(kueue.cluster, told, "{{.message}}", lambda seen: any("restartPolicy" in text for text in seen.values()))
    assert kueue.pods("llama") == []
    kueue.clear()


def test_a_trainjob_whose_runtime_has_no_trainer_is_refused(kueue: Lab) -> None:
    kueue.needs("trainer")
    *_, runtime, _ = kueue.submit(job("TrainJob"), STAYS)
    kueue.clear()
    one = copy.deepcopy(runtime)
    template = one["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["spec"]["containers"][0]["name"] = "trainer"
    one["metadata"]["name"] = "other"
    with pytest.raises(LabError, match=r"must contain the required container for the ancestor: trainer"):
        kueue.cluster.apply([one])
