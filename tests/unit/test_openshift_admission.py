"""What OpenShift's admission makes of every pod of ours: under which constraints it runs, as whom, and with what."""

import copy
from functools import cache
from typing import Any, get_args

import pytest
import yaml

from bedplate.components.facts import Args, Facts
from bedplate.components.observability import dcgm_exporter, prometheus_adapter
from bedplate.components.scheduling import volcano
from bedplate.components.serving.servers import manifests
from bedplate.components.tenancy.security_contexts import NAME, bound, constraints
from bedplate.components.training.jobset import CHART as JOBSET
from bedplate.components.workload.kinds import Kind
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.security_constraints import RANGE, STANDARD, Admitted, admitted, order
from tests.stack_files import graph_of, kubernetes
from tests.training_jobs import all_templates, container, is_worker, job, rendered, templates
from tests.unit.test_openshift import document
from tests.upstream import upstream

KINDS = [kind for kind in get_args(Kind) if kind != "VolcanoJob"]
TRAINING: dict[str, Any] = {
    "training": {
        name: {} for name in ("jobset", "trainer", "mpiOperator", "trainingOperator", "kuberay", "leaderWorkerSet")
    }
}
MODEL: dict[str, Any] = {"kind": "vllm", "pool": "h100", "model": "llama-3.1-8b"}
WEIGHTS: dict[str, Any] = {"weights": {"kind": "volume", "volume": "weights", "directory": "llama"}}
SERVING: dict[str, Any] = {
    "storage": {
        "existingClasses": [{"name": "cephfs", "kind": "cephfs"}],
        "volumes": [
            {
                "name": "weights",
                "namespaces": ["research", "apps"],
                "size": "2Ti",
                "path": "/models",
                "storageClass": "cephfs",
            }
        ],
    },
    "serving": {
        "servers": [
            {**MODEL, **WEIGHTS, "name": "small", "namespace": "apps"},
            {
                **MODEL,
                **WEIGHTS,
                "name": "wide",
                "namespace": "research",
                "tensorParallel": 8,
                "pipelineParallel": 2,
                "model": "llama-3.1-405b",
                "precision": "fp8",
            },
        ]
    },
}
MONITORING = {"kind": "existing", "namespace": "openshift-monitoring", "url": "http://prometheus.monitoring:9091"}


@cache
def known(*, mpi: bool = True) -> Facts:
    training = TRAINING["training"] if mpi else {"jobset": {}}
    return facts(load(document() | SERVING | TRAINING | {"training": training}))


def of_team(template: dict[str, Any], team: str, here: Facts) -> Admitted:
    """A pod of a team, as the accounts of its namespace may run it."""
    usable = [NAME] if team in bound(here) else []
    found = admitted(template, [*STANDARD, constraints(here)], usable)
    assert isinstance(found, Admitted), found
    return found


def runs_as(found: Admitted) -> int | None:
    """Whom the container runs as; None: whomever the image names."""
    return container(found.pod)["securityContext"].get("runAsUser")


def test_the_order_is_priority_then_points_then_name() -> None:
    """As admission_test.go and byrestrictions_test.go have it: anyuid before all, privileged after all."""
    mine = [*STANDARD, constraints(known())]
    assert [one["metadata"]["name"] for one in sorted(mine, key=order)] == [
        "anyuid",
        "restricted-v2",
        "restricted",
        "nonroot-v2",
        "nonroot",
        NAME,
        "privileged",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_pods_with_the_fabric_run_as_their_image_and_lock_memory(kind: Kind) -> None:
    workers = [one for one in all_templates(rendered(job(kind), known())) if is_worker(one)]
    assert workers
    for found in (of_team(one, "research", known()) for one in workers):
        context = container(found.pod)["securityContext"]
        assert found.by == NAME
        assert context.get("runAsUser", 0) == 0
        assert "IPC_LOCK" in context["capabilities"]["add"]
        assert context["capabilities"]["drop"] == []


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"MPIJob"}))
def test_pods_without_the_fabric_run_as_a_user_of_their_namespace(kind: Kind) -> None:
    for template in all_templates(rendered(job(kind, team="apps", nodes=1), known(mpi=True))):
        found = of_team(template, "apps", known())
        assert (found.by, runs_as(found)) == ("restricted-v2", RANGE.start)


