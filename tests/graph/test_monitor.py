"""The recording monitor keeps what the engine would keep."""

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from bedplate.plan.capture import record
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import STACK_TYPE, Graph, Node
from bedplate.plan.run import _Outstanding
from bedplate.plan.stackfile import Configuration
from bedplate.plan.wire import MASK, UNKNOWN
from tests.closure import closure


def exports(graph: Graph) -> dict[str, Any]:
    """What the program exports."""
    (stack,) = (node for node in graph.nodes if node.type == STACK_TYPE)
    return dict(stack.outputs or {})


def recorded(program: Callable[[], object], *, preview: bool = False, **config: str) -> Graph:
    values = {f"toy:{key}": value for key, value in config.items()}
    return record(program, "toy", "dev", Configuration(values), preview=preview)


def the(graph: Graph, name: str, type_: str = "") -> Node:
    (node,) = (node for node in graph.resources if node.name == name and node.type.endswith(type_))
    return node


class Box(pulumi.ComponentResource):
    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("toy:boxes:Box", name, None, opts)


def config_map(name: str, opts: pulumi.ResourceOptions | None = None) -> k8s.core.v1.ConfigMap:
    return k8s.core.v1.ConfigMap(name, metadata={"name": name}, opts=opts)


def test_urns_hold_the_whole_chain_of_parent_types_and_not_the_stack() -> None:
    def program() -> None:
        inner = Box("inner", pulumi.ResourceOptions(parent=Box("outer")))
        config_map("leaf", pulumi.ResourceOptions(parent=inner))

    graph = recorded(program)

    assert [node.urn for node in graph.resources] == [
        "urn:pulumi:dev::toy::toy:boxes:Box::outer",
        "urn:pulumi:dev::toy::toy:boxes:Box$toy:boxes:Box::inner",
        "urn:pulumi:dev::toy::toy:boxes:Box$toy:boxes:Box$kubernetes:core/v1:ConfigMap::leaf",
    ]


def test_a_duplicate_urn_is_refused_as_the_engine_does() -> None:
    def program() -> None:
        config_map("twin")
        config_map("twin")

    with pytest.raises(Exception, match=r"Duplicate resource URN '.*ConfigMap::twin'; try giving it a unique name"):
        recorded(program)


def test_dependencies_expand_through_components_and_data_edges_name_their_property() -> None:
    def program() -> None:
        box = Box("box")
        namespace = k8s.core.v1.Namespace("space", metadata={"name": "space"}, opts=pulumi.ResourceOptions(parent=box))
        config_map("after", pulumi.ResourceOptions(depends_on=[box]))
        k8s.core.v1.ConfigMap("inside", metadata={"name": "inside", "namespace": namespace.metadata.name})

    graph = recorded(program)

    space = the(graph, "space").urn
    assert the(graph, "after").dependencies == (space,)
    assert the(graph, "after").property_dependencies == {}
    assert the(graph, "inside").property_dependencies == {"metadata": (space,)}


def test_the_closure_follows_the_dependencies_of_ancestors_and_the_provider() -> None:
    def program() -> None:
        provider = k8s.Provider("cluster", context="dev")
        first = config_map("first", pulumi.ResourceOptions(provider=provider))
        box = Box("box", pulumi.ResourceOptions(providers=[provider], depends_on=[first]))
        config_map("child", pulumi.ResourceOptions(parent=box))

    graph = recorded(program)

    child = the(graph, "child")
    assert child.dependencies == ()
    assert {the(graph, "first").urn, the(graph, "cluster").urn, the(graph, "box").urn} <= closure(graph, child.urn)
    assert child.provider_urn == the(graph, "cluster").urn
    assert [node.name for node in graph.children(the(graph, "box").urn)] == ["child"]


def test_resource_options_are_kept() -> None:
    def program() -> None:
        config_map(
            "kept",
            pulumi.ResourceOptions(
                protect=True,
                retain_on_delete=True,
                delete_before_replace=True,
                ignore_changes=["data"],
                aliases=[pulumi.Alias(name="former")],
                custom_timeouts=pulumi.CustomTimeouts(create="5m"),
            ),
        )

    options = the(recorded(program), "kept").options

    assert options.protect
    assert options.retain_on_delete
    assert options.delete_before_replace
    assert options.ignore_changes == ("data",)
    assert options.aliases == ("name=former",)
    assert options.timeouts == {"create": "5m"}


def test_a_namespace_and_a_release_answer_with_their_names() -> None:
    def program() -> None:
        namespace = k8s.core.v1.Namespace("space", metadata={"name": "space"})
        release = k8s.helm.v3.Release("chart", name="chart", chart="c", namespace=namespace.metadata.name)
        pulumi.export("uid", namespace.metadata.uid)
        pulumi.export("status", release.status.status)

    graph = recorded(program)

    assert the(graph, "chart").inputs["namespace"] == "space"
    assert the(graph, "chart").id == "space/chart"
    assert exports(graph)["status"] == "deployed"
    assert len(exports(graph)["uid"]) == 36


