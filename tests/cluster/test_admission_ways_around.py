"""What gets around a guard elsewhere is judged here: labels, added containers, sums, spellings; and what may pass does."""

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bedplate.components.waiver import Waiver
from bedplate.lab.cluster import Cluster
from bedplate.policies.admission import Enforcement, manifests
from tests.cluster.guarding import attempt, guarding
from tests.cluster.test_admission import CONTAINER, RIGHT, WORKER, env, pod
from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, put

QUEUE = "kueue.x-k8s.io/queue-name"
TODAY = datetime.now(UTC).date()
WAIVER = "waive.bedplate.dev/SCH-404"
LISTED = (
    Waiver(rule="NET-221", resource="Pod team/allowed*", reason="a probe of the host"),
    Waiver(rule="NET-221", resource="Pod team/late", reason="a probe", until=TODAY - timedelta(days=1)),
)


@pytest.fixture(scope="module")
def guarded(cluster: Cluster, crds: None) -> Iterator[Cluster]:
    cluster.apply(
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}} for place in ("team", "free", "serve")]
    )
    cluster.apply(
        [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "team"}}]
    )
    cluster.create([on_volcano("before"), {**pod(), "metadata": {"name": "runs", "namespace": "team"}}])
    with guarding(cluster, manifests(Enforcement(exempt=("free",), waivers=LISTED))):
        yield cluster
    cluster.kubectl("delete", "pytorchjob,pod", "--all", "-n", "team", "--wait=false")


def job(path: str, value: object) -> Any:
    return put(RIGHT, tuple(f"job {path}".split()), value)["job"]


def on_volcano(name: str) -> Any:
    """A job for Volcano, in no queue of Kueue: right."""
    docs = put(RIGHT, tuple(f"{WORKER} spec schedulerName".split()), "volcano")
    docs = put(docs, ("job", "metadata"), {"name": name, "namespace": "team"})
    return docs["job"]


def queued(name: str, **annotations: str) -> Any:
    """The same in a queue of Kueue as well: SCH-404."""
    doc = on_volcano(name)
    return {**doc, "metadata": {**doc["metadata"], "labels": {QUEUE: "gpus"}, "annotations": annotations}}


