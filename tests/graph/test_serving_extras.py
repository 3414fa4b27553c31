"""LoRA adapters, and KV caches that one server hands to another: what vLLM is told, and what its pod has."""

import json
from typing import Any

import pytest

from bedplate.components.serving.kv_transfer import BACKENDS, FIELDS, arguments, environment
from tests.graph.test_serving import ROCE, declared, with_server

ADAPTERS = [{"name": "sql", "directory": "adapters/sql"}, {"name": "legal", "directory": "adapters/legal"}]


def container(change: dict[str, Any]) -> dict[str, Any]:
    return declared(with_server(ROCE, change))["Deployment"]["spec"]["template"]["spec"]["containers"][0]


def after(words: list[str], flag: str) -> str:
    return words[words.index(flag) + 1]


def test_adapters_are_loaded_from_the_volume_of_the_weights_by_their_names() -> None:
    words = container({"adapters": ADAPTERS, "maxLoraRank": 64})["command"]
    assert "--enable-lora" in words
    assert (after(words, "--max-loras"), after(words, "--max-lora-rank")) == ("2", "64")
    at = words.index("--lora-modules")
    assert words[at + 1 : at + 3] == ["sql=/models/adapters/sql", "legal=/models/adapters/legal"]


def test_a_server_without_them_is_told_nothing_of_them() -> None:
    words = container({})["command"]
    assert not {"--enable-lora", "--lora-modules", "--kv-transfer-config"} & set(words)


def test_a_cache_goes_by_rdma_or_not_at_all() -> None:
    pod = container({"kvTransfer": {"role": "both"}})
    told = json.loads(after(pod["command"], "--kv-transfer-config"))
    assert told == {"kv_connector": "NixlConnector", "kv_role": "kv_both"}
    env = {one["name"]: one for one in pod["env"]}
    assert "tcp" not in env["UCX_TLS"]["value"].split(",")
    assert env["VLLM_NIXL_SIDE_CHANNEL_HOST"]["valueFrom"]["fieldRef"]["fieldPath"] == "status.podIP"
    assert [name for name in pod["resources"]["limits"] if name.startswith("rdma/")]
    assert pod["securityContext"]["capabilities"]["add"] == ["IPC_LOCK"]


@pytest.mark.parametrize(("role", "part"), [("prefill", "kv_producer"), ("decode", "kv_consumer"), ("both", "kv_both")])
def test_each_half_of_a_pair_is_told_its_part(role: str, part: str) -> None:
    assert json.loads(arguments(role, "infiniband")[1])["kv_role"] == part


def test_a_cache_goes_over_the_rails_and_not_over_the_cards_of_storage() -> None:
    profile = with_server(ROCE, {"kvTransfer": {"role": "both"}})
    profile["fabric"]["hcas"] = rails = [f"mlx5_{number}" for number in range(8)]
    env = declared(profile)["Deployment"]["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {one["name"]: one.get("value") for one in env}["UCX_NET_DEVICES"] == ",".join(f"{one}:1" for one in rails)


@pytest.mark.parametrize("fabric", BACKENDS)
def test_each_fabric_has_its_plug_in_and_none_of_them_tcp(fabric: str) -> None:
    told = json.loads(arguments("both", fabric)[1])
    named = told.get("kv_connector_extra_config", {}).get("backends")
    assert named == (["LIBFABRIC"] if fabric == "efa" else None)
    assert environment(fabric) == ({} if fabric == "efa" else environment("roce"))
    assert set(FIELDS) == {"VLLM_NIXL_SIDE_CHANNEL_HOST"}
