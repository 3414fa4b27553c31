"""The pictures of a plan: all that the graph has is on them, nothing lies on anything else, and they show as SVG."""

import re
import sys
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from bedplate.plan.capture import capture
from bedplate.plan.graph import Graph
from bedplate.plan.pictures import fabric, layers, order, pictures
from bedplate.plan.pictures.drawing import Box, Drawing
from bedplate.plan.summary import summary
from bedplate.plan.waves import waves
from tests.tools.pages import pictures as pages

STACKS = ("lab", "onprem-h100-roce", "onprem-h100-ib", "eks-p5", "gke-a3-mega", "inference-l40s")
SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph: Graph) -> dict[str, Drawing]:
    sizing = summary(graph)["sizing"]
    found = {"layers": layers(graph, sizing), "order": order(waves(graph), graph.stack)}
    return {name: each for name, each in (found | {"fabric": fabric(graph, sizing)}).items() if each}


def overlaps(one: Box, other: Box) -> bool:
    right = min(one.left + one.width, other.left + other.width) - max(one.left, other.left)
    below = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    return right > 0.5 and below > 0.5


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_lies_on_anything_else_and_all_of_it_is_inside(stack: str) -> None:
    for name, drawing in drawn(capture(stack)).items():
        parts = [box for box in drawing.boxes if box.style != "soft"]
        assert [(a.lines, b.lines) for a, b in combinations(parts, 2) if overlaps(a, b)] == [], name
        assert all(box.left >= 0 and box.left + box.width <= drawing.width for box in drawing.boxes), name
        assert all(box.top >= 0 and box.top + box.height <= drawing.height for box in drawing.boxes), name


@pytest.mark.parametrize("stack", STACKS)
def test_the_order_has_every_part_an_arrow_for_each_wait_and_the_longest_chain_marked(stack: str) -> None:
    graph = capture(stack)
    parts = [part for wave in waves(graph).waves for part in wave]
    drawing = drawn(graph)["order"]
    assert {box.lines[0].removeprefix("◷ ") for box in drawing.boxes} == {part.name for part in parts}
    assert len(drawing.lines) == sum(len(part.after) for part in parts)
    marked = {box.lines[0].removeprefix("◷ ") for box in drawing.boxes if box.style == "critical"}
    assert marked == {part.name for part in parts if part.critical}


def test_an_arrow_begins_at_what_comes_first_and_ends_at_what_waits_for_it() -> None:
    graph = capture("onprem-h100-roce")
    drawing = drawn(graph)["order"]
    ends = {(owner(drawing, line.points[0]), owner(drawing, line.points[-1])) for line in drawing.lines}
    assert ends == {(before, part.name) for wave in waves(graph).waves for part in wave for before in part.after}


def owner(drawing: Drawing, point: tuple[float, float]) -> str:
    x, y = point
    near = (
        box
        for box in drawing.boxes
        if box.left - 1 <= x <= box.left + box.width + 1 and box.top - 1 <= y <= box.top + box.height + 1
    )
    return next(near).lines[0].removeprefix("◷ ")


def test_layers_name_every_part_with_its_chart_and_the_nodes_below() -> None:
    graph = capture("onprem-h100-roce")
    drawing = drawn(graph)["layers"]
    texts = {box.lines for box in drawing.boxes}
    assert {part.name for wave in waves(graph).waves for part in wave} <= {lines[0] for lines in texts if lines}
    assert ("kueue", "kueue 0.19.2") in texts
    assert drawing.texts[-1].text == "Nodes"
    assert ("h100: 8 nodes dgx-h100", "64 × H100-80GB-HBM3") in texts


@pytest.mark.parametrize(
    ("stack", "networks", "interface"),
    [
        ("onprem-h100-roce", 8, "ens8np0"),
        ("onprem-h100-ib", 8, "ibp220s0"),
        ("gke-a3-mega", 8, "1 × 200 Gb/s"),
        ("eks-p5", 1, "32 × 100 Gb/s"),
    ],
)
def test_a_fabric_has_its_networks_and_each_interface_hangs_on_its_own(
    stack: str, networks: int, interface: str
) -> None:
    drawing = drawn(capture(stack))["fabric"]
    owned = [box for box in drawing.boxes if box.style == "own"]
    assert len(owned) == len(drawing.lines) == networks
    last = drawing.lines[-1]
    assert owner(drawing, last.points[0]) == owned[-1].lines[0]
    below = [box for box in drawing.boxes if box.style == "part"]
    assert owner(Drawing("", 0, 0, tuple(below)), last.points[-1]) == interface


def test_a_cluster_without_a_fabric_has_no_picture_of_it() -> None:
    assert "fabric" not in drawn(capture("inference-l40s"))


def test_each_is_the_same_at_every_run_and_a_file_of_its_own() -> None:
    graph = capture("lab")
    sizing = summary(graph)["sizing"]
    found = dict(pictures(graph, sizing))
    assert found == dict(pictures(capture("lab"), sizing))
    for text in found.values():
        root = ET.fromstring(text)  # noqa: S314 - our own
        assert root.tag == f"{SVG}svg"
        assert root.findtext(f"{SVG}title")
        assert not re.search(r"<script|href=|@import|url\((?!#)", text)


def test_without_the_extra_the_order_is_said_in_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphlay", None)
    graph = capture("lab")
    assert list(dict(pictures(graph, summary(graph)["sizing"]))) == ["layers", "fabric"]


def test_the_pictures_of_the_pages_are_current() -> None:
    written = {path: path.read_text(encoding="utf-8") for path in sorted(pages.FOLDER.iterdir())}
    assert written == dict(pages.files()), "make schema"
