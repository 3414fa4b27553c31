"""The plan as one page of HTML that needs nothing else: for a pull request's artefacts, or a wall."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from .drawing import draw
from .graph import Graph
from .show import DISCLAIMER
from .to_yaml import to_yaml

TEMPLATE = Path(__file__).with_name("report.html.jinja")


def report(graph: Graph, brief: Mapping[str, Any]) -> str:
    """The page."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["yaml"] = to_yaml
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(plan=brief, drawing=draw(graph), resources=graph.resources, disclaimer=DISCLAIMER)
