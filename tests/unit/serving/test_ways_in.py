"""Ways in from outside: what each load balancer must be told, and who is let into the namespace."""

from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.serving.servers import manifests
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.cloud_profiles import SYSTEM
from tests.refusals import says

GOOGLE = ["35.191.0.0/16", "130.211.0.0/22"]
GATEWAY = {"kind": "gateway", "gateway": "llm", "gatewayNamespace": "edge", "hostnames": ["llm.example.com"]}
INGRESS = {"kind": "ingress", "hostname": "llm.example.com"}


def profile(platform: str, route: dict[str, Any], admitted: list[str]) -> dict[str, Any]:
    """A cluster that serves one small model behind this route."""
    cloud = {
        "eks": {"nodeOs": "al2023-nvidia", "driverOwner": "image"},
        "gke": {"nodeOs": "cos", "driverOwner": "cloud"},
        "kubeadm": {"nodeOs": "ubuntu", "driverOwner": "operator"},
    }
    shape = {"gpu": "L4", "gpus": 1, "cpus": 8, "memoryGib": 32}
    server = {
        "kind": "vllm",
        "name": "llama",
        "namespace": "serving",
        "pool": "l4",
        "model": "llama-3.1-8b",
        "weights": {"kind": "hugging-face", "repository": "org/model", "cache": "models"},
        "route": route,
    }
    return {
        "name": "served",
        "platform": platform,
        "kubernetesVersion": "1.34",
        "context": "served",
        "pools": [{"name": "l4", "shape": shape, "nodes": 2}, SYSTEM],
        "clusterNetwork": {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12", "nodeCidrs": ["10.0.0.0/24"]},
        "fabric": {"kind": "none"},
        "nfd": {},
        "gpuOperator": {},
        "tenancy": {
            "teams": [{"name": "serving", "rdma": False, "egress": ["0.0.0.0/0"], "ingressFrom": admitted}],
        },
        "storage": {
            "existingClasses": [{"name": "nfs", "kind": "nfs"}],
            "volumes": [
                {"name": "models", "namespaces": ["serving"], "size": "1Ti", "path": "/models", "storageClass": "nfs"}
            ],
        },
        "serving": {"servers": [server]},
        **cloud[platform],
    }


def declared(platform: str, route: dict[str, Any], admitted: list[str]) -> dict[str, dict[str, Any]]:
    loaded = load(profile(platform, route, admitted))
    assert loaded.serving
    return {one["kind"]: one for one in manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))}


def test_a_gateway_of_google_asks_the_servers_health_and_waits_for_its_answers() -> None:
    """By default it asks for `/` and cuts an answer off after 30 seconds."""
    objects = declared("gke", GATEWAY, GOOGLE)
    check, limit = objects["HealthCheckPolicy"]["spec"], objects["GCPBackendPolicy"]["spec"]
    assert check["targetRef"] == limit["targetRef"] == {"group": "", "kind": "Service", "name": "llama"}
    assert check["default"]["config"]["httpHealthCheck"] == {"port": 8000, "requestPath": "/health"}
    assert limit["default"]["timeoutSec"] == 3600
    assert "timeouts" not in objects["HTTPRoute"]["spec"]["rules"][0]


def test_a_gateway_that_conforms_is_told_in_the_route() -> None:
    for platform, route in (("kubeadm", GATEWAY), ("gke", {**GATEWAY, "implementation": "conformant"})):
        objects = declared(platform, {**route, "timeout": 600}, ["edge"])
        assert "HealthCheckPolicy" not in objects
        assert objects["HTTPRoute"]["spec"]["rules"][0]["timeouts"] == {"request": "600s"}


def test_an_aws_load_balancer_sends_to_pods_and_asks_their_health() -> None:
    notes = declared("eks", {**INGRESS, "className": "alb"}, ["10.0.0.0/16"])["Ingress"]["metadata"]["annotations"]
    own = "alb.ingress.kubernetes.io"
    assert notes[f"{own}/target-type"] == "ip"
    assert notes[f"{own}/healthcheck-path"] == "/health"
    assert notes[f"{own}/load-balancer-attributes"] == "idle_timeout.timeout_seconds=3600"


