"""Mistakes that every schema takes and only a real controller notices: each is planted, and found."""

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.binaries import LabError
from lab.controllers.run import commands
from lab.watch import watch
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
    ("wrong", "told"),
    [
        ({"waitForPodReady": {}}, "unknown field"),
        ({"integrations": {"frameworks": ["jobset.x-k8s.io/jobsets"]}}, "jobset.x-k8s.io/jobsets"),
        ({"fairSharing": {"preemptionStrategies": ["LessThanInitialShare", "Anything"]}}, "preemptionStrategies"),
        ({"waitForPodsReady": {"timeout": "-1s"}}, "waitForPodsReady"),
        ({"managedJobsNamespaceSelector": {"matchLabels": {"a b": "c"}}}, "managedJobsNamespaceSelector"),
    ],
)
def test_a_wrong_key_of_the_configuration_ends_the_controller(
    wrong: dict[str, Any], told: str, kueue: Lab, tmp_path: Path
) -> None:
    [command] = [one for one in commands(kueue.cluster) if one.name == "kueue"]
    name = "controller_manager_config.yaml"
    stated = yaml.safe_load(Path(command.folder, name).read_text())
    (tmp_path / name).write_text(yaml.safe_dump(stated | wrong))
    (tmp_path / "kubeconfig.yaml").write_text(kueue.cluster.kubeconfig.read_text())
    done = subprocess.run(
        command.arguments,
        cwd=tmp_path,
        env=dict(command.environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode
    assert told in done.stdout + done.stderr
