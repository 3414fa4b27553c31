"""How the engine is measured, without one."""

import json
from pathlib import Path

import pytest

from bedplate.lab.engine import lab_profile
from bedplate.stacks.load import load
from bench import by_hand, engine
from tests.stack_files import graph


def test_without_the_tools_it_says_which_are_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine, "find_cli", lambda: None)
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert engine.main([]) == 1
    assert "the Pulumi CLI and helm missing" in capsys.readouterr().out


def test_helm_installs_the_very_release_that_the_plan_declares() -> None:
    release = next(node for node in graph("lab").resources if node.name == "gpu-operator" and node.kind == "Release")
    command = " ".join(by_hand.helm_command("helm", release, Path("values.yaml")))
    assert command.startswith(
        "helm upgrade --install gpu-operator gpu-operator --repo https://helm.ngc.nvidia.com/nvidia"
    )
    assert f"--version {release.inputs['version']}" in command
    assert command.endswith("--namespace gpu-operator --create-namespace --values values.yaml --wait")


def test_both_ways_install_the_reference_stack() -> None:
    assert {"nfd", "kueue"} <= {node.name for node in engine.graph(lab_profile(engine.REFERENCE)).resources}


@pytest.mark.parametrize("count", engine.NODES)
def test_a_cluster_of_every_size_that_is_measured_may_be_made(count: int) -> None:
    assert sum(pool.nodes for pool in load(engine.of_size(count)).pools) == count + 1


def test_the_longest_way_is_told_by_its_own_resources_that_took_a_second(tmp_path: Path) -> None:
    chain = [f"urn:pulumi:lab::bedplate::kubernetes:core/v1:{name}::x" for name in ("Namespace", "Release", "Job")]
    log = tmp_path / "events.json"
    log.write_text(
        "\n".join(event(urn, index, spent) for index, (urn, spent) in enumerate(zip(chain, (0, 3, 4), strict=True)))
    )
    waits = {chain[0]: [], chain[1]: [chain[0]], chain[2]: [chain[1]]}
    assert engine.bound(waits, set(chain), log) == (7, [("Release x", 3), ("Job x", 4)])
    assert engine.bound(waits, {*chain[:2]}, log) == (3, [("Release x", 3)])


def event(urn: str, began: float, spent: float) -> str:
    """Both events of a resource, a line each."""
    metadata = {"metadata": {"urn": urn}}
    both = (
        {"resourcePreEvent": metadata, "timestamp": began},
        {"resOutputsEvent": metadata, "timestamp": began + spent},
    )
    return "\n".join(json.dumps(one) for one in both)