def test_googles_ingress_finds_health_and_timeout_by_the_service() -> None:
    objects = declared("gke", {**INGRESS, "className": "gce"}, GOOGLE)
    config = objects["BackendConfig"]
    assert config["spec"]["timeoutSec"] == 3600
    assert config["spec"]["healthCheck"]["requestPath"] == "/health"
    named = objects["Service"]["metadata"]["annotations"]["cloud.google.com/backend-config"]
    assert config["metadata"]["name"] in named


def test_a_sites_annotations_and_certificate_stand_over_ours() -> None:
    way: dict[str, Any] = {**INGRESS, "className": "nginx", "tlsSecret": "llm-tls"}
    way["annotations"] = {"nginx.ingress.kubernetes.io/proxy-read-timeout": "60", "cert-manager.io/issuer": "site"}
    ingress = declared("kubeadm", way, ["ingress-nginx"])["Ingress"]
    assert ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-read-timeout"] == "60"
    assert ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-send-timeout"] == "3600"
    assert ingress["metadata"]["annotations"]["cert-manager.io/issuer"] == "site"
    assert ingress["spec"]["tls"] == [{"hosts": ["llm.example.com"], "secretName": "llm-tls"}]


# Platform, route, whom the namespace admits, and what the refusal says is missing; nothing: it is taken.
ADMITTED: dict[str, tuple[str, dict[str, Any], list[str], tuple[str, ...]]] = {
    "Google's gateway, whose probes nobody admits": ("gke", GATEWAY, ["edge"], ("add 35.191.0.0/16",)),
    "half of Google's addresses": ("gke", GATEWAY, GOOGLE[:1], ("add 130.211.0.0/22",)),
    "Google's addresses": ("gke", GATEWAY, GOOGLE, ()),
    "Google's ingress, whose probes nobody admits": ("gke", {**INGRESS, "className": "gce"}, [], ("add 35.191",)),
    "a gateway's namespace": ("kubeadm", GATEWAY, ["edge"], ()),
    "another namespace than the gateway's": ("kubeadm", GATEWAY, ["other"], ("behind a gateway there", "add edge")),
    "a Google gateway off GKE": ("kubeadm", {**GATEWAY, "implementation": "gke"}, ["edge"], ("add 35.191",)),
    "an ALB behind a namespace": ("eks", {**INGRESS, "className": "alb"}, ["kube-system"], ("subnets",)),
    "an ALB's subnets": ("eks", {**INGRESS, "className": "alb"}, ["10.0.0.0/16"], ()),
    "an Ingress that nobody admits": ("kubeadm", {**INGRESS, "className": "haproxy"}, [], ("ingress controller",)),
    "an Ingress's namespace": ("kubeadm", {**INGRESS, "className": "haproxy"}, ["haproxy"], ()),
}


@pytest.mark.parametrize("name", ADMITTED)
def test_a_route_whose_callers_the_namespace_refuses_is_refused(name: str) -> None:
    platform, route, admitted, words = ADMITTED[name]
    one = profile(platform, route, admitted)
    if not words:
        assert load(one).serving
        return
    with pytest.raises(ProfileError) as refused:
        load(one)
    lines = str(refused.value).splitlines()
    assert any(says(line, ("tenancy.teams[0].ingressFrom", *words)) for line in lines), lines


def test_addresses_are_let_in_as_addresses_and_names_as_namespaces() -> None:
    from bedplate.components.tenancy.isolation import policies

    loaded = load(profile("gke", GATEWAY, [*GOOGLE, "edge"]))
    assert loaded.tenancy
    (rule,) = dict(policies(loaded.tenancy.teams[0], facts(loaded)))["callers"]["ingress"]
    named = {"kubernetes.io/metadata.name": "edge"}
    assert rule["from_"] == [
        *({"ip_block": {"cidr": cidr}} for cidr in GOOGLE),
        {"namespace_selector": {"match_labels": named}},
    ]


def test_a_caller_that_is_no_network_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"ingressFrom\[0\] = 10.0.0.1/8"):
        load(profile("gke", GATEWAY, ["10.0.0.1/8"]))
