"""Every scheduler on every stack, with every controller: valid objects, live keys, queues that cover what jobs ask for."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.components.facts import Args, Facts
from bedplate.components.facts.queues import HOSTNAME
from bedplate.components.scheduling import kai_queues, kueue_queues, volcano_queues
from bedplate.components.scheduling.kai import KaiSection
from bedplate.components.scheduling.kueue import KueueSection, frameworks
from bedplate.components.scheduling.volcano import VolcanoSection
from bedplate.components.training.kustomization import variant
from bedplate.components.training.runtimes import runtimes
from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import chart, helm_sections, values
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.crds import faults
from tests.helm_keys import key_faults
from tests.stack_files import STACKS, document, graph_of

KINDS = ("kueue", "volcano", "kai")
LEVELS = ["example.com/spine", "example.com/rack"]


def with_scheduler(stack: str, kind: str, controllers: set[str], topology: dict[str, Any] | None = None) -> Profile:
    changes = {"scheduling": {"kind": kind, "topology": topology or {}}, "training": {key: {} for key in controllers}}
    profile = document(stack)
    profile.pop("verification", None)  # its job needs a controller that may not be among these
    return load(profile | changes)


def queue_objects(profile: Profile, known: Facts) -> Iterator[dict[str, Any]]:
    match profile.scheduling:
        case VolcanoSection() as section:
            yield from volcano_queues.queue_manifests(Args(section, known))
        case KueueSection():
            yield from kueue_queues.queue_manifests(known)
        case KaiSection():
            yield from kai_queues.queue_manifests(known)
        case None:
            return


def custom(manifest: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": manifest["api_version"], **{k: v for k, v in manifest.items() if k != "api_version"}}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(STACKS),
    st.sampled_from(KINDS),
    st.sets(st.sampled_from(sorted(CONTROLLERS))),
    st.sampled_from([{}, {"levels": LEVELS}, {"levels": []}, {"levels": LEVELS, "required": LEVELS[0]}]),
)
def test_any_choice_has_one_owner_and_queues_that_cover_what_its_nodes_have(
    stack: str, kind: str, controllers: set[str], topology: dict[str, Any]
) -> None:
    profile = with_scheduler(stack, kind, controllers, topology)
    known = facts(profile)
    objects = [custom(one) for one in queue_objects(profile, known)]

    assert [fault for one in objects for fault in faults(one)] == []
    assert known.scheduler.kind == kind
    assert known.scheduler.topology is not None
    assert known.scheduler.topology.levels[-1] == HOSTNAME
    for team in known.teams:
        assert_the_chain_resolves(kind, team.name, str(team.queue), objects, known)
    assert_gang_flags_name_the_one_scheduler(profile, known)


def assert_the_chain_resolves(kind: str, team: str, queue: str, objects: list[dict[str, Any]], known: Facts) -> None:
    """From the name on the job to the queue that counts; it covers all that a pod on any pool can ask for."""
    named = {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]): o["spec"] for o in objects}
    asked = {name for amounts in known.capacity.values() for name in amounts}
    for pool in known.fabric_pools:
        asked |= set(known.fabric.resources(pool, pool.gpus))
    match kind:
        case "kueue":
            target = named["LocalQueue", team, queue]["clusterQueue"]
            [group] = named["ClusterQueue", None, target]["resourceGroups"]
            assert asked <= set(group["coveredResources"])
            for flavor in group["flavors"]:
                assert {quota["name"] for quota in flavor["resources"]} == set(group["coveredResources"])
                assert named["Topology", None, named["ResourceFlavor", None, flavor["name"]]["topologyName"]]
        case "volcano":
            assert asked <= set(named["Queue", None, queue]["capability"])
            assert asked <= set(named["Queue", None, queue]["deserved"])
        case _:
            parent = named["Queue", None, queue]["parentQueue"]
            assert "parentQueue" not in named["Queue", None, parent]


def assert_gang_flags_name_the_one_scheduler(profile: Profile, known: Facts) -> None:
    """Operators ask Volcano for gangs if it is there; nobody asks for two."""
    assert variant("v0.8.2", known).endswith("-volcano") is (known.scheduler.kind == "volcano")
    training = profile.training
    if training and training.kuberay:
        name = values(training.kuberay, known).get("batchScheduler", {}).get("name")
        assert name == {"volcano": "volcano", "kai": "kai-scheduler"}.get(known.scheduler.kind)
    if training and training.leader_worker_set:
        written = values(training.leader_worker_set, known)
        assert ("gangSchedulingManagement" in written) is (known.scheduler.kind == "volcano")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stack", STACKS)
def test_every_helm_value_is_live_whatever_the_choice(stack: str, kind: str) -> None:
    for controllers in (set(CONTROLLERS), {"trainer"}):
        profile = with_scheduler(stack, kind, controllers, {"levels": LEVELS})
        known = facts(profile)
        said = [
            fault
            for path, section in helm_sections(profile)
            if path.startswith(("scheduling", "training"))
            for pinned in [chart(section)]
            for fault in key_faults(pinned.name, _as_filed(pinned.version), values(section, known))
        ]
        assert said == []


def _as_filed(version: str) -> str:
    """KAI tags its chart with a `v`; the data on its keys is filed without."""
    return version.removeprefix("v")


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 12),
    st.lists(st.tuples(st.integers(1, 5), st.one_of(st.none(), st.integers(0, 40))), min_size=1, max_size=5),
)
def test_teams_parts_add_up_to_the_pool_and_no_team_is_promised_what_is_not_there(
    nodes: int, wishes: list[tuple[int, int | None]]
) -> None:
    one = document("onprem-h100-roce")
    one["pools"][1]["nodes"] = nodes
    one["tenancy"]["teams"] = [
        {"name": f"team-{i}", "share": share, **({"gpus": {"h100": gpus}} if gpus is not None else {})}
        for i, (share, gpus) in enumerate(wishes)
    ]
    del one["storage"], one["serving"]
    fixed = sum(gpus or 0 for _, gpus in wishes)
    by_share = any(gpus is None for _, gpus in wishes)
    if fixed > nodes * 8 or (nodes == 0 and any(gpus is not None for _, gpus in wishes)):
        with pytest.raises(ProfileError, match=r"tenancy\.teams"):
            load(one)
        return
    known = facts(load(one))
    given_out = sum(team.gpus.get("h100", 0) for team in known.teams)
    assert given_out == (nodes * 8 if by_share else fixed)
    for resource, amount in known.capacity["h100"].items():
        assert sum(team.nominal.get("h100", {}).get(resource, 0) for team in known.teams) <= amount


def test_kueue_is_told_of_every_kind_that_a_controller_runs_and_of_no_other() -> None:
    built_in = ["batch/job", "pod", "deployment", "statefulset"]
    assert frameworks(facts(with_scheduler("lab", "kueue", set()))) == built_in
    told = frameworks(facts(with_scheduler("lab", "kueue", {"trainingOperator", "mpiOperator"})))
    assert told[4:] == [*(f"kubeflow.org/{kind}job" for kind in ("mpi", "pytorch", "tf", "xgboost", "paddle", "jax"))]


def test_kueues_configuration_holds_its_webhooks_to_the_teams_namespaces() -> None:
    profile = with_scheduler("lab", "kueue", {"jobset"})
    section = profile.scheduling
    assert isinstance(section, KueueSection)
    text = values(section, facts(profile))["managerConfig"]["controllerManagerConfigYaml"]
    config = yaml.safe_load(text)
    assert config["apiVersion"] == "config.kueue.x-k8s.io/v1beta2"
    assert config["manageJobsWithoutQueueName"] is True
    assert config["managedJobsNamespaceSelector"] == {"matchLabels": {"kueue-managed": "true"}}
    assert config["waitForPodsReady"]["timeout"] == "1800s"


def test_the_jobset_of_the_trainers_chart_gives_way_to_our_own() -> None:
    for controllers, theirs in (({"trainer"}, True), ({"trainer", "jobset"}, False)):
        profile = with_scheduler("lab", "kueue", controllers)
        assert profile.training
        assert profile.training.trainer
        written = values(profile.training.trainer, facts(profile))
        assert written["jobset"]["install"] is theirs


def test_volcano_is_told_the_domains_or_finds_them_by_label_but_never_both() -> None:
    for topology, discovers, made in (
        ({"levels": LEVELS}, True, 0),
        ({"levels": LEVELS, "domains": ["rack-1", "rack-2"]}, False, 3),
        ({"levels": []}, False, 0),
    ):
        profile = with_scheduler("onprem-h100-ib", "volcano", set(), topology)
        known = facts(profile)
        assert profile.scheduling
        custom = values(profile.scheduling, known)["custom"]
        assert ("controller_config_override" in custom) is discovers
        assert ("network-topology-aware" in custom["scheduler_config_override"]) is (topology["levels"] != [])
        nodes = [one for one in queue_objects(profile, known) if one["kind"] == "HyperNode"]
        assert len(nodes) == made


def test_volcanos_controllers_are_given_a_mapping_as_their_chart_makes_yaml_of_it_itself() -> None:
    profile = with_scheduler("onprem-h100-ib", "volcano", set(), {"levels": LEVELS})
    assert profile.scheduling
    told = values(profile.scheduling, facts(profile))["custom"]["controller_config_override"]
    [source] = told["networkTopologyDiscovery"]
    assert [one["nodeLabel"] for one in source["config"]["networkTopologyTypes"]["network"]][: len(LEVELS)] == LEVELS


@pytest.mark.parametrize(("scheduler", "given"), [("volcano", ["ClusterRole", "ClusterRoleBinding"]), ("kueue", [])])
def test_trainer_may_read_the_priority_classes_that_its_webhook_looks_up_for_volcano(
    scheduler: str, given: list[str]
) -> None:
    written = document("lab") | {"scheduling": {"kind": scheduler}, "training": {"jobset": {}, "trainer": {}}}
    bound = [node for node in graph_of(written).resources if node.name == "trainer-reads-priorities"]
    assert [node.kind for node in bound] == given
    for binding in bound[1:]:
        [account] = binding.inputs["subjects"]
        assert account["name"] == "trainer-kubeflow-trainer-controller-manager"
        assert account["namespace"] == "kubeflow-system"


def scheduler_of(stack: str) -> dict[str, Any]:
    """Volcano's configuration as the chart gets it."""
    profile = with_scheduler(stack, "volcano", set(), {"levels": LEVELS})
    assert profile.scheduling
    return yaml.safe_load(values(profile.scheduling, facts(profile))["custom"]["scheduler_config_override"])


