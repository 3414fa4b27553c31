"""What the platform's pods ask of nodes is known by part, and each namespace of ours lets through that and no more."""

from collections import defaultdict
from typing import Any

import pytest

from bedplate.charts import names, releases
from bedplate.components.pod_needs import FILE, LEVELS, Level, asks, charted, level
from bedplate.evidence.needs import Needs, needs
from tests.stack_files import STACKS, graph
from tests.tools.golden_objects import CLUSTERS, declared
from tests.tools.pages.hardened import PAGE_FILE, page

CONFINED: dict[str, Any] = {
    "runAsNonRoot": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod(*, spec: dict[str, Any] | None = None, ports: Any = (), **context: Any) -> dict[str, Any]:
    container = {"name": "main", "securityContext": {**CONFINED, **context}, "ports": list(ports)}
    return {"containers": [container], **(spec or {})}


def volume(**source: Any) -> dict[str, Any]:
    return {"volumes": [{"name": "x", **source}]}


SHAPES: dict[str, tuple[dict[str, Any], list[str], Level]] = {
    "confined": (pod(), [], "restricted"),
    "by the whole pod": (
        {
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [
                {"securityContext": {key: CONFINED[key] for key in ("allowPrivilegeEscalation", "capabilities")}}
            ],
        },
        [],
        "restricted",
    ),
    "says nothing": (
        {"containers": [{"name": "main"}]},
        ["keeps capabilities", "no seccomp", "may run as root", "may gain privileges"],
        "baseline",
    ),
    "as root": (pod(runAsUser=0), ["may run as root"], "baseline"),
    "as root by the whole pod": (
        {"securityContext": {"runAsNonRoot": True, "runAsUser": 0}, **pod()},
        ["may run as root"],
        "baseline",
    ),
    "gains": (pod(allowPrivilegeEscalation=True), ["may gain privileges"], "baseline"),
    "keeps": (pod(capabilities={"drop": ["NET_RAW"]}), ["keeps capabilities"], "baseline"),
    "adds a harmless capability": (
        pod(capabilities={"drop": ["ALL"], "add": ["DAC_OVERRIDE"]}),
        ["keeps capabilities"],
        "baseline",
    ),
    "binds a low port": (pod(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}), [], "restricted"),
    "adds a capability": (
        pod(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]}),
        ["capability SYS_ADMIN"],
        "privileged",
    ),
    "privileged": (pod(privileged=True), ["privileged"], "privileged"),
    "no seccomp": (pod(seccompProfile={"type": "Unconfined"}), ["seccomp Unconfined"], "privileged"),
    "a folder": (pod(spec=volume(hostPath={"path": "/dev"})), ["hostPath /dev"], "privileged"),
    "another volume": (pod(spec=volume(nfs={"server": "x"})), ["volumes"], "baseline"),
    "a claim": (pod(spec=volume(persistentVolumeClaim={"claimName": "x"})), [], "restricted"),
    "a port": (pod(ports=[{"containerPort": 1, "hostPort": 9100}]), ["hostPort 9100"], "privileged"),
    "networks": (
        pod(spec={"hostNetwork": True, "hostPID": True, "hostIPC": False}),
        ["hostNetwork", "hostPID"],
        "privileged",
    ),
    "a container before": (
        pod(spec={"initContainers": [{"name": "first", "securityContext": {**CONFINED, "privileged": True}}]}),
        ["privileged"],
        "privileged",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_pod_asks_for_is_said_and_the_level_that_lets_it_through(shape: str) -> None:
    spec, asked, expected = SHAPES[shape]
    assert asks(spec) == asked
    assert level(asks(spec)) == expected


def by_namespace(cluster: str) -> dict[str, list[Needs]]:
    found: dict[str, list[Needs]] = defaultdict(list)
    for one in needs(declared(cluster)):
        if one.lets:
            found[one.namespace].append(one)
    return found


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_each_namespace_of_ours_has_the_level_of_its_most_demanding_pod(cluster: str) -> None:
    for namespace, pods in by_namespace(cluster).items():
        unknown = {one.part.partition("(")[2].rstrip(")") for one in pods if not one.level}
        assert unknown <= UNKNOWN, namespace
        if not unknown:
            levels = [one.level for one in pods if one.level]
            assert {one.lets for one in pods} == {max(levels, key=LEVELS.index)}, namespace


UNKNOWN = {
    "nvidia-dra-driver-gpu 25.8.1",
    "vllm-stack 0.1.12",
    "gpu-operator v25.3.4",
    "gpu-operator v26.3.3",
    "network-operator 26.1.2",
    "exa-csi 2.9.0",
}
"""Charts that nobody has rendered for this yet, and releases before those that somebody has."""


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_has_namespaces_that_are_held_against_their_pods(stack: str) -> None:
    assert len(by_namespace(stack)) >= 4


def test_a_kustomization_brings_its_namespace_and_what_its_pods_ask_for() -> None:
    found = {one.part.partition(" ")[0]: one for cluster in CLUSTERS for one in needs(declared(cluster))}
    assert (found["mpi-operator"].namespace, found["mpi-operator"].lets) == ("mpi-operator", "baseline")
    assert (found["gke-driver-newest"].namespace, found["gke-driver-newest"].level) == ("kube-system", "privileged")
    assert {name for name, one in found.items() if one.namespace == "its own"} == set()


def test_what_nobody_has_rendered_is_said_and_not_called_harmless() -> None:
    (efa,) = [one for one in needs(graph("eks-p5")) if one.part.startswith("efa-device-plugin")]
    assert (efa.level, efa.lets) == (None, "")
    assert efa.as_json() | {"part": ""} == {
        "part": "",
        "namespace": "kube-system",
        "namespaceLevel": "notOurs",
        "workload": "",
        "level": "notKnown",
        "asks": [],
    }


def test_of_operators_what_they_make_is_known_too() -> None:
    assert "privileged" in (charted("gpu-operator", "v26.7.0") or {})["DaemonSet nvidia-driver-daemonset"]
    assert "hostNetwork" in (charted("network-operator", "26.4.1") or {})["DaemonSet kube-multus-ds"]


def test_jobs_of_teams_are_no_part_of_the_platform() -> None:
    assert all("nccl" not in one.part for stack in STACKS for one in needs(graph(stack)))


def test_the_page_is_made_from_the_plans() -> None:
    assert PAGE_FILE.read_text(encoding="utf-8") == page()


def test_every_file_is_of_a_chart_that_some_cluster_has_or_another_may() -> None:
    parts = {one.part for cluster in CLUSTERS for one in needs(declared(cluster)) if one.asks is not None}
    said = [(name, inside.rstrip(")")) for name, _, inside in (part.partition(" (") for part in parts)]
    of_clusters = {inside.replace(" ", "-") if " " in inside else f"{name}-{inside}" for name, inside in said}
    there = {f"{chart}-{version}" for chart in names() for version in releases(chart, FILE)}
    assert there - of_clusters <= {
        *("dcgm-exporter-4.8.2", "prometheus-operator-crds-31.0.1", "multus-v4.3.0", "training-operator-v1.8.1"),
        "gke-driver-default-992db81257553607f1477945f1b3219632991829",
    }
