"""Gates hold on every `up` that changes what they guard, and prove what the profile says."""

import json
from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.engine import Engine
from bedplate.lab.stages import READY
from tests.engine.profiles import changed, impatient, previous_pins

UP = ("up", "--yes", "--skip-preview", "--stack", "lab")
PREVIEW = ("preview", "--stack", "lab")
SHORT = {"status": {"allocatable": {"nvidia.com/gpu": "7"}}}
WHOLE = {"status": {"allocatable": {"nvidia.com/gpu": "8"}}}


def profile_of(engine: Engine) -> dict[str, Any]:
    return yaml.safe_load(engine.stack_file.read_text())["config"]["bedplate:profile"]


def patch(engine: Engine, what: str, change: dict[str, Any]) -> None:
    engine.cluster.kubectl("patch", *what.split(), "--subresource=status", "--type=merge", "-p", json.dumps(change))


def play_no_more(engine: Engine, kind: str) -> None:
    """From here on nobody reports for this kind."""
    played = (stage["metadata"]["name"] for ready in READY if ready.kind == kind for stage in ready.stages())
    engine.cluster.kubectl("delete", "stage", *played)


def operand(engine: Engine, image: str) -> dict[str, Any]:
    """A DaemonSet as the Network Operator makes it for its policy."""
    policy = json.loads(engine.cluster.kubectl("get", "nicclusterpolicy/nic-cluster-policy", "-o", "json"))
    owner = {"apiVersion": policy["apiVersion"], "kind": policy["kind"], "name": policy["metadata"]["name"]}
    labels = {"app": "rdma-shared-dp"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "name": "rdma-shared-dp-ds",
            "namespace": "nvidia-network-operator",
            "ownerReferences": [{**owner, "uid": policy["metadata"]["uid"]}],
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "plugin", "image": image}], "tolerations": [{"operator": "Exists"}]},
            },
        },
    }


def plugin_image(engine: Engine) -> str:
    path = "jsonpath={.spec.rdmaSharedDevicePlugin}"
    part = json.loads(engine.cluster.kubectl("get", "nicclusterpolicy/nic-cluster-policy", "-o", path))
    return f"{part['repository']}/{part['image']}:{part['version']}"


def test_a_second_up_with_a_new_operator_waits_for_its_word_again(engine: Engine) -> None:
    current = profile_of(engine)
    engine.configure(previous_pins(current))
    engine.run(*UP)
    play_no_more(engine, "ClusterPolicy")
    patch(engine, "clusterpolicy/cluster-policy", {"status": {"state": "notReady"}})
    engine.configure(impatient(current))
    with pytest.raises(LabError, match=r"(?s)gpu-operator-ready.*timed out waiting for the condition"):
        engine.run(*UP)
    patch(engine, "clusterpolicy/cluster-policy", {"status": {"state": "ready"}})
    engine.run(*UP)
    engine.run(*PREVIEW, "--expect-no-changes")


def test_what_the_last_release_left_ready_does_not_open_the_gate_for_the_next(engine: Engine) -> None:
    current = profile_of(engine)
    engine.configure(previous_pins(current))
    engine.run(*UP)
    before = plugin_image(engine)
    engine.cluster.apply([operand(engine, before)])
    engine.configure(changed(current, "readiness", timeout=10))
    with pytest.raises(LabError) as late:
        engine.run(*UP)
    after = plugin_image(engine)
    assert after != before
    assert f"rdma-shared-dp-ds: runs {before}, its policy names {after.rpartition(':')[2]}" in str(late.value)
    engine.cluster.apply([operand(engine, after)])
    engine.run(*UP)


def test_a_node_short_of_gpus_is_named_and_once_it_is_whole_the_next_up_goes_on(engine: Engine) -> None:
    profile = changed(profile_of(engine), "readiness", timeout=5)
    engine.configure(profile)
    patch(engine, "node/h100-1", SHORT)
    with pytest.raises(LabError, match=r"(?s)pools-ready.*pool h100: 1 of 2 nodes are whole, 2 must be") as short:
        engine.run(*UP)
    assert "h100-1: has 7 of 8 nvidia.com/gpu" in str(short.value)
    state = {resource["urn"].rsplit("::", 1)[-1] for resource in engine.state()}
    assert not any(name.startswith("research-rail") for name in state), "what needs whole nodes has waited"
    patch(engine, "node/h100-1", WHOLE)
    engine.run(*UP)
    engine.run(*PREVIEW, "--expect-no-changes")


def test_nodes_that_become_whole_while_it_waits_let_it_go_on(engine: Engine) -> None:
    patch(engine, "node/h100-1", SHORT)
    process = engine.start(*UP)
    for line in process.stdout or ():
        if "pools-ready creating" in line:
            patch(engine, "node/h100-1", WHOLE)
            break
    process.communicate(timeout=600)
    assert process.returncode == 0


def test_a_profile_that_tolerates_a_broken_node_goes_on_without_it(engine: Engine) -> None:
    profile = profile_of(engine)
    pools = [{**pool, "minReady": 1} if pool["name"] == "h100" else pool for pool in profile["pools"]]
    engine.configure({**profile, "pools": pools})
    play_no_more(engine, "ClusterPolicy")
    patch(engine, "node/h100-1", SHORT)
    process = engine.start(*UP)
    for line in process.stdout or ():
        if "gpu-operator-ready creating" in line:  # a broken node keeps the operator from ever being content
            patch(engine, "clusterpolicy/cluster-policy", {"status": {"state": "notReady"}})
            break
    process.communicate(timeout=600)
    assert process.returncode == 0


def test_the_fabric_is_verified_again_on_another_foundation_and_only_then(engine: Engine) -> None:
    profile = {**profile_of(engine), "verification": {"team": "research", "image": "pytorch:1"}}
    engine.configure(profile)
    engine.run(*UP)
    first = job(engine)
    engine.run(*PREVIEW, "--expect-no-changes")
    engine.configure(changed(profile, "networkOperator", sharedPodsPerNode=7))
    engine.run(*UP)
    assert job(engine) != first
    engine.run(*PREVIEW, "--expect-no-changes")


def job(engine: Engine) -> str:
    """The identity of the verification's job."""
    return engine.cluster.kubectl("-n", "research", "get", "job/nccl-verification", "-o", "jsonpath={.metadata.uid}")
