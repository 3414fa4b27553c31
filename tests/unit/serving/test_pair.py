"""A pair: one object for both halves, one way in, and what each half's pods carry."""

from typing import Any

import pytest
import yaml

from bedplate.components.facts import Args
from bedplate.components.serving import pair
from bedplate.components.serving.servers import made
from bedplate.components.serving.sidecar import BEHIND, SIZE
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.crds import faults, is_custom
from tests.tools.golden_objects import PROFILES
from tests.unit.checks.case import edited

PROFILE = PROFILES / "pair-h200-ib.yaml"
PROMPTS, ANSWERS = "serving.servers.0.", "serving.servers.1."


def objects(changes: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    loaded = load(edited(yaml.safe_load(PROFILE.read_text()), changes or {}))
    assert loaded.serving
    return [one for one, _ in made(Args(loaded.serving, facts(loaded)))]


def of(kind: str, name: str = "", changes: dict[str, Any] | None = None) -> dict[str, Any]:
    (found,) = (one for one in objects(changes) if one["kind"] == kind and name in ("", one["metadata"]["name"]))
    return found


def pods(changes: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """The one template of each role."""
    roles = of(pair.KIND, changes=changes)["spec"]["roles"]
    return {role["name"]: role["spec"]["leaderWorkerTemplate"]["workerTemplate"] for role in roles}


def test_both_halves_are_roles_of_one_set_and_no_other_workload_is_made() -> None:
    workloads = {one["kind"] for one in objects()} & {"Deployment", "LeaderWorkerSet", pair.KIND}
    assert workloads == {pair.KIND, "Deployment"}  # the picker's
    roles = of(pair.KIND)["spec"]["roles"]
    assert [role["name"] for role in roles] == ["prefill", "decode"]
    assert all(role["scaling"] == {"mode": "External"} and "replicas" not in role["spec"] for role in roles)


def test_every_object_is_what_its_crd_takes() -> None:
    assert [fault for one in objects() if is_custom(one) for fault in faults(one)] == []


def test_each_half_scales_by_the_object_that_the_controller_makes_for_its_role() -> None:
    """`<set>-<role>`: scaler_manager.go of kubernetes-sigs/lws v0.10.0."""
    for server, role in (("prompts", "prefill"), ("answers", "decode")):
        target = of("ScaledObject", server)["spec"]["scaleTargetRef"]
        assert target == {"apiVersion": pair.API, "kind": pair.SCALER, "name": f"llama-{role}"}


def test_a_half_without_autoscaler_has_its_own_replicas() -> None:
    fixed = {f"{PROMPTS}maxReplicas": 2, f"{PROMPTS}scaling": None}
    prefill, decode = of(pair.KIND, changes=fixed)["spec"]["roles"]
    assert "scaling" not in prefill
    assert prefill["spec"]["replicas"] == 2
    assert decode["scaling"] == {"mode": "External"}


def test_each_half_waits_in_the_teams_queue_by_the_labels_of_its_group() -> None:
    """The controller copies them to the LeaderWorkerSet that it makes (lws_manager.go), and Kueue reads them there."""
    for role in of(pair.KIND)["spec"]["roles"]:
        assert role["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "default"


def test_nobody_waits_for_a_status_that_the_controller_never_writes() -> None:
    """LWS v0.10.0, run against a real API server: its DisaggregatedSets stay without a status, also when all is ready."""
    whole = of(pair.KIND)
    assert not any(
        "annotations" in one for one in (whole["metadata"], *(r["metadata"] for r in whole["spec"]["roles"]))
    )


def test_the_answering_half_is_asked_by_way_of_the_sidecar_on_the_port_that_everybody_asks() -> None:
    decode, prefill = (pods()[role]["spec"] for role in ("decode", "prefill"))
    (sidecar,) = decode["initContainers"]
    (server,) = decode["containers"]
    assert sidecar["restartPolicy"] == "Always"
    assert {"--port=8000", f"--model-server-port={BEHIND}", "--kv-connector=nixlv2"} <= set(sidecar["args"])
    assert server["command"][server["command"].index("--port") + 1] == str(BEHIND)
    assert {server[f"{one}Probe"]["httpGet"]["port"] for one in ("startup", "readiness", "liveness")} == {BEHIND}
    assert "initContainers" not in prefill
    assert prefill["containers"][0]["startupProbe"]["httpGet"]["port"] == 8000
    assert of("Service", "answers")["spec"]["ports"][0]["port"] == 8000


def test_the_sidecar_takes_of_the_pods_share_and_not_besides() -> None:
    """A server with a whole node has all that the node gives: a container more would never be placed."""
    loaded = load(yaml.safe_load(PROFILE.read_text()))
    whole = facts(loaded).pool("h200").allocatable.millicores // 1000
    (server,) = pods()["decode"]["spec"]["containers"]
    cpus = int(server["resources"]["requests"]["cpu"]) + int(SIZE["cpu"])
    assert cpus <= whole
    assert server["resources"]["requests"] == server["resources"]["limits"]
    alone = {f"{ANSWERS}route": None}
    (other,) = pods(alone)["decode"]["spec"]["containers"]
    assert int(other["resources"]["requests"]["cpu"]) == cpus
    assert "initContainers" not in pods(alone)["decode"]["spec"]


def test_the_pool_has_the_pods_of_both_halves_and_the_picker_tells_them_apart() -> None:
    selector = of("InferencePool")["spec"]["selector"]["matchLabels"]
    lws = {"leaderworkerset.sigs.k8s.io/worker-index": "0"}  # its own webhook writes it
    for role, template in pods().items():
        labels = template["metadata"]["labels"] | lws
        assert selector.items() <= labels.items()
        assert labels["llm-d.ai/role"] == role
    picker = of("Deployment")["spec"]["template"]["metadata"]["labels"]
    assert not selector.items() <= picker.items()


def test_a_request_stays_with_one_revision_and_always_names_who_reads_the_prompt() -> None:
    """Else a client's own header would: the sidecar sends to whatever address stands in it."""
    config = yaml.safe_load(of("ConfigMap")["data"]["plugins.yaml"])
    by_type = {one["type"]: one.get("parameters") for one in config["plugins"]}
    screener = by_type["disaggregatedset-rollout-screener"]
    assert screener["scope"]["labelSelector"] == "disaggregatedset.x-k8s.io/name=llama"
    assert screener["revisionGating"]["requireRoles"]["values"] == ["prefill", "decode"]
    assert by_type["disagg-profile-handler"]["deciders"] == {"prefill": "always-disagg-pd-decider"}
    assert {one["pluginRef"] for each in config["schedulingProfiles"] for one in each["plugins"]} <= set(by_type)
    (container,) = of("Deployment")["spec"]["template"]["spec"]["containers"]
    assert "--allow-experimental-plugins=true" in container["args"]
    assert of("InferencePool")["spec"]["endpointPickerRef"]["failureMode"] == "FailClose"


@pytest.mark.parametrize(("nodes", "surge"), [(6, 1), (4, 0)])
def test_a_rollout_adds_before_it_takes_where_both_halves_have_room_for_one_more(nodes: int, surge: int) -> None:
    """16 of the 32 GPUs at the most are the prompt half's, 16 the other's; one more of each takes 12."""
    for role in of(pair.KIND, changes={"pools.1.nodes": nodes})["spec"]["roles"]:
        rolling = role["spec"]["rolloutStrategy"]["rollingUpdateConfiguration"]
        assert rolling == {"maxSurge": surge, "maxUnavailable": 1 - surge}


def test_the_longest_name_of_a_pair_makes_services_that_can_be_created() -> None:
    longest = "x" * pair.LONGEST
    assert len(f"{longest}-0-{'f' * 8}-prefill-prv") == 63


def test_a_pair_may_take_as_long_as_both_halves() -> None:
    loaded = load(yaml.safe_load(PROFILE.read_text()))
    assert loaded.serving
    every = list(made(Args(loaded.serving, facts(loaded))))
    (whole,) = (seconds for one, seconds in every if one["kind"] == pair.KIND)
    assert whole == sum(seconds for one, seconds in every if one["kind"] == "ServiceMonitor")
