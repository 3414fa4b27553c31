"""Against rendered charts: 0 images are missing on the lists, with defaults and with every stack's own values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.charts import names, releases
from bedplate.components.chart_images import FILE, pulled
from bedplate.components.image_digests import of_release, whole
from bedplate.evidence.images import Nodes, of_plan
from bedplate.evidence.reference import named
from bedplate.plan.answers import KUSTOMIZATION, RELEASE
from bedplate.plan.graph import Node
from bedplate.plan.summary import resources
from tests.chart_renders import bare, images, manifests, mirror, rendered
from tests.stack_files import STACKS, graph

UBUNTU = Nodes("ubuntu", ("ubuntu24.04",), ("amd64",))
DIGEST = f"sha256:{'a' * 64}"
OF_THE_NODE = {"cos-nvidia-installer"}
"""Images that node images bring, which nobody pulls."""


def archive(node: Node) -> Path:
    chart = str(node.inputs["chart"]).rpartition("/")[2]
    return mirror() / f"{chart}-{node.inputs['version']}.tgz"


def kept(chart: str, version: str) -> Path | None:
    """The archive in the mirror, if there is one; KAI's chart has a `v`, its values' file has none."""
    return next((path for v in ("", "v") if (path := mirror() / f"{chart}-{v}{version}.tgz").exists()), None)


def missing(node: Node) -> set[str]:
    """Images of the rendered release that the list lacks."""
    found = rendered(archive(node), node.inputs.get("values") or {})
    row = {"type": RELEASE, "name": node.name, "inputs": node.inputs}
    listed = {bare(image) for image in of_plan([row], UBUNTU).found}
    return {image for one in found for image in images(one)} - listed


@pytest.mark.parametrize("stack", STACKS)
def test_no_image_of_a_stacks_rendered_releases_is_missing_on_its_list(stack: str) -> None:
    releases = [node for node in graph(stack).resources if node.type == RELEASE]
    lacking = {node.name: missing(node) for node in releases if archive(node).exists()}
    assert {name: found for name, found in lacking.items() if found} == {}
    assert len(lacking) > 3


@pytest.mark.parametrize(("chart", "version"), [(one, each) for one in names() for each in releases(one, FILE)])
def test_no_image_of_a_chart_with_its_defaults_is_missing_on_the_list(chart: str, version: str) -> None:
    path = kept(chart, version)
    folder = mirror() / f"{chart}-{version}"
    if path is None and not folder.is_dir():
        pytest.skip(f"no {chart} {version} in the mirror")
    objects = rendered(path, {}) if path else manifests(folder)
    listed = {bare(one.image) for one in pulled(chart, version, {}) or ()}
    assert bool(listed) == any(True for one in objects for _ in images(one))
    assert {image for one in objects for image in images(one)} - listed - OF_THE_NODE == set()


@pytest.mark.parametrize("stack", STACKS)
def test_every_image_that_a_plan_declares_itself_is_on_its_list(stack: str) -> None:
    listed = {bare(image) for image in of_plan(resources(graph(stack)), UBUNTU).found}
    own = [node for node in graph(stack).resources if node.type not in (RELEASE, KUSTOMIZATION)]
    assert {bare(one.image) for node in own for one in named(node.inputs)} <= listed


def labels(value: Any) -> Iterator[str]:
    """Values of every label and selector."""
    for item in value if isinstance(value, list) else ():
        yield from labels(item)
    for key, item in value.items() if isinstance(value, dict) else ():
        if key in ("labels", "matchLabels") and isinstance(item, dict):
            yield from map(str, item.values())
        yield from labels(item)


@pytest.mark.parametrize(("chart", "version"), [(one, each) for one in names() for each in releases(one, FILE)])
def test_a_chart_with_its_images_by_digest_renders_pulls_the_same_and_writes_none_into_a_label(
    chart: str, version: str
) -> None:
    path = kept(chart, version)
    if path is None:
        pytest.skip(f"no {chart} {version} in the mirror")
    every = {whole(one.image): DIGEST for one in pulled(chart, version, {}) or () if not one.system}
    made = rendered(path, of_release(chart, version, {}, every))
    assert sorted({image for one in made for image in images(one)}) == sorted(
        {image for one in rendered(path, {}) for image in images(one)}
    )
    assert (DIGEST.partition(":")[2] in yaml.safe_dump_all(made)) is bool(every)
    assert [label for one in made for label in labels(one) if "@" in label] == []
