"""Where a server on GKE finds the driver: GKE's plug-in mounts it where not every image looks."""

from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.serving import vllm
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer, helm_values
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.unit.test_allocatable import profile

CU129 = "vllm/vllm-openai:v0.32.0-cu129"
OF_GOOGLE = "/usr/local/nvidia/lib64:/usr/local/cuda/lib64"


def env(kind: str, *, operator: bool, platform: str = "gke", image: str = CU129, **more: Any) -> dict[str, str]:
    document = profile(platform, {"gke": "g2-standard-24", "eks": "g6.12xlarge"}[platform])
    whose = {"gpuOperator": {}} if operator else {"gpuOperator": None, "existingDevicePlugin": platform == "eks"}
    weights = {"kind": "hugging-face", "repository": "Qwen/Qwen3-8B"}
    placed = {"name": "qwen", "namespace": "team", "pool": "gpu", "model": "qwen3-8b", "tensorParallel": 2}
    server = {"kind": kind, **placed, "weights": weights, "image": image, **more}
    team = {"name": "team", "rdma": False, "egress": ["0.0.0.0/0"]}
    own = {"podCidr": "10.1.0.0/16", "serviceCidr": "172.20.0.0/16", "nodeCidrs": ["10.2.0.0/16"]}
    site = {"clusterNetwork": own, "tenancy": {"teams": [team]}, "serving": {"servers": [server]}}
    cache = {"storage": {"cache": {"kind": "host-path", "hostPath": "/mnt"}}}
    found: Any = load(
        {key: value for key, value in {**document, **site, **cache, **whose}.items() if value is not None}
    )
    served = found.serving.servers[0]
    if isinstance(served, VllmStackServer):
        said = helm_values(Args(served, facts(found)))["servingEngineSpec"]["modelSpec"][0]["env"]
    else:
        assert isinstance(served, VllmServer)
        pod = vllm.manifests(served, facts(found), surge=False)[0]["spec"]["template"]["spec"]
        said = pod["containers"][0]["env"]
    return {one["name"]: one.get("value", "") for one in said}


@pytest.mark.parametrize("kind", ["vllm", "vllm-stack"])
def test_where_gkes_plug_in_mounts_the_driver_vllm_is_told(kind: str) -> None:
    assert env(kind, operator=False)["LD_LIBRARY_PATH"] == OF_GOOGLE


def test_a_toolkit_an_image_of_the_sites_and_the_site_itself_go_before() -> None:
    assert "LD_LIBRARY_PATH" not in env("vllm", operator=True)
    assert "LD_LIBRARY_PATH" not in env("vllm", operator=False, platform="eks")
    assert "LD_LIBRARY_PATH" not in env("vllm", operator=False, image="example.com/llm:1")
    assert env("vllm", operator=False, env={"LD_LIBRARY_PATH": "/a"})["LD_LIBRARY_PATH"] == "/a"
