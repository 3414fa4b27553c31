"""What a vLLM process is told and where it keeps what it compiles."""

from typing import Any

import pytest

from components.facts import Args
from components.serving.servers import manifests
from stacks.facts.derive import facts
from stacks.load import load
from tests.stack_files import document

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
