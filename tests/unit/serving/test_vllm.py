"""What a vLLM process is told and where it keeps what it compiles."""

from typing import Any

import pytest
import yaml

from bedplate.components.facts import Args
from bedplate.components.serving.servers import manifests
from bedplate.components.workload.contract import contract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import document
from tests.tools.golden_objects import PROFILES

HUB = {"kind": "hugging-face", "repository": "org/model"}
SHM = "/dev/shm"  # noqa: S108 (NCCL's own)
CACHE = {"cache": {"kind": "host-path", "hostPath": "/raid", "path": "/fast"}}


def container(weights: dict[str, Any], storage: dict[str, Any]) -> dict[str, Any]:
    """Of the first server of the inference stack."""
    one = document("inference-l40s")
    one["serving"]["servers"][0]["weights"] = weights
    one["storage"] |= storage
    loaded = load(one)
    assert loaded.serving
    workload = manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))[0]
    (found,) = workload["spec"]["template"]["spec"]["containers"]
    return found


@pytest.mark.parametrize(
    ("weights", "mounted", "compiled"),
    [
        (HUB, [("node-cache", "/fast")], ["/fast/vllm"]),
        ({**HUB, "cache": "models"}, [("models", "/models")], []),
        ({"kind": "volume", "volume": "models", "directory": "m"}, [("models", "/models")], []),
    ],
)
def test_vllm_compiles_to_the_nodes_disk_where_its_pod_mounts_it(
    weights: dict[str, Any], mounted: list[tuple[str, str]], compiled: list[str]
) -> None:
    found = container(weights, CACHE)
    mounts = [(one["name"], one["mountPath"]) for one in found["volumeMounts"]]
    assert mounts == [("shm", SHM), *mounted]
    assert [one["value"] for one in found["env"] if one["name"] == "VLLM_CACHE_ROOT"] == compiled


def test_a_start_waits_for_141_gb_from_a_public_hub() -> None:
    """At 100 MB/s 1,412 s and 180 s to compile, and half as much again."""
    one = document("onprem-h100-roce")
    one["serving"]["servers"][0]["weights"] = HUB
    loaded = load(one)
    assert loaded.serving
    workload = manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))[0]
    probe = workload["spec"]["template"]["spec"]["containers"][0]["startupProbe"]
    assert probe["failureThreshold"] * probe["periodSeconds"] == 2390


GROUP = {
    "training": {"leaderWorkerSet": {}},
    "serving": {
        "servers": [
            {
                "kind": "vllm",
                "name": "llama",
                "namespace": "research",
                "pool": "a3-mega",
                "model": "llama-3.1-405b",
                "tensorParallel": 8,
                "pipelineParallel": 2,
                "weights": {"kind": "volume", "volume": "checkpoints", "directory": "llama"},
            }
        ]
    },
}


def test_the_pods_of_a_group_see_the_folders_that_the_fabric_brings() -> None:
    loaded = load(document("gke-a3-mega") | GROUP)
    assert loaded.serving
    known = facts(loaded)
    workload = manifests(loaded.serving.servers[0], Args(loaded.serving, known))[0]
    folders = contract(known, "research").share(known.pool("a3-mega"), 8, fabric=True).node
    assert folders.volumes
    for role in ("leaderTemplate", "workerTemplate"):
        spec = workload["spec"]["leaderWorkerTemplate"][role]["spec"]
        found = {one["name"]: one["hostPath"]["path"] for one in spec["volumes"] if "hostPath" in one}
        mounted = {one["name"]: one["mountPath"] for one in spec["containers"][0]["volumeMounts"]}
        assert found == dict(folders.volumes)
        assert dict(folders.mounts).items() <= mounted.items()


def test_copies_over_nodes_are_one_group_whose_leader_answers() -> None:
    loaded = load(yaml.safe_load((PROFILES / "wide-experts-h200-ib.yaml").read_text(encoding="utf-8")))
    assert loaded.serving
    group = manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))[0]["spec"]["leaderWorkerTemplate"]
    leader, worker = (group[role]["spec"]["containers"][0] for role in ("leaderTemplate", "workerTemplate"))
    assert group["size"] == 2
    for one in (leader, worker):
        words = " ".join(one["command"])
        assert "--data-parallel-size 16" in words
        assert "--nnodes 2 --node-rank $(LWS_WORKER_INDEX) --master-addr $(LWS_LEADER_ADDRESS)" in words
        assert "-parallel-size-local" not in words
        assert one["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert "ports" in leader
    assert worker["command"][-1] == "--headless"


@pytest.mark.parametrize(("mode", "rolling"), [("ReadWriteMany", (1, 0)), ("ReadWriteOnce", (0, 1))])
def test_a_pod_that_alone_may_mount_its_volume_goes_before_the_next_one_comes(
    mode: str, rolling: tuple[int, int]
) -> None:
    """The next one runs on another node, and attaches the volume only when the first has left it (Harvester's CSI)."""
    one: dict[str, Any] = document("inference-l40s")
    kind = "nfs" if mode == "ReadWriteMany" else "block"
    server = one["serving"]["servers"][0] | {"weights": {"kind": "volume", "volume": "models", "directory": "m"}}
    one["storage"] = {
        "existingClasses": [{"name": "own", "kind": kind}],
        "volumes": [
            {
                "name": "models",
                "namespaces": [server["namespace"]],
                "size": "1Ti",
                "path": "/models",
                "storageClass": "own",
                "mode": mode,
            }
        ],
    }
    kept = ("kind", "name", "namespace", "pool", "model", "weights", "precision", "tensorParallel")
    one["serving"] = {"servers": [{key: server[key] for key in kept if key in server}]}
    loaded = load(one)
    assert loaded.serving
    workload = manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))[0]
    found = workload["spec"]["strategy"]["rollingUpdate"]
    assert (found["maxSurge"], found["maxUnavailable"]) == rolling