@pytest.mark.parametrize(("team", "nodes"), [("research", 2), ("apps", 1)])
def test_an_mpi_job_has_root_its_own_root_directory_and_a_key_that_nobody_else_reads(team: str, nodes: int) -> None:
    """A group for the pod's volumes would let others read the key, and ssh then does not take it.

    The operator mounts it with mode 0600 in the .ssh of root (kubeflow/mpi-operator v0.8.2, setupSSHOnPod); the kubelet
    adds 0440 for the group (kubernetes pkg/volume/volume_linux.go).
    """
    found = [
        of_team(one, team, known()) for one in all_templates(rendered(job("MPIJob", team=team, nodes=nodes), known()))
    ]
    assert [(one.by, runs_as(one)) for one in found] == [(NAME, 0)] * 2
    assert [one.pod["spec"]["securityContext"].get("fsGroup") for one in found] == [None, None]
    assert ["SYS_CHROOT" in container(one.pod)["securityContext"]["capabilities"].get("add", []) for one in found] == [
        is_worker(one.pod) for one in found
    ]


@pytest.mark.parametrize("server", [0, 1])
def test_servers_are_admitted_and_have_a_home_of_their_own(server: int) -> None:
    """'/.triton' of a user that no image knows (llm-d/llm-d#1430), who has no name either (vllm-project/vllm#44548)."""
    loaded = load(document() | SERVING | TRAINING)
    assert loaded.serving
    one = loaded.serving.servers[server]
    for template in templates(manifests(one, Args(loaded.serving, known()))[0]):
        found = of_team(template, one.namespace, known())
        assert found.by == ("restricted-v2" if one.namespace == "apps" else NAME)
        said = {entry["name"]: entry.get("value") for entry in container(found.pod)["env"]}
        assert (said["HOME"], said["USER"]) == ("/tmp", "vllm")  # noqa: S108 - of the container


def chart(name: str) -> dict[str, Any]:
    return yaml.safe_load(upstream("values", f"{name}.yaml").read_text())


def pod_of(whole: dict[str, Any] | None, own: dict[str, Any] | None, *volumes: str) -> dict[str, Any]:
    """A pod of a chart, by the security contexts of its values."""
    mounted = [{"name": kind, kind: {}} for kind in volumes]
    only = {"name": "only", "securityContext": copy.deepcopy(own or {})}
    return {"spec": {"securityContext": copy.deepcopy(whole or {}), "containers": [only], "volumes": mounted}}


@cache
def planned() -> Graph:
    return graph_of(
        document()
        | {
            "monitoring": MONITORING | {"dcgmExporter": {}},
            "autoscaling": {"kind": "prometheus-adapter"},
            "storage": {
                "driver": {"kind": "hpe-lustre", "fileSystems": {"scratch": {"mgs": ["10.0.0.1"], "name": "s"}}}
            },
        }
    )


def may_use(namespace: str) -> list[str]:
    """Constraints that the plan lets the accounts of a namespace use."""
    return [
        node.inputs["roleRef"]["name"].removeprefix("system:openshift:scc:")
        for node in planned().resources
        if kubernetes(node)
        and node.kind == "ClusterRoleBinding"
        and node.inputs["subjects"][0]["name"] == f"system:serviceaccounts:{namespace}"
    ]


def test_charts_that_name_a_user_or_host_paths_are_admitted() -> None:
    adapter, exporter = chart("prometheus-adapter-5.3.0"), chart("dcgm-exporter-4.8.2")
    home = prometheus_adapter.CHART.namespace
    pod = pod_of(adapter["podSecurityContext"], adapter["securityContext"], "configMap", "emptyDir")
    assert isinstance(admitted(pod, STANDARD), list)
    assert isinstance(found := admitted(pod, STANDARD, may_use(home)), Admitted)
    assert (found.by, runs_as(found)) == ("nonroot-v2", 10001)
    home = dcgm_exporter.CHART.namespace
    pod = pod_of(exporter["podSecurityContext"], exporter["securityContext"], "configMap", "hostPath")
    assert isinstance(found := admitted(pod, STANDARD, may_use(home)), Admitted)
    assert container(found.pod)["securityContext"]["capabilities"]["add"] == ["SYS_ADMIN"]
    assert may_use("lustre-csi-system") == ["privileged"]
    assert may_use(JOBSET.namespace) == []


@pytest.mark.parametrize("part", volcano.CONTAINERS)
def test_volcano_is_admitted_without_leave_that_pods_of_teams_would_share(part: str) -> None:
    custom = chart("volcano-1.15.1")["custom"]
    before = pod_of(custom["default_sc"], custom["default_csc"], "configMap", "emptyDir")
    assert isinstance(admitted(before, STANDARD), list)
    written = volcano.security("openshift")
    pod = pod_of(written.get(f"{part.partition('_')[0]}_sc"), written[f"{part}_csc"], "configMap", "emptyDir")
    assert isinstance(found := admitted(pod, STANDARD), Admitted)
    assert found.by == "restricted-v2"
    assert volcano.security("kubeadm") == {}
