"""What a server declares: one shape for all kinds, and names that agree with whoever reads them."""

import copy
from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.scheduling import kueue_queues
from bedplate.components.scheduling.kueue import KueueSection, configuration
from bedplate.components.serving.servers import manifests
from bedplate.components.serving.vllm_stack import CHART, VllmStackServer, helm_values
from bedplate.components.workload.contract import QUEUE_KEYS
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.crds import faults, is_custom
from tests.helm_keys import key_faults
from tests.stack_files import STACKS, document, graph, graph_of, known, kubernetes, profile

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
TRITON = {
    "kind": "triton",
    "name": "ranker",
    "namespace": "serving",
    "pool": "h100",
    "weights": {"kind": "volume", "volume": "models", "directory": "ranker"},
    "replicas": 2,
    "maxReplicas": 4,
    "scaling": {"metric": "requests-pending", "target": 10},
}


def with_server(stack: str, change: dict[str, Any], **sections: Any) -> dict[str, Any]:
    """The stack with one server, changed, and further sections."""
    one = document(stack) | sections
    server = one["serving"]["servers"][0] | change
    one["serving"]["servers"] = [{key: value for key, value in server.items() if value is not None}]
    return one


def declared(one: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The objects of its first server by kind."""
    loaded = load(one)
    assert loaded.serving
    args = Args(loaded.serving, facts(loaded))
    return {manifest["kind"]: manifest for manifest in manifests(loaded.serving.servers[0], args)}


GROUP = with_server(
    ROCE,
    {
        "model": "llama-3.1-405b",
        "tensorParallel": 8,
        "pipelineParallel": 2,
        "replicas": 1,
        "maxReplicas": 2,
        "weights": {"kind": "volume", "volume": "models", "directory": "llama-405b"},
    },
    training={"leaderWorkerSet": {}},
)
GROUP["tenancy"]["teams"][1]["gpus"] = {"h100": 32}
KINDS = {
    "keda": document(ROCE),
    "hpa": document(L40S),
    "group": GROUP,
    "triton": {**document(ROCE), "serving": {"servers": [TRITON]}},
}


def pods(objects: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    if "Deployment" in objects:
        return [objects["Deployment"]["spec"]["template"]]
    template = objects["LeaderWorkerSet"]["spec"]["leaderWorkerTemplate"]
    return [template["leaderTemplate"], template["workerTemplate"]]


@pytest.mark.parametrize("kind", KINDS)
def test_every_server_starts_slowly_answers_when_ready_and_knows_no_neighbours(kind: str) -> None:
    leader = pods(declared(KINDS[kind]))[0]["spec"]
    container = leader["containers"][0]
    assert leader["enableServiceLinks"] is False
    start, ready, alive = (container[f"{name}Probe"] for name in ("startup", "readiness", "liveness"))
    assert start["failureThreshold"] * start["periodSeconds"] >= 600
    paths = [probe["httpGet"]["path"] for probe in (start, ready, alive)]
    if kind == "triton":
        assert paths == ["/v2/health/ready", "/v2/health/ready", "/v2/health/live"]
    else:
        assert paths == ["/v1/models", "/v1/models", "/health"]
    shm = next(volume for volume in leader["volumes"] if volume["name"] == "shm")
    assert int(shm["emptyDir"]["sizeLimit"].removesuffix("Gi")) >= 16
    assert container["resources"]["requests"] == container["resources"]["limits"]


@pytest.mark.parametrize("kind", KINDS)
def test_service_budget_and_monitor_find_the_servers_pods(kind: str) -> None:
    objects = declared(KINDS[kind])
    leader = pods(objects)[0]["metadata"]["labels"] | {"leaderworkerset.sigs.k8s.io/worker-index": "0"}
    service, budget, monitor = (objects[one] for one in ("Service", "PodDisruptionBudget", "ServiceMonitor"))
    assert service["spec"]["selector"].items() <= leader.items()
    assert budget["spec"]["selector"]["matchLabels"].items() <= leader.items()
    assert budget["spec"]["maxUnavailable"] == 1
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert monitor["spec"]["endpoints"][0]["port"] in [port["name"] for port in service["spec"]["ports"]]


@pytest.mark.parametrize("kind", KINDS)
def test_one_autoscaler_decides_and_the_program_does_not_undo_it(kind: str) -> None:
    objects = declared(KINDS[kind])
    scalers = [objects[one] for one in ("HorizontalPodAutoscaler", "ScaledObject") if one in objects]
    assert len(scalers) == 1
    workload = objects.get("Deployment") or objects["LeaderWorkerSet"]
    target = scalers[0]["spec"]["scaleTargetRef"]
    assert (target["apiVersion"], target["kind"], target["name"]) == (
        workload["apiVersion"],
        workload["kind"],
        workload["metadata"]["name"],
    )
    assert "replicas" not in workload["spec"]


@pytest.mark.parametrize("kind", KINDS)
def test_custom_resources_are_valid_against_their_crds(kind: str) -> None:
    found = [one for one in declared(KINDS[kind]).values() if is_custom(one)]
    assert [fault for one in found for fault in faults(one)] == []


def scalers(graph: Graph) -> list[Any]:
    wanted = ("HorizontalPodAutoscaler", "ScaledObject")
    return [node.inputs for node in graph.resources if kubernetes(node) and node.inputs.get("kind") in wanted]


@pytest.mark.parametrize("stack", STACKS)
def test_an_hpas_metric_has_exactly_one_producer_of_the_same_name(stack: str) -> None:
    section = profile(stack).serving
    scaled = [server for server in section.servers if server.scaling] if section else []
    assert len(scalers(graph(stack))) == len(scaled)
    for scaler in scalers(graph(stack)):
        spec = scaler["spec"]
        if scaler["kind"] == "ScaledObject":
            assert known(stack).autoscaler == "keda"
            monitoring = known(stack).monitoring
            assert monitoring
            for trigger in spec["triggers"]:
                assert trigger["metadata"]["serverAddress"] == monitoring.url
                assert f'namespace="{scaler["metadata"]["namespace"]}"' in trigger["metadata"]["query"]
            continue
        names = [metric["pods"]["metric"]["name"] for metric in spec["metrics"]]
        adapter = next(n for n in graph(stack).resources if n.inputs.get("chart") == "prometheus-adapter")
        rules = adapter.inputs["values"]["rules"]["custom"]
        for name in names:
            assert [rule["name"]["as"] for rule in rules].count(name) == 1


def test_scaling_waits_two_minutes_to_grow_and_five_to_shrink() -> None:
    behaviour = declared(KINDS["hpa"])["HorizontalPodAutoscaler"]["spec"]["behavior"]
    assert behaviour["scaleUp"]["stabilizationWindowSeconds"] == 120
    assert behaviour["scaleDown"]["stabilizationWindowSeconds"] == 300
    assert behaviour["scaleUp"]["selectPolicy"] == "Max"
    loads = declared(KINDS["hpa"])["Deployment"]["spec"]["template"]["spec"]["containers"][0]["startupProbe"]
    period = loads["failureThreshold"] * loads["periodSeconds"]
    assert {one["periodSeconds"] for one in behaviour["scaleUp"]["policies"]} == {period}, "one is on its way so long"
    through_keda = declared(KINDS["keda"])["ScaledObject"]["spec"]["advanced"]["horizontalPodAutoscalerConfig"]
    assert through_keda["behavior"]["scaleDown"] == behaviour["scaleDown"]


def test_the_reference_cluster_serves_a_70b_model_on_four_gpus_two_to_six_times() -> None:
    objects = declared(KINDS["keda"])
    container = pods(objects)[0]["spec"]["containers"][0]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "4"
    command = " ".join(container["command"])
    assert command.startswith("vllm serve /models/llama-3.1-70b-instruct --served-model-name llama-70b ")
    assert "--tensor-parallel-size 4" in command
    spec = objects["ScaledObject"]["spec"]
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (2, 6)
    assert "NCCL_SOCKET_IFNAME" not in [one["name"] for one in container["env"]]


def test_a_rollout_surges_only_into_gpus_that_are_spare() -> None:
    full = declared(KINDS["keda"])["Deployment"]["spec"]["strategy"]["rollingUpdate"]
    assert full == {"maxSurge": 0, "maxUnavailable": 1}
    spare = declared(with_server(ROCE, {"maxReplicas": 5}))["Deployment"]["spec"]["strategy"]["rollingUpdate"]
    assert spare == {"maxSurge": 1, "maxUnavailable": 0}


def test_the_hubs_token_is_a_secret_of_the_namespace_and_only_named_in_the_pod() -> None:
    container = pods(declared(KINDS["hpa"]))[0]["spec"]["containers"][0]
    token = next(one for one in container["env"] if one["name"] == "HF_TOKEN")
    secret = next(node for node in graph(L40S).resources if node.name.endswith("/llama-8b-hub"))
    assert token["valueFrom"]["secretKeyRef"]["name"] == secret.inputs["metadata"]["name"]
    assert secret.inputs["metadata"]["namespace"] == "serving"
    assert token["valueFrom"]["secretKeyRef"]["key"] in secret.inputs["stringData"]


def test_only_the_pod_of_a_group_that_answers_has_a_port() -> None:
    leader, worker = (one["spec"]["containers"][0] for one in pods(declared(GROUP)))
    assert [port["name"] for port in leader["ports"]] == ["http"]
    assert not {"ports", "readinessProbe"} & worker.keys()


def test_a_group_shares_the_fabric_and_finds_its_leader_by_name() -> None:
    objects = declared(GROUP)
    template = objects["LeaderWorkerSet"]["spec"]["leaderWorkerTemplate"]
    leader, worker = (one["spec"]["containers"][0] for one in pods(objects))
    assert template["size"] == 2
    for container in (leader, worker):
        assert "rdma/rdma_shared_device_a" in container["resources"]["limits"]
        assert container["securityContext"]["capabilities"] == {"add": ["IPC_LOCK"]}
        assert {"$(LWS_LEADER_ADDRESS)", "$(LWS_WORKER_INDEX)"} <= set(container["command"])
    assert "--headless" in worker["command"]
    assert "--headless" not in leader["command"]
    assert "startupProbe" not in worker
    assert "serving-rail-0" in pods(objects)[1]["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"]


def stack_server(**change: Any) -> tuple[dict[str, Any], Args[VllmStackServer]]:
    one = with_server(ROCE, {"kind": "vllm-stack", **change})
    loaded = load(one)
    assert loaded.serving
    server = loaded.serving.servers[0]
    assert isinstance(server, VllmStackServer)
    return one, Args(server, facts(loaded))


def test_the_production_stack_asks_for_series_that_vllm_emits() -> None:
    one, args = stack_server()
    release = next(node for node in graph_of(one).resources if node.inputs.get("chart") == "vllm-stack")
    model = release.inputs["values"]["servingEngineSpec"]["modelSpec"][0]
    query = model["keda"]["triggers"][0]["metadata"]["query"]
    assert "vllm:num_requests_waiting" in query
    assert "model=" not in query
    assert 'service="llama-70b-llama-70b-engine-service"' in query
    assert key_faults(CHART.name, CHART.version, helm_values(args)) == []
    # A class of NVIDIA's would hand out GPUs by an environment variable; the device plugin needs none.
    assert helm_values(args)["servingEngineSpec"]["runtimeClassName"] == ""


def test_the_production_stack_has_our_priority_a_pinned_router_and_the_key_of_its_sessions() -> None:
    _, args = stack_server(routing="session", sessionKey="x-user-id")
    values = helm_values(args)
    router, model = values["routerSpec"], values["servingEngineSpec"]["modelSpec"][0]
    assert router["priorityClassName"] == model["priorityClassName"] == "inference"
    assert router["tag"] == f"v{CHART.version}"
    assert router["sessionKey"] == "x-user-id"
    assert key_faults(CHART.name, CHART.version, values) == []


def test_the_production_stacks_router_reaches_the_api_server_and_is_the_way_in() -> None:
    way = {"kind": "ingress", "className": "haproxy", "hostname": "llm.example.com", "tlsSecret": "llm-tls"}
    one = with_server(ROCE, {"kind": "vllm-stack", "route": way})
    one["tenancy"]["teams"][1]["ingressFrom"] = ["haproxy"]
    objects = declared(one)
    policy, ingress = objects["NetworkPolicy"]["spec"], objects["Ingress"]["spec"]
    assert policy["podSelector"]["matchLabels"] == {
        "app.kubernetes.io/name": "router",
        "app.kubernetes.io/instance": "llama-70b",
    }
    assert [port["port"] for port in policy["egress"][0]["ports"]] == [443, 6443]
    (path,) = ingress["rules"][0]["http"]["paths"]
    assert path["backend"]["service"] == {"name": "llama-70b-router-service", "port": {"number": 80}}
    assert ingress["tls"] == [{"hosts": ["llm.example.com"], "secretName": "llm-tls"}]
    assert {"NetworkPolicy", "Ingress"} <= {
        node.kind for node in graph_of(one).resources if ":Servers::" in node.parent
    }


@pytest.mark.parametrize("scheduler", ["kueue", "volcano", "kai"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_waits_in_its_teams_queue_by_whichever_scheduler_counts_gpus(kind: str, scheduler: str) -> None:
    one: dict[str, Any] = KINDS[kind] | {"scheduling": {"kind": scheduler}}
    team, queue = one["serving"]["servers"][0]["namespace"], QUEUE_KEYS[scheduler]
    objects = declared(one)
    work = objects.get("Deployment") or objects["LeaderWorkerSet"]
    named = work["metadata"]["annotations" if scheduler == "volcano" else "labels"][queue]
    assert named == ("default" if scheduler == "kueue" else team)
    for pod in pods(objects):
        assert pod["spec"].get("schedulerName") == {"volcano": "volcano", "kai": "kai-scheduler"}.get(scheduler)
        assert scheduler != "kai" or pod["metadata"]["labels"][queue] == team
        assert scheduler != "volcano" or pod["metadata"]["annotations"][queue] == team


def test_replicas_with_a_part_of_a_node_stand_together_and_leave_whole_nodes_to_training() -> None:
    (template,) = pods(declared(document(ROCE)))
    (wish,) = template["spec"]["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    term = wish["podAffinityTerm"]
    assert term["labelSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    assert (term["topologyKey"], term["namespaceSelector"]) == ("kubernetes.io/hostname", {})
    whole = with_server(ROCE, {"tensorParallel": 8, "replicas": 1, "maxReplicas": 3})
    assert "affinity" not in pods(declared(whole))[0]["spec"]


@pytest.mark.parametrize(
    ("scheduler", "where"),
    [("kueue", ["labels"]), ("volcano", ["podAnnotations"]), ("kai", ["labels", "podLabels"])],
)
def test_the_production_stacks_engines_wait_in_the_queue_too(scheduler: str, where: list[str]) -> None:
    loaded = load(with_server(ROCE, {"kind": "vllm-stack"}, scheduling={"kind": scheduler}))
    assert loaded.serving
    server = loaded.serving.servers[0]
    assert isinstance(server, VllmStackServer)
    values = helm_values(Args(server, facts(loaded)))["servingEngineSpec"]
    marked = [
        key
        for key in ("labels", "podLabels", "podAnnotations")
        if QUEUE_KEYS[scheduler] in values["modelSpec"][0].get(key, {})
    ]
    assert marked == where
    assert ("schedulerName" in values) is (scheduler != "kueue")


@pytest.mark.parametrize(
    ("route", "kind"),
    [
        (
            {
                "kind": "gateway",
                "gateway": "inference",
                "gatewayNamespace": "gateways",
                "hostnames": ["llm.example.com"],
            },
            "HTTPRoute",
        ),
        ({"kind": "ingress", "className": "haproxy", "hostname": "llm.example.com"}, "Ingress"),
    ],
)
def test_the_way_in_leads_to_the_servers_service(route: dict[str, Any], kind: str) -> None:
    one = with_server(ROCE, {"route": route})
    one["tenancy"]["teams"][1]["ingressFrom"] = ["gateways"]
    objects = declared(one)
    service = objects["Service"]
    assert f"'name': '{service['metadata']['name']}'" in str(objects[kind]["spec"])
    assert "llm.example.com" in str(objects[kind]["spec"])


def test_without_monitoring_and_scaling_a_server_is_just_its_replicas() -> None:
    one = with_server(ROCE, {"scaling": None, "maxReplicas": None})
    del one["monitoring"], one["autoscaling"]
    objects = declared(one)
    assert set(objects) == {"Deployment", "Service", "PodDisruptionBudget"}
    assert objects["Deployment"]["spec"]["replicas"] == 2


HUB_WEIGHTS = {"kind": "hugging-face", "repository": "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"}


def with_hub(change: dict[str, Any]) -> dict[str, Any]:
    """A server whose weights come from a hub, by way of the nodes' own disks."""
    one = with_server(ROCE, {"weights": HUB_WEIGHTS, "maxReplicas": None, "scaling": None, **change})
    one["storage"]["cache"] = {"kind": "host-path", "hostPath": "/mnt/cache"}
    one["tenancy"]["teams"][1]["egress"] = ["0.0.0.0/0"]
    return one


def seconds(timeout: str) -> int:
    return int(timeout.removesuffix("s"))


@pytest.mark.parametrize("replicas", [1, 3])
def test_helm_waits_for_the_chart_longer_than_all_its_replicas_may_take_to_load(replicas: int) -> None:
    one = with_hub({"kind": "vllm-stack", "replicas": replicas})
    release = next(node for node in graph_of(one).resources if node.inputs.get("chart") == "vllm-stack")
    probe = release.inputs["values"]["servingEngineSpec"]["startupProbe"]
    loading = probe["failureThreshold"] * probe["periodSeconds"]
    assert loading == 2390
    assert release.inputs["timeout"] >= replicas * (loading - 10) + 1800


@pytest.mark.parametrize("kind", ["vllm", "triton"])
def test_the_engine_waits_for_a_server_longer_than_its_own_deadline(kind: str) -> None:
    one = with_hub({"replicas": 6}) if kind == "vllm" else KINDS["triton"]
    nodes = [node for node in graph_of(one).resources if ":Servers::" in (node.parent or "")]
    (work,) = (node.inputs["spec"] for node in nodes if node.kind == "Deployment")
    probe = work["template"]["spec"]["containers"][0]["startupProbe"]
    rollout = (6 if kind == "vllm" else 4) * (probe["failureThreshold"] * probe["periodSeconds"] - 10) + 1800
    for node in nodes:
        limits = {seconds(node.options.timeouts[key]) for key in ("create", "update")}
        assert min(limits) > max(work["progressDeadlineSeconds"], rollout), node.name


def test_a_group_that_kueue_would_evict_while_it_loads_is_refused() -> None:
    one = with_hub({"replicas": 1, "pipelineParallel": 2, "tensorParallel": 8})
    one |= {"training": {"leaderWorkerSet": {}}, "scheduling": {"kind": "kueue", "podsReadyTimeout": 1800}}
    one["tenancy"]["teams"][1]["rdma"] = True
    with pytest.raises(ProfileError, match=r"scheduling.podsReadyTimeout = 1800: .* takes up to 4186 s .* use 4186 or"):
        load(one)
    one["scheduling"]["podsReadyTimeout"] = 4187
    assert load(one).serving
    one["scheduling"] = {"kind": "volcano"}
    assert load(one).serving


def test_kueue_waits_for_a_group_as_long_as_it_takes_to_load() -> None:
    for stack, seconds in ((GROUP, 3287), (document(ROCE), 2400), (document("lab"), 1800)):
        loaded = load(stack)
        assert isinstance(loaded.scheduling, KueueSection)
        waits = configuration(Args(loaded.scheduling, facts(loaded)))["waitForPodsReady"]
        assert waits["timeout"] == waits["recoveryTimeout"] == f"{seconds}s"


def queued_gpus(one: dict[str, Any]) -> dict[str, Any]:
    """What Kueue's queue of the team hands out of its pool, and what the team is entitled to."""
    known_ = facts(load(one))
    (flavor,) = (
        each
        for each in kueue_queues.cluster_queue(known_.team("serving"), known_)["resourceGroups"][0]["flavors"]
        if each["name"] == "h100"
    )
    quota = {each["name"]: each["nominalQuota"] for each in flavor["resources"]}
    return {"quota": quota["nvidia.com/gpu"], "part": str(known_.team("serving").gpus["h100"])}


def test_a_group_finds_in_its_queue_the_gpus_that_it_waits_there_for() -> None:
    one = copy.deepcopy(GROUP)
    one["scheduling"] = {"kind": "kueue"}
    found = queued_gpus(one)
    assert found["quota"] == found["part"] == "32"


def test_the_pods_of_every_server_find_their_gpus_in_the_queue_with_groups_and_without() -> None:
    one = document(ROCE)
    one["training"].pop("leaderWorkerSet", None)
    assert queued_gpus(one) == {"quota": "24", "part": "24"}
    one["training"]["leaderWorkerSet"] = {}
    assert queued_gpus(one) == {"quota": "24", "part": "24"}