def patched(cluster: Cluster, kind: str, name: str, patch: Any, *options: str) -> tuple[bool, str]:
    command = [*cluster.kubectl_command, "patch", kind, name, "-n", "team", "--dry-run=server", "-p", json.dumps(patch)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


def test_a_label_that_decides_is_judged_and_any_other_is_not(guarded: Cluster) -> None:
    merge = "--type=merge"
    taken, said = patched(guarded, "pytorchjob", "before", {"metadata": {"labels": {QUEUE: "gpus"}}}, merge)
    assert not taken
    assert "SCH-404" in said
    taken, said = patched(guarded, "pytorchjob", "before", {"metadata": {"labels": {"owner": "me"}}}, merge)
    assert taken, said


def test_a_waiver_on_the_object_or_its_template_lets_it_through(guarded: Cluster) -> None:
    for reason in ("moving to Kueue", f"until {TODAY}: moving to Kueue"):
        taken, said = attempt(guarded, queued("waived", **{WAIVER: reason}))
        assert taken, said
        template = ("job", *WORKER.split()[1:], "metadata", "annotations")
        taken, said = attempt(guarded, put({"job": queued("waived")}, template, {WAIVER: reason})["job"])
        assert taken, said


@pytest.mark.parametrize(
    "reason", ["", " ", f"until {TODAY - timedelta(days=1)}: moving", "until soon: moving", f"until {TODAY}:"]
)
def test_a_waiver_that_has_ended_or_gives_no_reason_lets_nothing_through(guarded: Cluster, reason: str) -> None:
    assert not attempt(guarded, queued("waived", **{WAIVER: reason}))[0]


def test_taking_a_waiver_away_is_judged(guarded: Cluster) -> None:
    guarded.create([queued("held", **{WAIVER: "moving to Kueue"})])
    taken, said = patched(guarded, "pytorchjob", "held", {"metadata": {"annotations": {WAIVER: None}}}, "--type=merge")
    assert not taken
    assert "SCH-404" in said


def attached(name: str) -> Any:
    """A pod on the host's network with a secondary one: NET-221."""
    doc = put({"pod": pod()}, ("pod", "spec", "hostNetwork"), True)["pod"]
    return {**doc, "metadata": {"name": name, "namespace": "team", "annotations": {"k8s.v1.cni.cncf.io/networks": "r"}}}


def test_a_waiver_of_the_profile_or_a_file_is_honoured_by_name_and_day(guarded: Cluster) -> None:
    taken, said = attempt(guarded, attached("allowed-1"))
    assert taken, said
    for name in ("other", "late"):
        assert not attempt(guarded, attached(name))[0]


def test_an_exempt_namespace_is_let_through(guarded: Cluster) -> None:
    doc = queued("x")
    taken, said = attempt(guarded, {**doc, "metadata": {**doc["metadata"], "namespace": "free"}})
    assert taken, said


def test_what_an_init_container_sets_is_judged(guarded: Cluster) -> None:
    early = [{"name": "early", "image": "a:1", "env": env(NCCL_ALGO="Ring")}]
    assert "NCCL-301" in attempt(guarded, put({"pod": pod()}, ("pod", "spec", "initContainers"), early)["pod"])[1]


def test_what_a_shell_sets_is_judged(guarded: Cluster) -> None:
    line = ["sh", "-c", "export NCCL_P2P_LEVEL=5; exec train"]
    assert "NCCL-303" in attempt(guarded, job(CONTAINER.removeprefix("job ") + " command", line))[1]


def test_the_annotation_that_the_message_names_exempts(guarded: Cluster) -> None:
    wrong = job(CONTAINER.removeprefix("job ") + " env", env(NCCL_ALGO="Ring"))
    assert "NCCL-301" in attempt(guarded, wrong)[1]
    reasoned = put({"job": wrong}, ("job", "metadata", "annotations"), {"site.example/nccl-tuned": "measured"})["job"]
    assert "NCCL-301" not in attempt(guarded, reasoned)[1]


def test_a_container_that_is_added_to_a_running_pod_is_judged_alone(guarded: Cluster) -> None:
    def added(**more: Any) -> tuple[bool, str]:
        patch = {"spec": {"ephemeralContainers": [{"name": "look", **more}]}}
        return patched(guarded, "pod", "runs", patch, "--subresource=ephemeralcontainers")

    assert "NCCL-301" in added(image="tools:1", env=env(NCCL_ALGO="Ring"))[1]
    taken, said = added(image="tools:1")
    assert taken, said
    assert "Validation failed" not in said


def two_containers() -> Any:
    """A pod whose two containers have a GPU each, and no shared memory."""
    container = put({"c": pod()["spec"]["containers"][0]}, ("c", "volumeMounts"), [])["c"]
    halves = [
        put({"c": {**container, "name": name}}, ("c", "resources", "limits", "nvidia.com/gpu"), "1")["c"]
        for name in "ab"
    ]
    halves = [
        put({"c": half}, ("c", "resources", "requests"), GONE)["c"] if "requests" in half["resources"] else half
        for half in halves
    ]
    return put({"pod": pod()}, ("pod", "spec", "containers"), halves)["pod"]


def test_gpus_are_counted_per_pod(guarded: Cluster) -> None:
    assert "NCCL-310" in attempt(guarded, two_containers())[1]


@pytest.mark.parametrize("spelling", ["8", "8e0", 8])
def test_every_spelling_of_a_quantity_is_counted(guarded: Cluster, spelling: object) -> None:
    bare = job(f"{WORKER.removeprefix('job ')} spec volumes", [])
    bare = put({"job": bare}, tuple(f"{CONTAINER} volumeMounts".split()), [])["job"]
    path = tuple(f"{CONTAINER} resources limits nvidia.com/gpu".split())
    assert "NCCL-310" in attempt(guarded, put({"job": bare}, path, spelling)["job"])[1]


def test_a_server_of_our_own_making_is_let_through(guarded: Cluster) -> None:
    taken, said = attempt(guarded, v.deployment())
    assert taken, said
