"""A server that cannot work is refused with the key, the value, the reason and a fix."""

from typing import Any

import pytest

from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.refusals import says
from tests.stack_files import document

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
HUB = {"kind": "hugging-face", "repository": "org/model"}
S = "serving.servers[0]."

# The stack, what is changed in its server, and what the message must say.
BAD: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "two GPUs are too few": (
        ROCE,
        {"tensorParallel": 2},
        (
            f"{S}tensorParallel = 2",
            "141 GB",
            "70.6 GB on each GPU, 77.6 GB while they load, of 76.5 GB",
            "use more GPUs",
        ),
    ),
    "no room for one request": (
        ROCE,
        {"maxModelLen": 1_000_000, "env": {"VLLM_ALLOW_LONG_MAX_MODEL_LEN": "1"}},
        (f"{S}tensorParallel", "one request of 1000000 wants a tenth more", "maxModelLen"),
    ),
    "heads do not divide": (ROCE, {"tensorParallel": 3}, (f"{S}tensorParallel = 3", "64 heads", "1, 2, 4, 8")),
    "more GPUs than a node has": (ROCE, {"tensorParallel": 16}, (f"{S}tensorParallel", "has 8 GPUs", "pipeline")),
    "unknown model": (ROCE, {"model": "gpt-5"}, (f"{S}model", "gpt-5", "glm-5", "its facts in full")),
    "more replicas than GPUs": (
        ROCE,
        {"maxReplicas": 17},
        ("serving.servers = 68 GPUs", "pool h100", "has 64", "lower maxReplicas"),
    ),
    "more than the team's part": (
        ROCE,
        {"maxReplicas": 7},
        ("tenancy.teams[1].gpus.h100 = 24", "need 28 GPUs", "lower maxReplicas"),
    ),
    "a gateway that the namespace refuses": (
        ROCE,
        {"route": {"kind": "gateway", "gateway": "llm", "gatewayNamespace": "edge", "hostnames": ["llm.example.com"]}},
        ("tenancy.teams[1].ingressFrom", "behind a gateway", "add edge"),
    ),
    "namespace of nobody": (ROCE, {"namespace": "nobody"}, (f"{S}namespace", "nobody", "research, serving")),
    "pool without GPUs": (ROCE, {"pool": "system"}, (f"{S}pool", "system", "use h100")),
    "sliced GPUs": (L40S, {"pool": "a100-mig"}, (f"{S}pool", "a100-mig", "cut into slices", "1g.10gb")),
    "no such volume": (
        ROCE,
        {"weights": {"kind": "volume", "volume": "datasets", "directory": "x"}},
        (f"{S}weights.volume", "datasets", "namespace serving has no such volume", "models"),
    ),
    "no such cache": (L40S, {"weights": {**HUB, "cache": "tmp"}}, (f"{S}weights.cache", "tmp", "models")),
    "nothing keeps the download": (L40S, {"weights": HUB}, (f"{S}weights.cache = absent", "storage.cache")),
    "unknown kind of weights": (ROCE, {"weights": {"kind": "s3"}}, (f"{S}weights.kind", "s3", "'hugging-face'")),
    "no more at the most": (ROCE, {"maxReplicas": 1}, (f"{S}maxReplicas", "less than replicas 2")),
    "scaling without room": (ROCE, {"maxReplicas": None}, (f"{S}scaling", "belong together")),
    "room without scaling": (ROCE, {"scaling": None}, (f"{S}scaling = absent", "belong together")),
    "metric of another server": (
        ROCE,
        {"scaling": {"metric": "requests-pending", "target": 5}},
        (f"{S}scaling.metric", "requests-pending", "requests-waiting"),
    ),
    "more than the whole cache": (
        ROCE,
        {"scaling": {"metric": "kv-cache", "target": 80}},
        (f"{S}scaling.target", "80", "0 to 1"),
    ),
    "the chart scales by KEDA": (L40S, {"kind": "vllm-stack"}, ("autoscaling.kind", "prometheus-adapter", "keda")),
    "a group without its controller": (
        ROCE,
        {"tensorParallel": 8, "pipelineParallel": 2, "maxReplicas": 2, "scaling": None},
        ("training.leaderWorkerSet = absent", "leaderWorkerSet: {}"),
    ),
}


def bad(name: str) -> dict[str, Any]:
    stack, change, _ = BAD[name]
    profile = document(stack)
    profile.get("training", {}).pop("leaderWorkerSet", None)
    profile["serving"]["servers"][0] |= change
    return profile


def refused(profile: dict[str, Any]) -> list[str]:
    with pytest.raises(ProfileError) as error:
        load(profile)
    return str(error.value).splitlines()


@pytest.mark.parametrize("name", BAD)
def test_a_server_that_cannot_work_is_refused(name: str) -> None:
    said = refused(bad(name))
    assert any(says(line, BAD[name][2]) for line in said), said


@pytest.mark.parametrize("section", ["monitoring", "autoscaling"])
def test_scaling_needs_someone_who_measures_and_someone_who_answers(section: str) -> None:
    profile = document(ROCE)
    del profile[section]
    assert any(line.startswith(f"bedplate:profile: {section} = absent") for line in refused(profile))


def test_a_volume_for_one_node_is_refused_for_several_replicas() -> None:
    profile = document(L40S)
    profile["storage"]["existingClasses"][0]["kind"] = "block"
    profile["storage"]["volumes"][0]["mode"] = "ReadWriteOnce"
    assert any("weights.cache = models" in line and "ReadWriteOnce" in line for line in refused(profile))


def test_a_download_needs_a_way_out() -> None:
    profile = document(L40S)
    del profile["tenancy"]["teams"][0]["egress"]
    assert any("tenancy.teams[0].egress = absent" in line for line in refused(profile))


def test_two_servers_of_one_name_are_refused() -> None:
    profile = document(ROCE)
    profile["serving"]["servers"] *= 2
    assert any("another server there has this name" in line for line in refused(profile))


def test_a_model_may_be_given_by_its_facts() -> None:
    profile = document(ROCE)
    profile["serving"]["servers"][0]["model"] = {"billions": 70, "layers": 80, "heads": 64, "kvHeads": 8}
    assert load(profile).serving
