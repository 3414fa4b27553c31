"""Cloud and platform in one plan: in order, without credentials, without network, and at no cost to other stacks."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from bedplate.folders import PROJECT
from bedplate.plan.__main__ import main
from bedplate.plan.graph import PROVIDER_PREFIX, Graph, Node
from tests.closure import closure
from tests.stack_files import STACKS, graph, profile

ORDER = {
    "eks-p5": ("PlacementGroup p5", "LaunchTemplate p5", "NodeGroup p5", "NodeFeatureDiscovery"),
    "gke-a3-mega": ("Network vpc1", "Subnetwork vpc1", "ResourcePolicy a3-mega", "NodePool a3-mega", "GpuOperator"),
}
CLOUDLESS = [stack for stack in STACKS if profile(stack).cloud is None]


def no_network(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("a plan opens no connection")


@pytest.mark.parametrize("stack", ORDER)
def test_cloud_and_platform_are_one_tree_in_order(
    stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.startswith(("AWS_", "GOOGLE_", "CLOUDSDK_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(socket.socket, "connect", no_network)

    assert main([stack]) == 0
    out = capsys.readouterr().out
    places = [out.index(each) for each in ORDER[stack]]
    assert places == sorted(places)


def parents(declared: Graph, node: Node) -> set[str]:
    """The node's own URN and those of everything it is part of."""
    above = declared.by_urn.get(node.parent)
    return {node.urn} | (parents(declared, above) if above else set())


@pytest.mark.parametrize("stack", ORDER)
def test_everything_on_the_cluster_waits_for_every_node(stack: str) -> None:
    declared = graph(stack)
    (nodes,) = (node for node in declared.resources if node.name == "nodes")
    pools = {node.urn for node in declared.resources if node.kind in ("NodeGroup", "NodePool")}
    assert pools
    waiting = 0
    for node in declared.resources:
        if nodes.urn not in parents(declared, node) and not node.type.startswith(PROVIDER_PREFIX):
            assert pools <= closure(declared, node.urn), f"{node.name} does not wait for the nodes"
            waiting += 1
    assert waiting > 10


def test_a_plan_says_what_it_looks_up_only_later(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eks-p5"]) == 0
    assert "Looked up only at `pulumi up`: getCluster eks-p5, getSubnet us-east-2a" in capsys.readouterr().out


@pytest.mark.parametrize("stack", CLOUDLESS)
def test_a_stack_without_cloud_imports_no_cloud(stack: str) -> None:
    program = (
        "import sys; from bedplate.plan.capture import capture; "
        f"capture({stack!r}); print(sorted({{'pulumi_aws', 'pulumi_gcp'}} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_each_cloud_imports_its_own_alone() -> None:
    program = (
        "import sys; from bedplate.plan.capture import capture; "
        "capture('eks-p5'); print(sorted({'pulumi_aws', 'pulumi_gcp'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pulumi_aws']"