def test_volcano_takes_back_lent_gpus_a_whole_job_at_a_time_and_lets_the_urgent_go_first() -> None:
    found = scheduler_of("onprem-h100-ib")
    actions = found["actions"].split(", ")
    assert actions.index("allocate") < actions.index("gangreclaim") < actions.index("gangpreempt")
    assert not {"reclaim", "preempt"} & set(actions), (
        "not beside the actions for single pods (gang-aware eviction design)"
    )


def test_volcano_enqueues_a_job_whose_gpus_are_lent_out() -> None:
    first, placement = ([plugin["name"] for plugin in tier["plugins"]] for tier in scheduler_of("lab")["tiers"])
    assert "overcommit" not in (*first, *placement)
    assert first == ["priority", "gang", "conformance", "capacity"]


def test_a_team_that_does_not_borrow_is_held_to_its_part_in_every_scheduler() -> None:
    one = document("lab")
    one["tenancy"]["teams"][1]["borrow"] = False
    limits: dict[str, Any] = {}
    for kind in KINDS:
        profile = load(one | {"scheduling": {"kind": kind}})
        named = {(o["kind"], o["metadata"]["name"]): o["spec"] for o in queue_objects(profile, facts(profile))}
        limits[kind] = named
    quotas = limits["kueue"]["ClusterQueue", "platform"]["resourceGroups"][0]["flavors"][1]["resources"]
    assert {quota["borrowingLimit"] for quota in quotas} == {"0"}
    assert limits["volcano"]["Queue", "platform"]["capability"]["nvidia.com/gpu"] == "8"
    assert limits["kai"]["Queue", "platform"]["resources"]["gpu"] == {"quota": 8, "limit": 8, "overQuotaWeight": 1}
    assert limits["kai"]["Queue", "research"]["resources"]["gpu"]["limit"] == -1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stack", STACKS)
