"""The life of a stack on a real engine and API server: up, no change, change, upgrade, rollback, destroy."""

import json
import re

from bedplate.lab.deploy import crds_message, kept_crds
from bedplate.lab.engine import Engine
from bedplate.plan.capture import capture_config
from bedplate.plan.deployment import deployment
from bench.steps import edges, planned
from tests.engine import desk
from tests.engine.people import TEAM, fifty
from tests.engine.profiles import changed, previous_pins

UP = ("up", "--yes", "--stack", "lab")
PREVIEW = ("preview", "--stack", "lab")
INTRUDER = """
import runpy
import pulumi_kubernetes as k8s

runpy.run_path("original.py", run_name="__main__")
cluster = k8s.Provider("intruder", context={context!r})
container = {{"name": "main", "image": "pytorch:latest", "resources": {{"limits": {{"nvidia.com/gpu": 1}}}}}}
k8s.core.v1.Pod(
    "intruder",
    metadata={{"name": "intruder", "namespace": "research"}},
    spec={{"containers": [container]}},
    opts=pulumi.ResourceOptions(provider=cluster),
)
"""


def ready(engine: Engine) -> str:
    return engine.cluster.kubectl("get", "clusterpolicy/cluster-policy", "-o", "jsonpath={.status.state}")


def test_a_preview_works_before_anything_exists(engine: Engine) -> None:
    steps = planned(engine.run(*PREVIEW, "--json"))
    assert steps["Release gpu-operator"] == "create"
    assert steps["ClusterPolicyPatch gpu-operator-ready"] == "create"
    assert engine.cluster.kubectl("get", "namespaces", "-o", "name").count("gpu-operator") == 0


def test_up_brings_the_stack_up_and_a_second_preview_is_empty(deployed: Engine) -> None:
    assert ready(deployed) == "ready"
    deployed.run(*PREVIEW, "--expect-no-changes")


def test_the_offline_plan_is_what_the_engine_has_in_its_state(deployed: Engine) -> None:
    profile = json.loads(deployed.run("config", "get", "bedplate:profile", "--stack", "lab"))
    offline = deployment(capture_config("lab", {"bedplate:profile": profile}))
    assert edges(offline["deployment"]["resources"]) == edges(deployed.state())


def test_policies_block_what_breaks_a_rule(engine: Engine) -> None:
    program = engine.folder / "__main__.py"
    program.rename(engine.folder / "original.py")
    program.write_text("import pulumi\n" + INTRUDER.format(context=engine.cluster.context))
    for command in (("preview",), ("up", "--yes", "--skip-preview")):
        status, said = desk.run(engine, *command)
        assert status != 0
        assert re.search(r"(?s)mandatory.*intruder: pod does not tolerate", said), said
    assert not any(one["type"].endswith("Pod") for one in engine.state())


def test_one_command_of_people_and_ci_previews_and_rolls_out_behind_the_policies(engine: Engine) -> None:
    for command in (("preview",), ("up", "--yes", "--skip-preview"), ("preview", "--expect-no-changes")):
        status, said = desk.run(engine, *command)
        assert status == 0, said
        assert re.search(r"bedplate@v[0-9.]+ \(local: policies\)", said), said


def test_one_changed_value_updates_one_release_and_the_gates_that_guard_it(deployed: Engine) -> None:
    profile = json.loads(deployed.run("config", "get", "bedplate:profile", "--stack", "lab"))
    deployed.configure(changed(profile, "gpuOperator", gdrcopy=True))
    assert planned(deployed.run(*PREVIEW, "--json")) == {
        "Release gpu-operator": "update",
        "ClusterPolicyPatch gpu-operator-ready": "update",
        "NodesProof pools-ready": "update",
    }


def test_an_upgrade_from_the_previous_releases_and_back_keeps_every_other_resource_and_fifty_objects_of_people(
    engine: Engine,
) -> None:
    current = json.loads(engine.run("config", "get", "bedplate:profile", "--stack", "lab"))
    older, people = previous_pins(current), set[str]()
    for step, profile in (("install", older), ("upgrade", current), ("rollback", older)):
        engine.configure(profile)
        before = {resource["urn"] for resource in engine.state()}
        engine.run(*UP)
        after = {resource["urn"] for resource in engine.state()}
        assert ready(engine) == "ready", step
        assert step == "install" or before == after, step
        assert pin(engine) == profile["gpuOperator"].get("version", pin(engine)), step
        engine.run(*PREVIEW, "--expect-no-changes")
        if step == "install":
            engine.cluster.apply(fifty())
            people = uids(engine)
            assert len(people) >= 50
        assert people - uids(engine) == set(), f"{step}: lost"


def uids(engine: Engine) -> set[str]:
    """What the team has of the kinds of `fifty`."""
    kinds = "jobs.batch,persistentvolumeclaims,configmaps,jobsets,workloads.kueue.x-k8s.io"
    return set(engine.cluster.kubectl("get", kinds, "-n", TEAM, "-o", "jsonpath={.items[*].metadata.uid}").split())


def pin(engine: Engine) -> str:
    """The version of the GPU Operator in the state."""
    return next(r["inputs"]["version"] for r in engine.state() if r["urn"].endswith("Release::gpu-operator"))


def test_destroy_leaves_nothing_but_the_crds_that_helm_keeps(deployed: Engine) -> None:
    cluster = deployed.cluster
    before = names(deployed, "namespaces")
    deployed.destroy()
    assert deployed.state() == []
    assert names(deployed, "namespaces") == before - {
        name for name in before if name not in {"default", "kube-node-lease", "kube-public", "kube-system"}
    }
    for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        assert names(deployed, kind) == set()
    for crd in kept_crds(cluster):
        assert cluster.kubectl("get", crd, "-A", "-o", "name") == "", crd
    left = kept_crds(cluster)
    assert "clusterpolicies.nvidia.com" in left
    assert crds_message(left).endswith(f"kubectl delete crd {' '.join(left)}")
    cluster.kubectl("delete", "crd", *left)
    assert kept_crds(cluster) == []


def names(engine: Engine, kind: str) -> set[str]:
    return set(engine.cluster.kubectl("get", kind, "-o", "jsonpath={.items[*].metadata.name}").split())
