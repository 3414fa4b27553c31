"""What the platform's pods ask of nodes is known by part, and each namespace of ours lets through that and no more."""

from collections import defaultdict
from typing import Any

import pytest

from bedplate.charts import names, releases
from bedplate.components.pod_needs import FILE, LEVELS, Level, asks, charted, level
from bedplate.evidence.needs import Needs, needs
from tests.stack_files import STACKS, graph
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


def by_namespace(stack: str) -> dict[str, list[Needs]]:
    found: dict[str, list[Needs]] = defaultdict(list)
    for one in needs(graph(stack)):
        if one.lets:
            found[one.namespace].append(one)
    return found


@pytest.mark.parametrize("stack", STACKS)
def test_each_namespace_of_ours_has_the_level_of_its_most_demanding_pod(stack: str) -> None:
    found = by_namespace(stack)
    assert len(found) >= 4
    for namespace, pods in found.items():
        levels = [one.level for one in pods if one.level]
        assert len(levels) == len(pods), f"{namespace}: nobody knows what {pods} ask for"
        assert {one.lets for one in pods} == {max(levels, key=LEVELS.index)}, namespace


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


def test_every_file_is_of_a_chart_that_some_stack_has_or_another_may() -> None:
    of_stacks = {
        one.part.partition("(")[2].rstrip(")").replace(" ", "-") for stack in STACKS for one in needs(graph(stack))
    }
    there = {f"{chart}-{version}" for chart in names() for version in releases(chart, FILE)}
    assert there - of_stacks <= {"dcgm-exporter-4.8.2", "prometheus-operator-crds-31.0.1"}