def test_the_runtimes_of_hand_written_trainjobs_are_valid_and_reach_the_fabric(stack: str, kind: str) -> None:
    profile = with_scheduler(stack, kind, {"trainer"}, {"levels": LEVELS})
    known = facts(profile)
    assert profile.training
    assert profile.training.trainer
    made = list(runtimes(Args(profile.training.trainer, known)))
    assert [fault for one in made for fault in faults(one)] == []
    assert {one["metadata"]["namespace"] for one in made} <= {team.name for team in known.teams}
    for one in made:
        [job] = one["spec"]["template"]["spec"]["replicatedJobs"]
        pod = job["template"]["spec"]["template"]
        [container] = pod["spec"]["containers"]
        pool = known.pool(one["metadata"]["name"].removeprefix("torch-"))
        assert container["resources"]["limits"]["nvidia.com/gpu"] == str(pool.gpus)
        joins = pool.nics and pool.nodes > 1 and known.team(one["metadata"]["namespace"]).rdma
        assert (set(known.fabric.devices) <= set(container["resources"]["limits"])) or not joins
        assert pod["spec"].get("schedulerName") == known.scheduler.name


def test_a_teams_servers_and_jobs_share_one_queue_of_its_whole_part() -> None:
    known = facts(load(document("onprem-h100-roce")))
    assert known.team("serving").served == {"h100": 24}
    assert quotas("serving", known)["h100"]["nvidia.com/gpu"] == "24"


