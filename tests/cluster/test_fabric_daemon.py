"""The fabric's own daemon on a real API server: taken as the contract has it, whoever makes the pod, and nothing else."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bedplate.components.tenancy.confinement import manifests as policies
from bedplate.components.workload.kinds import KINDS
from bedplate.lab.cluster import Cluster
from bedplate.plan.manifests import manifests
from tests.cluster import guarding
from tests.stack_files import graph, known, profile
from tests.training_jobs import all_templates, is_worker, job, rendered
from tests.training_jobs import cluster as facts_with

STACK, HOME = "gke-a3-mega", "research"
GROUND = ("Namespace", "PriorityClass")
QUEUE = {"kueue.x-k8s.io/queue-name": "default"}
INJECTED = {
    "Job": ["JOB_COMPLETION_INDEX"],
    "LeaderWorkerSet": ["LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX"],
    "VolcanoJob": ["VK_TASK_INDEX", "VC_TASK_INDEX", "VC_NODE_HOSTS", "VC_NODE_NUM"],
}
"""What each controller gives every container, the daemon too (see `components/tenancy/daemons.py`)."""
Pod = dict[str, Any]


@pytest.fixture(scope="module")
def guarded(cluster: Cluster) -> Iterator[Cluster]:
    """The stack's teams, and what confines them."""
    section = profile(STACK).tenancy
    assert section
    ground = [one.document for one in manifests(graph(STACK)) if one.document["kind"] in GROUND]
    cluster.apply(ground)
    with guarding.guarding(cluster, policies(section, known(STACK))):
        yield cluster
    cluster.kubectl("delete", *(f"{one['kind']}/{one['metadata']['name']}" for one in ground))


def pods(kind: str = "Job") -> list[Pod]:
    """As this kind's controller would make them of our job."""
    scheduler = "volcano" if kind == "VolcanoJob" else "kueue"
    templates = filter(is_worker, all_templates(rendered(job(kind), facts_with(STACK, scheduler))))  # type: ignore[arg-type]
    return [whole(copy.deepcopy(one)) for one in templates]


def whole(template: Pod) -> Pod:
    """A pod of a template, of the default scheduler: the API server has no other's policies here."""
    template["spec"].pop("schedulerName", None)
    template["spec"].setdefault("restartPolicy", "Never")
    metadata = {**template["metadata"], "name": "llama-0", "namespace": HOME}
    return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {**metadata, "labels": QUEUE}}


def daemon(pod: Pod) -> dict[str, Any]:
    (only,) = pod["spec"]["initContainers"]
    return only


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "RayJob"])  # which this fabric cannot have
def test_the_pods_of_every_controller_are_taken(kind: str, guarded: Cluster) -> None:
    made = pods(kind)
    assert made
    for pod in made:
        for name in INJECTED.get(kind, []):
            daemon(pod)["env"].append({"name": name, "value": "1"})
        taken, said = guarding.attempt(guarded, pod)
        assert taken, said


def moved(pod: Pod) -> None:
    pod["spec"]["containers"].append(
        {k: v for k, v in daemon(pod).items() if k not in ("restartPolicy", "startupProbe")}
    )
    del pod["spec"]["initContainers"]


def borrowed(pod: Pod) -> None:
    """Libraries of the team's under the name of the node's."""
    for volume in pod["spec"]["volumes"]:
        if volume["name"] == "nvidia-libraries":
            volume |= {"persistentVolumeClaim": {"claimName": "mine"}}
            del volume["hostPath"]


def written(pod: Pod) -> None:
    """The driver's folder, by which the whole node runs."""
    for mount in pod["spec"]["containers"][0]["volumeMounts"]:
        mount.pop("readOnly", None)


def handed(container: str, devices: str) -> Callable[[Pod], Any]:
    """Devices by the annotation that GKE's plug-in reads."""
    return lambda pod: pod["metadata"]["annotations"].update({f"devices.gke.io/container.{container}": devices})


