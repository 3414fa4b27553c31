"""The policy pack as Pulumi's engine runs it says what the rules say."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as messages
from pulumi.runtime.proto import analyzer_pb2_grpc

from bedplate.plan.graph import STACK_TYPE, Graph, Node
from bedplate.plan.verdicts import resource
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.pack import configuration
from bedplate.stacks.facts.policies import policy_facts
from tests.stack_files import STACKS, graph, profile

PACK = Path(__file__).parents[2] / "policies"
Found = set[tuple[str, str, str]]
"""Severity, resource and message of each complaint."""


class Pack:
    """The pack as a child process, spoken to as the engine does."""

    def __init__(self) -> None:
        command = [sys.executable, "-u", "__main__.py"]
        self.process = subprocess.Popen(command, cwd=PACK, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.channel = grpc.insecure_channel(f"127.0.0.1:{int(self.process.stdout.readline())}")
        self.stub: Any = analyzer_pb2_grpc.AnalyzerStub(self.channel)
        self.info: Any = self.stub.GetAnalyzerInfo(empty_pb2.Empty())

    def close(self) -> None:
        self.channel.close()
        self.process.terminate()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()

    def configure(self, config: Mapping[str, Mapping[str, Any]]) -> None:
        request = messages.ConfigureAnalyzerRequest()
        for policy in self.info.policies:
            own = messages.PolicyConfig(
                enforcementLevel=policy.enforcementLevel, properties=struct(config.get(policy.name, {}))
            )
            request.policyConfig[policy.name].CopyFrom(own)
        self.stub.Configure(request)

    def run(self, graph: Graph) -> Found:
        found: Found = set()
        for node in graph.resources:
            request = messages.AnalyzeRequest(
                type=node.type, properties=struct(sent(node)), urn=node.urn, name=node.name
            )
            found |= {complaint(each, node.urn) for each in self.stub.Analyze(request).diagnostics}
        every = [
            messages.AnalyzerResource(
                type=node.type,
                properties=struct(sent(node)),
                urn=node.urn,
                name=node.name,
                parent=node.parent,
                dependencies=node.dependencies,
            )
            for node in graph.nodes
        ]
        stack = self.stub.AnalyzeStack(messages.AnalyzeStackRequest(resources=every))
        return found | {complaint(each, "") for each in stack.diagnostics}


UNKNOWN_ON_WIRE = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def sent(node: Node) -> Any:
    """Inputs as they travel: what is masked here is a secret there, so its value is not compared."""
    return on_wire(node.inputs) if node.type != STACK_TYPE else {}


def on_wire(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: on_wire(below) for key, below in value.items() if not key.startswith("__")}
    if isinstance(value, list | tuple):
        return [on_wire(item) for item in value]
    return UNKNOWN_ON_WIRE if value in ("[secret]", "[unknown]") else value


def struct(values: Mapping[str, Any]) -> Any:
    return json_format.ParseDict(dict(values), struct_pb2.Struct())


def complaint(diagnostic: Any, urn: str) -> tuple[str, str, str]:
    level: str = messages.EnforcementLevel.Name(diagnostic.enforcementLevel).lower()
    return level, diagnostic.urn or urn, diagnostic.message.partition("\n")[2]


def direct(graph: Graph, facts: Facts) -> Found:
    found = judge([resource(node) for node in graph.resources], facts)
    return {(each.severity, each.urn, f"{each.rule} {each.message}") for each in found}


@pytest.fixture(scope="module")
def pack() -> Iterator[Pack]:
    running = Pack()
    yield running
    running.close()


def careless(graph: Graph) -> Graph:
    """The graph with every release unpinned, every pod's memory volume gone and the namespaces' labels lost."""
    from dataclasses import replace

    def spoiled(node: Node) -> Node:
        inputs = dict(node.inputs)
        if node.kind == "Release":
            inputs.pop("version", None)
        if node.kind == "Namespace" and not node.read:
            inputs["metadata"] = {"name": inputs["metadata"]["name"]}
        return replace(node, inputs=inputs)

    return replace(graph, nodes=tuple(map(spoiled, graph.nodes)))


@pytest.mark.parametrize("stack", STACKS)
def test_the_engine_hears_the_same_as_a_direct_call(pack: Pack, stack: str) -> None:
    facts = Facts.from_mapping(policy_facts(profile(stack)))
    pack.configure(configuration(facts))  # pyright: ignore[reportArgumentType]
    assert pack.run(graph(stack)) == direct(graph(stack), facts)
    spoiled = careless(graph(stack))
    assert pack.run(spoiled) == direct(spoiled, facts)
    assert any("GPU-102" in message for _, _, message in direct(spoiled, facts))


def test_a_level_in_the_configuration_moves_a_rule(pack: Pack) -> None:
    spoiled = careless(graph("lab"))
    config = {policy.name: {"levels": {"GPU-102": "mandatory"}} for policy in pack.info.policies}
    pack.configure(config)
    levels = {level for level, _, message in pack.run(spoiled) if message.startswith("GPU-102")}
    assert levels == {"mandatory"}


def test_what_the_profile_waives_is_shown_in_the_preview_and_stops_nothing(pack: Pack) -> None:
    spoiled = careless(graph("lab"))
    waiver = {"rule": "GPU-102", "resource": "Release *", "reason": "a mirror of one version"}
    pack.configure(configuration(Facts.from_mapping({"waivers": [waiver]})))  # pyright: ignore[reportArgumentType]
    said = {(level, message) for level, _, message in pack.run(spoiled) if message.startswith("GPU-102 Release")}
    assert {level for level, _ in said} == {"advisory"}
    assert all(message.endswith("Waived: a mirror of one version.") for _, message in said)


def test_the_pack_says_what_it_is_and_what_it_can_be_told(pack: Pack) -> None:
    assert pack.info.name == "bedplate"
    names = [policy.name for policy in pack.info.policies]
    assert names == ["resources-mandatory", "resources-advisory", "stack-mandatory", "stack-advisory"]
    for policy in pack.info.policies:
        schema = json_format.MessageToDict(policy.configSchema.properties)
        assert set(schema) == {"facts", "levels"}
        assert schema["facts"]["default"] == {}
        assert "platform" in schema["facts"]["properties"]
