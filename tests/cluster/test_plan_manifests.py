"""A real API server takes the manifests of every stack as they are written, in the order of their names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.cluster import Cluster
from plan.__main__ import main
from plan.manifests import manifests
from tests.stack_files import STACKS, graph
from tests.upstream import upstream


def needed_crds() -> Iterator[dict[str, Any]]:
    """The definition of every custom resource that a stack declares; of two versions, the later one."""
    declared = [manifest.document for stack in STACKS for manifest in manifests(graph(stack))]
    kinds = {(document["apiVersion"].partition("/")[0], document["kind"]) for document in declared}
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(upstream("crds").glob("*/*.yaml")):
        crd = yaml.load(path.read_text(), yaml.CSafeLoader)
        found[crd["spec"]["group"], crd["spec"]["names"]["kind"]] = crd
    yield from (found[kind] for kind in sorted(kinds & found.keys()))


@pytest.fixture(scope="module")
def empty(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of its own, with the CRDs that the releases would bring and nothing else."""
    own = Cluster(f"{cluster.name}-plan", cluster.binaries)
    own.start()
    try:
        own.apply(needed_crds())
        own.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        yield own
    finally:
        own.stop()


@pytest.mark.parametrize("stack", STACKS)
def test_kubectl_applies_the_manifests_of_a_plan(
    stack: str, empty: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([stack, "--out", str(tmp_path / "plan")]) == 0
    capsys.readouterr()
    folder = tmp_path / "plan" / "manifests"

    said = empty.kubectl("apply", "--validate=strict", "-f", str(folder))

    assert len(said.splitlines()) == len(list(folder.iterdir()))
