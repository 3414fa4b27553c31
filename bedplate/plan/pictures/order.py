"""What comes up after what: a box for each component, an arrow to what waits for it, the longest chain of gates marked.

The places are graphlay's (a layered layout, the same for the same graph). It is an extra, `bedplate[pictures]`: it has
no file for some systems, and a plan must install there, too.
"""

from importlib.util import find_spec

from bedplate.plan.waves import Part, Waves

from .drawing import EDGE, Box, Drawing, Line, height, width

SPACING = {"layer_gap": 34.0, "node_gap": 14.0, "dummy_gap": 12.0, "port_gap": 8.0, "isolated_gap": 14.0}
OPTIONS = {"direction": "topbottom", "spacing": SPACING}
GATE = "◷ "


def order(waves: Waves, stack: str) -> Drawing | None:
    """None without the extra: what waits for what is then said in words alone."""
    parts = [part for wave in waves.waves for part in wave]
    if not parts or not find_spec("graphlay"):
        return None
    import graphlay  # noqa: PLC0415 - an extra, and only a written plan needs it

    graph = graphlay.Graph()
    for part in parts:
        graph.node(part.name, width=width([_label(part)]), height=height(1))
    for part in parts:
        for before in part.after:
            graph.edge(before, part.name)
    placed = graphlay.layout(graph, options=OPTIONS)
    low, high = placed.bounds["min"], placed.bounds["max"]
    left, top = low["x"] - EDGE, low["y"] - EDGE
    return Drawing(
        f"The order of {stack}: what points to a part comes up before it",
        high["x"] - left + EDGE,
        high["y"] - top + EDGE,
        tuple(_box(part, *placed.positions()[part.name], left, top) for part in parts),
        tuple(Line(tuple((at["x"] - left, at["y"] - top) for at in edge["points"])) for edge in placed.edges),
    )


def _box(part: Part, x: float, y: float, left: float, top: float) -> Box:
    wide, high = width([_label(part)]), height(1)
    style = "critical" if part.critical else "part"
    return Box(x - left - wide / 2, y - top - high / 2, wide, high, (_label(part),), style)


def _label(part: Part) -> str:
    return f"{GATE if part.gates else ''}{part.name}"
