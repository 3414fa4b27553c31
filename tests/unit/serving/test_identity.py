"""Whose rights a server has to its bucket: a service account that is made or looked up, or keys in a Secret."""

from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.facts import Args, NodeCache
from bedplate.components.manifest import typed
from bedplate.components.serving import vllm
from bedplate.components.serving.section import ServingSection
from bedplate.components.serving.servers import used
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer, helm_values
from bedplate.components.serving.weights import HubWeights
from bedplate.components.workload.identity import ServiceAccount, manifests, pod_labels
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.unit.test_allocatable import profile

ROLE = {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/reader"}
OWN = {"name": "reader", "annotations": ROLE}
OF_AZURE = {"azure.workload.identity/client-id": "0-1"}
KEYS: dict[str, Any] = {"endpoint": "https://store.example.com", "secretName": "store-keys"}


def served(kind: str = "vllm", on: tuple[str, str] = ("eks", "g6e.xlarge"), **rights: Any) -> Any:
    weights = {"kind": "bucket", "url": "s3://models/llama", **rights}
    server = {
        "kind": kind,
        "name": "llama",
        "namespace": "team",
        "pool": "gpu",
        "model": "llama-3.1-8b",
        "weights": weights,
    }
    document = profile(*on)
    own = {"podCidr": "10.1.0.0/16", "serviceCidr": "172.20.0.0/16", "nodeCidrs": ["10.1.0.0/16"]}
    team = {"name": "team", "rdma": False, "egress": ["0.0.0.0/0"]}
    return load({**document, "clusterNetwork": own, "tenancy": {"teams": [team]}, "serving": {"servers": [server]}})


def container(found: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    server = found.serving.servers[0]
    assert isinstance(server, VllmServer)
    spec = vllm.manifests(server, facts(found), surge=False)[0]["spec"]["template"]["spec"]
    return spec, {one["name"]: one.get("value", one.get("valueFrom")) for one in spec["containers"][0]["env"]}


def test_an_account_with_annotations_is_made_and_named_by_the_pods() -> None:
    found = served(serviceAccount=OWN)
    (made,) = manifests(used(found.serving, facts(found)))
    assert made["metadata"] == {"name": "reader", "namespace": "team", "annotations": ROLE}
    assert typed(made["kind"]) is not None
    assert container(found)[0]["serviceAccountName"] == "reader"
    assert [one for one in facts(found).existing if one.kind == "ServiceAccount"] == []


def test_an_account_by_its_name_alone_is_looked_up_under_the_key_that_names_it() -> None:
    found = served(serviceAccount="reader")
    assert manifests(used(found.serving, facts(found))) == []
    (there,) = [one for one in facts(found).existing if one.kind == "ServiceAccount"]
    assert (there.identity, there.key) == ("team/reader", "serving.servers[0].weights.serviceAccount")
    assert container(found)[0]["serviceAccountName"] == "reader"


def test_two_servers_of_a_namespace_share_one_account() -> None:
    one = ServiceAccount.model_validate(OWN)
    assert len(manifests([("team", one), ("team", one), ("other", one), ("team", "there"), ("team", None)])) == 2


def test_keys_of_another_store_come_from_a_secret_by_reference_and_its_address_as_it_is() -> None:
    spec, env = container(served(**KEYS))
    assert "serviceAccountName" not in spec
    assert env["AWS_ENDPOINT_URL"] == KEYS["endpoint"]
    assert env["RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING"] == "0"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        assert env[name] == {"secretKeyRef": {"name": "store-keys", "key": name}}


@pytest.mark.parametrize("rights", [{"serviceAccount": OWN}, KEYS], ids=["account", "keys"])
def test_the_charts_engines_have_the_same(rights: dict[str, Any]) -> None:
    found = served("vllm-stack", **rights)
    server = found.serving.servers[0]
    assert isinstance(server, VllmStackServer)
    assert isinstance(found.serving, ServingSection)
    model = helm_values(Args(server, facts(found)))["servingEngineSpec"]["modelSpec"][0]
    assert (model.get("serviceAccountName") == "reader") == ("serviceAccount" in rights)
    named = [one["valueFrom"]["secretKeyRef"]["name"] for one in model["env"] if "valueFrom" in one]
    assert named == (["store-keys"] * 2 if rights is KEYS else [])


def test_the_charts_own_home_of_the_hub_is_not_set_twice() -> None:
    found = served("vllm-stack", **KEYS)
    server = found.serving.servers[0].model_copy(update={"weights": HubWeights(kind="hugging-face", repository="a/b")})
    cache = NodeCache("/cache", {"hostPath": {"path": "/mnt"}}, "/mnt")
    args = Args(server, replace(facts(found), cache=cache))
    env = {one["name"]: one.get("value") for one in helm_values(args)["servingEngineSpec"]["modelSpec"][0]["env"]}
    assert "HF_HOME" not in env, "the chart writes it (helm/templates/deployment-vllm-multi.yaml)"
    assert env["HF_HUB_CACHE"] == "/cache/huggingface/hub"


@pytest.mark.parametrize(
    ("store", "by_host"),
    [
        ("https://cwobject.com", "1"),
        ("http://cwlota.com", "1"),
        ("https://region.cwobject.com:443/", "1"),
        ("https://not-cwobject.com", "0"),
        ("https://cwobject.com.example.org", "0"),
    ],
)
def test_a_store_that_knows_buckets_by_host_alone_is_asked_so(store: str, by_host: str) -> None:
    stated: dict[str, Any] = {**KEYS, "endpoint": store}
    env = container(served(**stated))[1]
    assert env["RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING"] == by_host


@pytest.mark.parametrize("account", ["reader", {"name": "reader", "annotations": OF_AZURE}])
def test_pods_that_stream_from_azure_name_the_storage_account_and_are_seen_by_its_webhook(account: object) -> None:
    found = served(
        "vllm", ("aks", "NC24ads_A100_v4"), url="az://models/llama", account="store0", serviceAccount=account
    )
    server = found.serving.servers[0]
    pod = vllm.manifests(server, facts(found), surge=False)[0]["spec"]["template"]
    assert pod["metadata"]["labels"]["azure.workload.identity/use"] == "true"
    assert container(found)[1]["AZURE_STORAGE_ACCOUNT_NAME"] == "store0"
    assert "az://models/llama" in pod["spec"]["containers"][0]["command"]


def test_azures_webhook_finds_the_pods_of_an_account_that_it_serves() -> None:
    tied = ServiceAccount(name="reader", annotations=OF_AZURE)
    assert pod_labels(tied) == {"azure.workload.identity/use": "true"}
    assert pod_labels("reader") == pod_labels(ServiceAccount.model_validate(OWN)) == {}


@pytest.mark.parametrize("url", ["az://weights/../other", "s3://models/./llama", "gs://models/llama/.."])
def test_an_address_that_leads_elsewhere_than_it_says_is_refused(url: str) -> None:
    with pytest.raises(ProfileError) as raised:
        served(url=url)
    (line,) = str(raised.value).splitlines()
    assert "serving.servers[0].weights.url" in line
    assert "its part . or .. leads elsewhere; write the path without it" in line


def test_dots_within_a_name_are_taken() -> None:
    assert served(url="s3://models/llama-3.1..8b/v1.0", **KEYS)