def test_a_job_that_the_teams_servers_leave_no_room_for_is_refused() -> None:
    profile = document("onprem-h100-roce")
    profile["tenancy"]["teams"][1]["borrow"] = False
    wanted = {"name": "tune", "team": "serving", "kind": "JobSet", "image": "a:1", "script": ["t.py"], "nodes": 1}
    with pytest.raises(
        ProfileError, match=r"asks for 8 nvidia\.com/gpu, and team serving is given 0 of pool h100 for jobs"
    ):
        load_job(wanted, facts(load(profile)))


def quotas(team: str, known: Facts) -> dict[str, dict[str, str]]:
    """Kueue's amounts by pool."""
    flavors = kueue_queues.cluster_queue(known.team(team), known)["resourceGroups"][0]["flavors"]
    return {one["name"]: {each["name"]: each["nominalQuota"] for each in one["resources"]} for one in flavors}


def test_a_queue_has_no_part_of_what_the_nodes_of_a_pool_lack() -> None:
    found = quotas("research", facts(load(document("onprem-h100-roce"))))
    assert found["h100"]["nvidia.com/gpu"] == "40"
    devices = [name for name in found["system"] if "/" in name]
    assert {name: found["system"][name] for name in devices} == dict.fromkeys(devices, "0")
    assert "nvidia.com/gpu" in devices


def test_servers_must_fit_a_team_that_has_only_a_share() -> None:
    profile = document("onprem-h100-roce")
    profile["tenancy"]["teams"] = [{"name": "research", "share": 3}, {"name": "serving"}]
    with pytest.raises(ProfileError, match=r"tenancy\.teams\[1\]\.gpus\.h100 = 16: the team's servers need 24 GPUs"):
        load(profile)
