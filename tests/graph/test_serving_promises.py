"""What the docs promise of a server, and a plan that keeps less of it says so or is refused."""

from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.serving.vllm_stack import VllmStackServer, helm_values
from bedplate.plan.fit import lines
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.graph.test_serving import GROUP, ROCE, declared, pods, with_server

FROM_ZERO = {"metric": "requests", "target": 8, "wake": "sum(rate(gateway_requests_total[2m]))"}
PULL = 1800
"""Seconds that an image may take."""


def stack_values(change: dict[str, Any]) -> dict[str, Any]:
    loaded = load(with_server(ROCE, {"kind": "vllm-stack", **change}))
    assert loaded.serving
    (server, *_) = loaded.serving.servers
    assert isinstance(server, VllmStackServer)
    return helm_values(Args(server, facts(loaded)))


def test_a_server_that_a_request_wakes_stays_until_it_has_loaded() -> None:
    objects = declared(with_server(ROCE, {"replicas": 0, "scaling": FROM_ZERO}))
    pod = objects["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    loading = pod["startupProbe"]["failureThreshold"] * pod["startupProbe"]["periodSeconds"]
    assert objects["ScaledObject"]["spec"]["cooldownPeriod"] >= loading - 10 + PULL
    keda = stack_values({"replicas": 0, "scaling": FROM_ZERO})["servingEngineSpec"]["modelSpec"][0]["keda"]
    assert keda["cooldownPeriod"] >= loading - 10 + PULL


def test_a_server_that_never_goes_wholly_has_no_such_wait() -> None:
    assert "cooldownPeriod" not in declared(with_server(ROCE, {}))["ScaledObject"]["spec"]


def test_a_router_of_the_chart_knows_the_engines_of_its_own_release_alone() -> None:
    router = stack_values({"name": "mine"})["routerSpec"]
    assert router["extraArgs"] == ["--k8s-label-selector", "helm-release-name=mine"]


def test_a_plan_says_that_the_chart_cuts_answers_off() -> None:
    profile = load(with_server(ROCE, {"kind": "vllm-stack"}))
    (said,) = [line.memory for line in lines(profile, facts(profile)) if line.name == "llama-70b"]
    assert said.endswith("answers are cut off after 30 s when a pod goes")
    profile = load(with_server(ROCE, {}))
    assert "cut off" not in next(line.memory for line in lines(profile, facts(profile)) if line.name == "llama-70b")


@pytest.mark.parametrize("name", ["nginx", "webapprouting.kubernetes.azure.com"])
def test_nginx_takes_images_and_sound(name: str) -> None:
    profile = with_server(ROCE, {"route": {"kind": "ingress", "className": name, "hostname": "llm.example.com"}})
    profile["tenancy"]["teams"][1]["ingressFrom"] = ["ingress"]
    notes = declared(profile)["Ingress"]["metadata"]["annotations"]
    assert notes["nginx.ingress.kubernetes.io/proxy-body-size"] == "64m"


def test_a_pipeline_without_rdma_is_taken_with_an_advice_and_no_devices() -> None:
    profile = with_server(ROCE, GROUP["serving"]["servers"][0], training={"leaderWorkerSet": {}})
    profile["tenancy"]["teams"][1] |= {"rdma": False, "gpus": {"h100": 32}}
    loaded = load(profile)
    said = next(line.fabric for line in lines(loaded, facts(loaded)) if line.name == "llama-70b")
    assert said == "no fabric: its nodes hand over by TCP, 33 kB a token; with RDMA the first word comes sooner"
    for pod in pods(declared(profile)):
        assert not [name for name in pod["spec"]["containers"][0]["resources"]["limits"] if name.startswith("rdma/")]
    profile["tenancy"]["teams"][1]["rdma"] = True
    loaded = load(profile)
    assert "roce" in next(line.fabric for line in lines(loaded, facts(loaded)) if line.name == "llama-70b")