def test_secrets_are_masked_wherever_they_go() -> None:
    def program() -> None:
        token = pulumi.Config("toy").require_secret("token")
        k8s.core.v1.Secret("secret", metadata={"name": "secret"}, string_data={"token": token})
        k8s.helm.v3.Release("chart", chart="c", values={"deep": [{"token": token}], "open": 1})
        box = Box("box")
        box.register_outputs({"token": token.apply(lambda text: f"bearer {text}")})
        pulumi.export("token", token)

    graph = recorded(program, token="hunter2")  # noqa: S106 - the secret to look for

    assert "hunter2" not in repr(graph)
    assert the(graph, "secret").inputs["stringData"] == {"token": MASK}
    assert the(graph, "chart").inputs["values"] == {"deep": [{"token": MASK}], "open": 1}
    assert the(graph, "box").outputs == {"token": MASK}
    assert exports(graph) == {"token": MASK}


def test_a_preview_shows_unknowns_as_unknown() -> None:
    def program() -> None:
        first = config_map("first")
        k8s.core.v1.ConfigMap("second", metadata={"name": "second"}, data={"id": first.id})

    assert the(recorded(program, preview=True), "second").inputs["data"] == {"id": UNKNOWN}
    assert the(recorded(program), "second").inputs["data"] == {"id": "first"}


def test_helm_nulls_and_whole_numbers_survive() -> None:
    values = {"gone": None, "count": 8, "ratio": 0.5, "on": True, "list": [1, None]}

    graph = recorded(lambda: k8s.helm.v3.Release("chart", chart="c", values=values))

    assert the(graph, "chart").inputs["values"] == values
    assert isinstance(the(graph, "chart").inputs["values"]["count"], int)


def test_a_data_source_is_refused_with_a_reason() -> None:
    def program() -> None:
        pulumi.runtime.invoke("aws:ec2/getVpc:getVpc", {"default": True})

    with pytest.raises(Exception, match="asks the provider for aws:ec2/getVpc:getVpc, which an offline plan cannot"):
        recorded(program)


def test_an_error_inside_an_apply_ends_the_run() -> None:
    def program() -> None:
        first = config_map("first")
        broken = first.id.apply(lambda _: {}["absent"])
        k8s.core.v1.ConfigMap("second", metadata={"name": "second"}, data={"id": broken})

    with pytest.raises(KeyError, match="absent"):
        recorded(program)


def test_outstanding_outputs_are_handed_out_one_at_a_time_until_none_is_left() -> None:
    outstanding = _Outstanding({"a", "b", "c"})
    seen: list[str] = []
    while outstanding:  # as the SDK's wait_for_rpcs does: copy, clear, wait
        seen += list(outstanding)
        outstanding.clear()

    assert sorted(seen) == ["a", "b", "c"]


def test_a_read_resource_keeps_its_id_and_is_marked() -> None:
    node = the(recorded(lambda: k8s.core.v1.Namespace.get("theirs", "kube-system")), "theirs")

    assert (node.read, node.id) == (True, "kube-system")


def test_a_component_that_never_registered_outputs_has_none() -> None:
    assert the(recorded(lambda: Box("forgetful")), "forgetful").outputs is None


def test_warnings_are_kept_and_debug_lines_are_not() -> None:
    def program() -> None:
        pulumi.log.warn("mind the gap")
        config_map("any")

    assert recorded(program).logs == (("WARNING", "mind the gap"),)


def test_an_error_that_the_program_logs_fails_the_plan() -> None:
    with pytest.raises(PlanError, match="out of nodes"):
        recorded(lambda: pulumi.log.error("out of nodes"))


def test_runs_do_not_see_each_other_and_repeat_exactly() -> None:
    def program() -> None:
        config_map(pulumi.Config("toy").require("name"))

    first, second, again = recorded(program, name="a"), recorded(program, name="b"), recorded(program, name="a")

    assert [node.name for node in second.resources] == ["b"]
    assert first == again


def test_a_secret_nobody_has_set_gets_a_placeholder_and_is_listed() -> None:
    def program() -> None:
        config = pulumi.Config("toy")
        config_map("any")
        pulumi.export("both", [config.require_secret("one"), config.require_secret("two")])

    graph = recorded(program)

    assert graph.missing_secrets == ("toy:one", "toy:two")
    assert exports(graph) == {"both": [MASK, MASK]}
    assert len(graph.resources) == 1


def test_plain_configuration_that_is_missing_is_a_wrong_profile() -> None:
    with pytest.raises(PlanError, match=r"(?s)variable 'toy:name'.*`pulumi config set toy:name <value>`"):
        recorded(lambda: pulumi.Config("toy").require("name"))
