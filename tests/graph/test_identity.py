"""A deployed resource is known by its URN: none changes by accident, none is shared by two."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from bedplate.plan.capture import capture_config
from bedplate.plan.graph import Graph
from bedplate.stacks.platform import deploy as platform
from bedplate.stacks.platform.step import Step
from tests.stack_files import STACKS, document, graph, graph_of
from tests.tools.golden_urns import former, golden, lost, urns

PROFILES = Path(__file__).parents[1] / "profiles"
REFRESH = "run `python -m tests.tools.golden_urns`"


@pytest.mark.parametrize("stack", STACKS)
def test_no_deployed_resource_loses_its_identity(stack: str) -> None:
    assert lost(stack, graph(stack)) == [], "give the step (`formerly`) or the resource (`aliases`) an alias"


@pytest.mark.parametrize("stack", STACKS)
def test_the_list_of_identities_is_current(stack: str) -> None:
    assert urns(graph(stack)) == golden(stack), REFRESH


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The lab with one step of the table replaced."""

    def change(step_name: str, **changes: Any) -> Any:
        steps = tuple(step if step.name != step_name else replace(step, **changes) for step in platform.PLATFORM)
        monkeypatch.setattr(platform, "PLATFORM", steps)
        return capture_config("lab", {"bedplate:profile": document("lab")})

    yield change
    monkeypatch.undo()


def test_a_step_that_is_renamed_is_noticed_unless_it_says_what_it_was(renamed: Any) -> None:
    assert lost("lab", renamed("nfd", name="features"))
    assert lost("lab", renamed("features", formerly=(pulumi.Alias(name="nfd"),))) == []


def test_a_component_whose_type_changed_takes_its_children_along(renamed: Any) -> None:
    def build(name: str, _: Any, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        return pulumi.ComponentResource("bedplate:elsewhere:Priorities", name, opts=opts)

    assert lost("lab", renamed("priorities", build=build))
    components = [urn for urn in golden("lab") if "$" not in urn and urn.endswith("::priorities")]
    was = pulumi.Alias(type_="bedplate:tenancy:Priorities")
    assert not set(components) & set(lost("lab", renamed("priorities", build=build, formerly=(was,))))


def test_steps_say_their_name_once() -> None:
    names = [step.name for step in platform.PLATFORM]
    assert len(names) == len(set(names))
    assert all(isinstance(step, Step) for step in platform.PLATFORM)


def server(namespace: str, kind: str = "vllm") -> dict[str, Any]:
    weights = {"kind": "hugging-face", "repository": "meta-llama/Llama-3.1-8B-Instruct", "gated": True}
    place = {"namespace": namespace, "pool": "h100"}
    return {"kind": kind, "name": "chat", **place, "model": "llama-3.1-8b", "weights": weights}


@pytest.mark.parametrize("kind", ["vllm", "vllm-stack"])
def test_two_teams_may_have_a_server_of_one_name(kind: str) -> None:
    one = document("onprem-h100-roce")
    one["serving"] = {"servers": [server("research", kind), server("serving", kind)]}
    found = [node for node in graph_of(one).resources if node.name in ("research/chat", "serving/chat")]
    assert len({node.urn for node in found}) == len(found)
    assert {
        node.inputs["metadata"]["namespace"] if "metadata" in node.inputs else node.inputs["namespace"]
        for node in found
    } == {"research", "serving"}


def test_a_volume_and_a_team_may_share_their_words() -> None:
    one = document("onprem-h100-roce")
    del one["serving"]
    one["tenancy"]["teams"] = [{"name": "research"}, {"name": "research-a"}]
    disk = one["storage"]["volumes"][0]
    one["storage"]["volumes"] = [
        {**disk, "name": "a-b", "namespaces": ["research"]},
        {**disk, "name": "b", "namespaces": ["research-a"]},
    ]
    found = [node for node in graph_of(one).resources if node.kind == "PersistentVolume"]
    assert sorted(node.inputs["metadata"]["name"] for node in found) == ["research-a.b", "research.a-b"]


GOOGLES = {"name": "reader", "annotations": {"iam.gke.io/gcp-service-account": "r@p.iam.gserviceaccount.com"}}


def reads(*readers: str) -> Graph:
    """A cluster whose service account `reader` belongs to a volume, to a server, or to both."""
    bucket = {"kind": "custom", "driver": "gcsfuse.csi.storage.gke.io", "fileSystems": {"models": {"handle": "models"}}}
    volume = {"name": "models", "namespaces": ["serve"], "size": "1Ti", "path": "/models", "fileSystem": "models"}
    one = yaml.safe_load((PROFILES / "gke-kimi-from-a-bucket.yaml").read_text())
    one["serving"]["servers"][0]["weights"]["serviceAccount"] = GOOGLES if "server" in readers else "node"
    account = {"serviceAccount": GOOGLES if "volume" in readers else "node"}
    return graph_of({**one, "storage": {"driver": bucket, "volumes": [{**volume, **account}]}})


@pytest.mark.parametrize(
    ("before", "after"),
    [(("server",), ("volume",)), (("volume",), ("server",)), (("server",), ("server", "volume"))],
)
def test_a_service_account_stays_when_another_part_needs_it(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """Made anew beside the one that is there, it would be refused by the API server: their name is one."""
    graphs = (reads(*before), reads(*after))
    [was], [now] = ([node.urn for node in each.resources if node.name == "serve/reader"] for each in graphs)
    assert was != now
    assert was in set(former(graphs[1]))