def named(pod: Pod) -> None:
    """GPUs past the queue, by the devices that the daemon has."""
    pod["spec"]["containers"][0]["name"] = "tcpxo-daemon"
    daemon(pod)["name"] = "other"
    daemon(pod)["securityContext"] = {}
    daemon(pod)["volumeMounts"] = []


def entered(pod: Pod) -> None:
    pod["spec"]["containers"][0]["volumeMounts"].append({"name": "node-proc-sys", "mountPath": "/host"})


def without_gpus(pod: Pod) -> None:
    """The fabric's devices past the queue: nothing that it counts is asked for."""
    resources = pod["spec"]["containers"][0]["resources"]
    for asked in resources.values():
        asked.pop("nvidia.com/gpu", None)


def off_the_networks(pod: Pod) -> None:
    """Else the networks' own guard speaks first."""
    without_gpus(pod)
    pod["metadata"]["annotations"].pop("networking.gke.io/interfaces")


def alone(pod: Pod) -> None:
    """The fabric's devices, and no daemon."""
    del pod["spec"]["initContainers"]
    without_gpus(pod)


NAME, FOLDERS = "is the fabric's daemon", "These folders of the node"
DEVICE, QUEUE_FIRST = "any device of the node", "go with GPUs, which wait in the team's queue"
ATTACKS: dict[str, tuple[Callable[[Pod], Any], str]] = {
    "a library before its own": (
        lambda pod: daemon(pod)["env"].append({"name": "LD_PRELOAD", "value": "/usr/local/nvidia/x.so"}),
        NAME,
    ),
    "its libraries from elsewhere": (lambda pod: daemon(pod)["env"][0].update(value="/tmp"), NAME),  # noqa: S108 - an attack
    "variables that nobody sees here": (
        lambda pod: daemon(pod).update(envFrom=[{"configMapRef": {"name": "mine"}}]),
        NAME,
    ),
    "a claim by the name of the node's folder": (borrowed, NAME),
    "a folder over its programs": (
        lambda pod: daemon(pod)["volumeMounts"].append({"name": "shm", "mountPath": "/fts"}),
        NAME,
    ),
    "a file over its programs": (
        lambda pod: daemon(pod).update(terminationMessagePath="/fts/entrypoint_rxdm_container.sh"),
        NAME,
    ),
    "another folder to start in": (lambda pod: daemon(pod).update(workingDir="/etc/volcano"), NAME),
    "a part of a folder": (lambda pod: daemon(pod)["volumeMounts"][0].update(subPathExpr="$(NODE_NAME)"), NAME),
    "a program of one's own": (lambda pod: daemon(pod).update(args=["sleep infinity"]), NAME),
    "an image of one's own": (lambda pod: daemon(pod).update(image="example.com/shell:1"), NAME),
    "a program at its start": (
        lambda pod: daemon(pod).update(lifecycle={"postStart": {"exec": {"command": ["sh"]}}}),
        NAME,
    ),
    "a program as its probe": (lambda pod: daemon(pod)["startupProbe"]["exec"].update(command=["sh"]), NAME),
    "a second probe": (lambda pod: daemon(pod).update(livenessProbe={"exec": {"command": ["sh"]}}), NAME),
    "a further capability": (
        lambda pod: daemon(pod)["securityContext"]["capabilities"]["add"].append("SYS_ADMIN"),
        NAME,
    ),
    "its processes in sight": (lambda pod: pod["spec"].update(shareProcessNamespace=True), NAME),
    "no rights that others lack": (lambda pod: daemon(pod).pop("securityContext"), NAME),
    "another user": (lambda pod: daemon(pod)["securityContext"].update(runAsUser=1000), NAME),
    "another user of the pod": (lambda pod: pod["spec"].update(securityContext={"runAsUser": 1000}), NAME),
    "a further capability under another name": (
        lambda pod: daemon(pod).update(name="mine"),
        "A capability beyond the runtime's own",
    ),
    "where a call without a name finds it": (moved, NAME),
    "no GPUs and no network of theirs": (off_the_networks, NAME),
    "no GPUs and no daemon": (alone, QUEUE_FIRST),
    "its folders in another container": (entered, FOLDERS),
    "the driver's folder to write to": (written, "readOnly: true"),
    "a disk of the node": (handed("trainer", "- path: /dev/nvme0n1\n"), DEVICE),
    "a disk by way of the daemon": (handed("tcpxo-daemon", "- path: /dev/nvme0n1\n"), DEVICE),
    "a disk after a GPU": (handed("tcpxo-daemon", "- path: /dev/nvidia0\n- path: /dev/nvme0n1\n"), DEVICE),
    "the memory of the node": (handed("tcpxo-daemon", "- {path: /dev/mem}"), DEVICE),
    "GPUs under the daemon's name": (named, NAME),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_else_has_what_the_daemon_has(name: str, guarded: Cluster) -> None:
    attack, why = ATTACKS[name]
    (pod,) = pods()
    attack(pod)
    taken, said = guarding.attempt(guarded, pod)
    assert not taken
    assert why in said


def test_what_controllers_mount_is_taken(guarded: Cluster) -> None:
    (pod,) = pods()
    for name, path in (("token", "/var/run/secrets/kubernetes.io/serviceaccount"), ("hosts", "/etc/volcano")):
        pod["spec"]["volumes"].append({"name": name, "emptyDir": {}})
        daemon(pod)["volumeMounts"].append({"name": name, "mountPath": path})
    taken, said = guarding.attempt(guarded, pod)
    assert taken, said


@pytest.fixture
def waiting(guarded: Cluster) -> Iterator[Pod]:
    """A sound pod that has not started, as the API server has it."""
    (pod,) = pods()
    guarded.apply([pod])
    yield json.loads(guarded.kubectl("get", "pod", "llama-0", "-n", HOME, "-o", "json"))
    guarded.kubectl("delete", "pod", "llama-0", "-n", HOME, "--now")


@pytest.mark.parametrize(
    "words", [("exec", "-i", "llama-0", "-c", "{}", "--", "sh"), ("attach", "llama-0", "-c", "{}")]
)
@pytest.mark.usefixtures("waiting")
def test_nobody_goes_into_it(words: tuple[str, ...], guarded: Cluster) -> None:
    said = {
        name: guarding.attempt(guarded, {}, "-n", HOME, *(word.format(name) for word in words))[1]
        for name in ("tcpxo-daemon", "trainer")
    }
    refusal = "The fabric's daemon has rights on the node"
    assert [refusal in text for text in said.values()] == [True, False], said


@pytest.mark.parametrize(("target", "refused"), [("tcpxo-daemon", True), ("trainer", False)])
def test_nobody_looks_into_its_processes(target: str, refused: bool, waiting: Pod, guarded: Cluster) -> None:  # noqa: FBT001 - a row
    look = {"name": "look", "image": "example.com/shell:1", "targetContainerName": target}
    asked = {**waiting, "spec": {**waiting["spec"], "ephemeralContainers": [look]}}
    place = f"/api/v1/namespaces/{HOME}/pods/llama-0/ephemeralcontainers?dryRun=All"
    taken, said = guarding.attempt(guarded, asked, "replace", "--raw", place, "-f", "-")
    assert taken is not refused, said
    assert (NAME in said) is refused


CHANGES = {
    "another image of the daemon": (
        {"spec": {"initContainers": [{"name": "tcpxo-daemon", "image": "example.com/shell:1"}]}},
        NAME,
    ),
    "a disk": ({"metadata": {"annotations": {"devices.gke.io/container.trainer": "- path: /dev/sda"}}}, DEVICE),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.usefixtures("waiting")
def test_a_sound_pod_stays_sound(name: str, guarded: Cluster) -> None:
    change, why = CHANGES[name]
    words = ("patch", "pod", "llama-0", "-n", HOME, "--dry-run=server", "-p", json.dumps(change))
    taken, said = guarding.attempt(guarded, {}, *words)
    assert not taken
    assert why in said
