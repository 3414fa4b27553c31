"""What a company's program declares besides the cluster: in its place, by its provider, and as transforms make it."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest

from bedplate.cli import main
from bedplate.plan.capture import capture, record
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Graph, Node
from bedplate.plan.stackfile import Configuration
from tests.closure import closure
from tests.rooms import ROOT

PROFILE = (ROOT / "tests" / "profiles" / "l40s-lab.yaml").read_text()
PROJECT = "name: clusters\nruntime: python\nstackConfigDir: clusters\nconfig: {bedplate:profile: {type: object}}\n"
HEAD = "import pulumi\nimport pulumi_kubernetes as k8s\nfrom bedplate import deploy\n\n"
Plan = Callable[[str], Graph]


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Of a program in a repository of a company's own."""
    monkeypatch.chdir(tmp_path)
    Path("clusters").mkdir()
    Path("Pulumi.yaml").write_text(PROJECT)
    profile = indent(PROFILE, "    ")
    Path("clusters/Pulumi.prod.yaml").write_text(
        f"config:\n  pulumi:disable-default-providers: [kubernetes]\n  bedplate:profile:\n{profile}"
    )

    def planned(program: str) -> Graph:
        Path("__main__.py").write_text(HEAD + dedent(program))
        return capture("prod", tmp_path)

    return planned


def named(graph: Graph, name: str) -> Node:
    (node,) = [node for node in graph.resources if node.name == name]
    return node


def test_a_resource_waits_for_the_step_that_it_names_and_is_on_the_profiles_cluster(plan: Plan) -> None:
    graph = plan("""
        cluster = deploy()
        k8s.core.v1.ConfigMap("mine", metadata={"name": "mine"}, opts=cluster.after("pools"))
        """)
    mine, pools = named(graph, "mine"), named(graph, "pools")
    assert {node.urn for node in graph.children(pools.urn)} <= closure(graph, mine.urn)
    assert mine.provider_urn.endswith("pulumi:providers:kubernetes::cluster")


def test_of_a_step_that_is_absent_it_waits_for_those_before_it(plan: Plan) -> None:
    graph = plan("""
        cluster = deploy()
        assert "nic-configuration" not in cluster.built
        k8s.core.v1.ConfigMap("mine", metadata={"name": "mine"}, opts=cluster.after("compute-domains"))
        """)
    gpus = named(graph, "gpus")
    assert {node.urn for node in graph.children(gpus.urn)} <= closure(graph, named(graph, "mine").urn)


def test_a_step_that_nobody_knows_is_told_with_the_one_that_was_meant(plan: Plan) -> None:
    with pytest.raises(PlanError, match=r'cluster.after\("pool"\): no such step; did you mean pools\?'):
        plan('deploy().after("pool")\n')


def test_a_resource_without_a_provider_is_refused_before_the_engine_does(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PlanError):
        plan('deploy()\nk8s.core.v1.ConfigMap("mine", metadata={"name": "mine"})\n')
    assert main(["plan", "prod"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("ConfigMap mine: no provider, and pulumi:disable-default-providers forbids that of kuber")


def test_where_the_stack_allows_default_providers_so_does_the_plan(plan: Plan) -> None:
    Path("clusters/Pulumi.prod.yaml").rename("whole")
    Path("clusters/prod.yaml").write_text(PROFILE)
    assert named(plan('deploy()\nk8s.core.v1.ConfigMap("mine", metadata={"name": "mine"})\n'), "mine").provider == ""


def test_a_transform_of_the_stack_changes_properties_and_options(plan: Plan) -> None:
    graph = plan("""
        def ours(args):
            if args.type_ != "kubernetes:helm.sh/v3:Release":
                return None
            props = {**args.props, "values": {**args.props["values"], "team": "infra"}}
            opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True))
            return pulumi.ResourceTransformResult(props, opts)

        pulumi.runtime.register_resource_transform(ours)
        deploy()
        """)
    releases = [node for node in graph.resources if node.kind == "Release"]
    assert releases
    assert all(node.inputs["values"]["team"] == "infra" and node.options.protect for node in releases)
    plain = plan("deploy()\n")
    before = {node.urn: node for node in plain.resources}
    for node in graph.resources:
        if node.kind != "Release":
            assert (node.inputs, node.options) == (before[node.urn].inputs, before[node.urn].options)
        assert node.dependencies == before[node.urn].dependencies


def recorded(program: Callable[[], object]) -> Graph:
    return record(program, "toy", "dev", Configuration({}))


def test_transforms_run_from_the_resource_outwards_and_may_wait() -> None:
    import asyncio

    import pulumi
    import pulumi_kubernetes as k8s

    def marking(mark: str) -> pulumi.ResourceTransform:
        async def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult:
            await asyncio.sleep(0)
            props: dict[str, Any] = {**args.props}
            seen: str = (props.get("data") or {}).get("seen", "")
            return pulumi.ResourceTransformResult({**props, "data": {"seen": seen + mark}}, args.opts)

        return transform

    class Box(pulumi.ComponentResource):
        def __init__(self) -> None:
            super().__init__("toy:boxes:Box", "box", None, pulumi.ResourceOptions(transforms=[marking("p")]))
            own = pulumi.ResourceOptions(parent=self, transforms=[marking("r")])
            k8s.core.v1.ConfigMap("leaf", metadata={"name": "leaf"}, opts=own)

    def program() -> None:
        pulumi.runtime.register_resource_transform(marking("s"))
        Box()

    assert named(recorded(program), "leaf").inputs["data"] == {"seen": "rps"}


def test_a_transform_that_fails_ends_the_plan_with_its_words() -> None:
    import pulumi
    import pulumi_kubernetes as k8s

    def transform(_: pulumi.ResourceTransformArgs) -> None:
        raise ValueError("not in our house")

    def program() -> None:
        k8s.core.v1.ConfigMap("leaf", metadata={"name": "leaf"}, opts=pulumi.ResourceOptions(transforms=[transform]))

    with pytest.raises(Exception, match="not in our house"):
        recorded(program)
