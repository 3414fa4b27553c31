"""What holds for every job on every cluster that takes it, whatever the kind, the scheduler and the fabric."""

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bedplate.components.facts import Args, Facts
from bedplate.components.network.attachments import network_manifests
from bedplate.components.scheduling import kai_queues, kueue_queues, volcano_queues
from bedplate.components.scheduling.volcano import VolcanoSection
from bedplate.components.workload.gang import refusal
from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.pod import NO_GPUS
from bedplate.stacks.profile.problem import ProfileError
from tests.crds import faults, is_custom
from tests.training_jobs import (
    FABRICS,
    SCHEDULERS,
    all_templates,
    cluster,
    container,
    env,
    is_worker,
    job,
    main,
    rendered,
)

COMBINATIONS = [
    pytest.param(stack, scheduler, kind, id=f"{fabric}-{scheduler}-{kind}")
    for fabric, stack in FABRICS.items()
    for scheduler in SCHEDULERS
    for kind in KINDS
]


def accepted(written: dict[str, Any], facts: Facts) -> list[dict[str, Any]]:
    """Its objects; nothing where the cluster refuses it."""
    try:
        return rendered(written, facts)
    except ProfileError:
        return []


def gangs(objects: list[dict[str, Any]]) -> list[str]:
    """Every way in which a job asks to be started whole."""
    top, pods = main(objects), all_templates(objects)
    labels, spec = top["metadata"].get("labels", {}), top["spec"]
    runtimes = [one["spec"] for one in objects if one["kind"] == "TrainingRuntime"]
    volcano = any(pod["spec"].get("schedulerName") == "volcano" for pod in pods)
    asked = {
        "kueue": "kueue.x-k8s.io/queue-name" in labels,
        "kai": "kai.scheduler/queue" in labels,
        "operator's PodGroup": "schedulingPolicy" in spec.get("runPolicy", {}),
        "trainer's PodGroup": any("podGroupPolicy" in runtime for runtime in runtimes),
        "our PodGroup": any(one["kind"] == "PodGroup" for one in objects),
        "Volcano's own Job": top["apiVersion"] == "batch.volcano.sh/v1alpha1" and "minAvailable" in spec,
        "LWS's PodGroup": top["kind"] == "LeaderWorkerSet" and volcano,
        "KubeRay's PodGroup": "volcano.sh/queue-name" in labels,
    }
    return [way for way, there in asked.items() if there]


@pytest.mark.parametrize(("stack", "scheduler", "kind"), COMBINATIONS)
def test_every_object_is_valid_against_its_crd(stack: str, scheduler: str, kind: Any) -> None:
    objects = accepted(job(kind), cluster(stack, scheduler))
    assert [fault for one in objects if is_custom(one) for fault in faults(one)] == []


@pytest.mark.parametrize(("stack", "scheduler", "kind"), COMBINATIONS)
def test_a_combination_is_rendered_or_refused_for_a_known_reason(stack: str, scheduler: str, kind: Any) -> None:
    facts = cluster(stack, scheduler)
    cannot = bool(refusal(kind, facts.scheduler, 2)) or (kind == "RayJob" and bool(facts.fabric.env_file))
    assert bool(accepted(job(kind), facts)) is not cannot


JOBS = st.fixed_dictionaries(
    {"kind": st.sampled_from(sorted(KINDS)), "nodes": st.integers(1, 4), "gpusPerNode": st.sampled_from([1, 2, 4, 8])}
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(FABRICS.values())), st.sampled_from(SCHEDULERS), JOBS)
def test_a_job_that_is_taken_gets_a_gang_devices_networks_and_quota(
    stack: str, scheduler: str, asked: dict[str, Any]
) -> None:
    facts = cluster(stack, scheduler)
    if not (objects := accepted(job(**asked), facts)):
        return
    assert len(gangs(objects)) == 1, gangs(objects)
    for template in all_templates(objects):
        assert_devices(template, facts, asked)
        assert_networks(template, facts)
        assert_covered(template, facts)
        assert_queued(template, main(objects), facts, queues_of(stack, scheduler))


def assert_devices(template: dict[str, Any], facts: Facts, asked: dict[str, Any]) -> None:
    """Exactly those that the fabric derives; a job of one node and a coordinator have nobody to reach by RDMA."""
    limits = container(template)["resources"]["limits"]
    pool = facts.gpu_pools[0]
    expected = facts.fabric.resources(pool, asked["gpusPerNode"]) if asked["nodes"] > 1 else {}
    here = {name: int(limits[name]) for name in facts.fabric.devices if name in limits}
    assert here == (expected if is_worker(template) else {})
    locks = container(template).get("securityContext", {}).get("capabilities", {}).get("add", [])
    chroots = ["SYS_CHROOT"] if asked["kind"] == "MPIJob" else []
    fabric = ["IPC_LOCK"] if asked["nodes"] > 1 else []
    assert locks == ([*fabric, *chroots] if is_worker(template) else [])
    assert limits.get("nvidia.com/gpu") == (str(asked["gpusPerNode"]) if is_worker(template) else None)


