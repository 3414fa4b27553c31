"""Who answers a request is chosen: the pool, its picker, and what each gateway must be told of them."""

from typing import Any

import pytest
import yaml

from bedplate.components.facts import Args
from bedplate.components.serving.picker import PLUGINS
from bedplate.components.serving.servers import manifests
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.crds import faults, is_custom
from tests.tools.golden_objects import PROFILES
from tests.unit.serving.test_ways_in import GATEWAY, GOOGLE, profile

PICKED = {**GATEWAY, "endpointPicker": {}}
PROXIES = "10.129.0.0/23"
POOL = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "llama"}


def made(platform: str, way: dict[str, Any], **server: Any) -> list[dict[str, Any]]:
    document = profile(platform, way, [*GOOGLE, PROXIES] if platform == "gke" else ["edge"])
    document["serving"]["servers"][0] |= server
    loaded = load(document)
    assert loaded.serving
    return manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))


def kinds(platform: str, route: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The picker's objects and the way in, by kind."""
    every = [
        one
        for one in made(platform, route)
        if one["metadata"]["name"] != "llama" or one["kind"] not in ("Deployment", "Service")
    ]
    return {one["kind"]: one for one in every}


def test_a_route_with_a_picker_goes_to_the_pool_and_not_in_turns_to_the_service() -> None:
    rules = kinds("kubeadm", PICKED)["HTTPRoute"]["spec"]["rules"]
    assert rules[0]["backendRefs"] == [POOL]
    assert kinds("kubeadm", GATEWAY)["HTTPRoute"]["spec"]["rules"][0]["backendRefs"] == [
        {"name": "llama", "port": 8000}
    ]
    assert "InferencePool" not in kinds("kubeadm", GATEWAY)


def test_the_pool_has_the_servers_pods_and_not_the_picker() -> None:
    found = kinds("kubeadm", PICKED)
    pool, picker = found["InferencePool"]["spec"], found["Deployment"]["spec"]
    (server,) = (
        one for one in made("kubeadm", PICKED) if one["kind"] == "Deployment" and one["metadata"]["name"] == "llama"
    )
    pods = server["spec"]["template"]["metadata"]["labels"]
    assert pool["selector"]["matchLabels"].items() <= pods.items()
    assert not pool["selector"]["matchLabels"].items() <= picker["template"]["metadata"]["labels"].items()
    assert pool["endpointPickerRef"] == {"name": "llama-picker", "port": {"number": 9002}, "failureMode": "FailOpen"}
    assert found["Service"]["metadata"]["name"] == "llama-picker"
    # Whoever is told that it speaks plain HTTP/2 never gets an answer: the picker has TLS.
    assert found["Service"]["spec"]["ports"] == [{"name": "grpc-ext-proc", "port": 9002, "targetPort": 9002}]


def test_the_picker_may_read_pods_and_pools_of_its_namespace_and_reach_the_api_server() -> None:
    found = kinds("kubeadm", PICKED)
    assert {tuple(rule["resources"]): rule["verbs"] for rule in found["Role"]["rules"]}[("pods",)] == [
        "get",
        "list",
        "watch",
    ]
    assert found["RoleBinding"]["subjects"][0]["name"] == found["ServiceAccount"]["metadata"]["name"] == "llama-picker"
    ports = {port["port"] for rule in found["NetworkPolicy"]["spec"]["egress"] for port in rule["ports"]}
    assert ports == {443, 6443}
    container = found["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert container["args"][:4] == ["--pool-name", "llama", "--pool-namespace", "serving"]
    assert "nvidia.com/gpu" not in str(container["resources"])


def test_its_scorers_are_all_in_its_list_of_plugins() -> None:
    config = yaml.safe_load(PLUGINS.read_text())
    named = {plugin["type"] for plugin in config["plugins"]}
    assert {one["pluginRef"] for each in config["schedulingProfiles"] for one in each["plugins"]} <= named


def test_googles_policies_are_about_the_pool_and_istio_trusts_the_picker() -> None:
    google = kinds("gke", PICKED)
    assert google["HealthCheckPolicy"]["spec"]["targetRef"] == google["GCPBackendPolicy"]["spec"]["targetRef"] == POOL
    istio = kinds("kubeadm", {**PICKED, "implementation": "istio"})
    assert istio["DestinationRule"]["spec"]["trafficPolicy"]["tls"] == {"mode": "SIMPLE", "insecureSkipVerify": True}
    assert "DestinationRule" not in google


def test_what_it_declares_is_what_the_crds_take() -> None:
    for one in made("kubeadm", {**PICKED, "implementation": "istio"}):
        assert not is_custom(one) or faults(one) == []


def test_of_a_group_over_nodes_only_the_leaders_are_in_the_pool() -> None:
    one = yaml.safe_load((PROFILES / "eks-p5en-capacity-block.yaml").read_text())
    one["serving"]["servers"][0]["route"] = PICKED
    one["tenancy"]["teams"][1]["ingressFrom"] = ["edge"]
    loaded = load(one)
    assert loaded.serving
    every = manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))
    (pool,) = (one for one in every if one["kind"] == "InferencePool")
    assert pool["spec"]["selector"]["matchLabels"]["leaderworkerset.sigs.k8s.io/worker-index"] == "0"


def test_the_kind_of_the_pool_is_looked_up_where_a_picker_needs_it() -> None:
    def sought(route: dict[str, Any]) -> list[str]:
        return [one.name for one in facts(load(profile("kubeadm", route, ["edge"]))).existing]

    assert "inferencepools.inference.networking.k8s.io" in sought(PICKED)
    assert "inferencepools.inference.networking.k8s.io" not in sought(GATEWAY)


@pytest.mark.parametrize(
    ("server", "seconds"),
    [
        ({}, 10 + 410),
        ({"maxModelLen": 4096, "answerSpeed": 40}, 10 + 103),
        ({"maxModelLen": 4096, "answerSpeed": 40, "route": {**GATEWAY, "timeout": 60}}, 10 + 60),
        ({"grace": 60}, 60),
    ],
)
def test_a_pod_that_must_go_has_as_long_as_its_longest_answer(server: dict[str, Any], seconds: int) -> None:
    """Tokens by tokens a second, or what the way in lets through, and the seconds until no new request comes."""
    (work,) = (one for one in made("kubeadm", GATEWAY, **server) if one["kind"] == "Deployment")
    spec = work["spec"]["template"]["spec"]
    assert spec["terminationGracePeriodSeconds"] == seconds
    assert spec["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"] == 10