def assert_networks(template: dict[str, Any], facts: Facts) -> None:
    """Every network that it names exists in its own namespace."""
    named = template["metadata"].get("annotations", {}).get("k8s.v1.cni.cncf.io/networks", "")
    names = [network.split("@")[0] for network in named.split(",") if network]
    made = [(home(one), one["metadata"]["name"]) for one in network_manifests(facts)]
    assert all(tuple(name.split("/")) in made for name in names)
    assert all(name.startswith("research/") for name in names)


def home(network: dict[str, Any]) -> str:
    return network["spec"].get("networkNamespace") or network["metadata"]["namespace"]


def assert_covered(template: dict[str, Any], facts: Facts) -> None:
    """Each resource is in the team's part of the pool, so that its queue covers it."""
    covered = facts.team("research").nominal[facts.gpu_pools[0].name]
    asked = [one["resources"]["requests"] for one in (*template["spec"]["containers"], *sidecars(template))]
    assert {name for requests in asked for name in requests} <= set(covered)


@cache
def queues_of(stack: str, scheduler: str) -> dict[tuple[str, str | None, str], dict[str, Any]]:
    """The queues that the platform makes, by kind, namespace and name."""
    facts = cluster(stack, scheduler)
    match scheduler:
        case "kueue":
            made = kueue_queues.queue_manifests(facts)
        case "kai":
            made = kai_queues.queue_manifests(facts)
        case _:
            made = volcano_queues.queue_manifests(Args(VolcanoSection(kind="volcano"), facts))
    return {(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one["spec"] for one in made}


def assert_queued(
    template: dict[str, Any], top: dict[str, Any], facts: Facts, queues: dict[tuple[str, str | None, str], Any]
) -> None:
    """The name on the job leads to a queue that counts each resource of its pods."""
    asked = set(container(template)["resources"]["requests"])
    labels = top["metadata"].get("labels", {})
    match facts.scheduler.kind:
        case "kueue":
            local = queues["LocalQueue", "research", labels["kueue.x-k8s.io/queue-name"]]
            (group,) = queues["ClusterQueue", None, local["clusterQueue"]]["resourceGroups"]
            assert asked <= set(group["coveredResources"])
        case "kai":
            assert queues["Queue", None, labels["kai.scheduler/queue"]]["parentQueue"]
        case _:
            assert asked <= set(queues["Queue", None, str(facts.team("research").queue)]["capability"])


def sidecars(template: dict[str, Any]) -> list[dict[str, Any]]:
    return template["spec"].get("initContainers", [])


@pytest.mark.parametrize(("stack", "scheduler", "kind"), COMBINATIONS)
def test_every_pod_has_guaranteed_quality_and_room_in_shared_memory(stack: str, scheduler: str, kind: Any) -> None:
    for template in all_templates(accepted(job(kind), cluster(stack, scheduler))):
        for one in (*template["spec"]["containers"], *sidecars(template)):
            assert one["resources"]["requests"] == one["resources"]["limits"]
        limits = container(template)["resources"]["limits"]
        (shm,) = [volume["emptyDir"] for volume in template["spec"]["volumes"] if volume["name"] == "shm"]
        assert shm["medium"] == "Memory"
        assert int(shm["sizeLimit"].removesuffix("Gi")) * 2 <= int(limits["memory"].removesuffix("Gi"))
        if is_worker(template):
            assert int(limits["cpu"]) >= 4 * int(limits["nvidia.com/gpu"])
            assert int(shm["sizeLimit"].removesuffix("Gi")) >= 16


MAY_DIFFER = {"name", "command", "ports", "startupProbe", "readinessProbe"}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("kind", ["PyTorchJob", "LeaderWorkerSet", "MPIJob", "RayJob"])
@pytest.mark.parametrize("stack", ["onprem-h100-roce", "eks-p5"])
def test_roles_of_one_job_differ_only_where_they_must(stack: str, scheduler: str, kind: Any) -> None:
    written = job(kind, env={"SEED": "7"}, checkpoint={"claim": "state", "existing": True}, shmGib=32)
    first, second = all_templates(rendered(written, cluster(stack, scheduler)))
    assert {**env(first), **NO_GPUS} == {**env(second), **NO_GPUS}
    for template in (first, second):  # a coordinator is shown no GPU
        assert (env(template).items() >= NO_GPUS.items()) != is_worker(template)
    assert {k: v for k, v in first["spec"].items() if k not in ("containers", "volumes")} == {
        k: v for k, v in second["spec"].items() if k not in ("containers", "volumes")
    }
    if is_worker(first) and is_worker(second):
        same = [{k: v for k, v in container(one).items() if k not in MAY_DIFFER} for one in (first, second)]
        assert same[0] == same[1]
        assert first["spec"]["volumes"] == second["spec"]["volumes"]
        assert first["metadata"] == second["metadata"]
    else:  # a coordinator does without devices, and with less of everything
        assert container(first)["image"] == container(second)["image"]
        assert container(first)["volumeMounts"] == container(second)["volumeMounts"]


@pytest.mark.parametrize("stack", FABRICS.values())
def test_without_a_scheduler_only_one_node_runs(stack: str) -> None:
    facts = cluster(stack, None)
    with pytest.raises(ProfileError, match="no scheduler that starts all nodes of a job or none; add `scheduling`"):
        rendered(job("JobSet"), facts)
    assert gangs(rendered(job("JobSet", nodes=1), facts)) == []
