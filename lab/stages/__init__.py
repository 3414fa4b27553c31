"""What KWOK plays: kubelets, volume provisioners, load balancers and, in `operators`, the GPU stack's controllers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from lab.stages import operators


def load() -> Iterator[dict[str, Any]]:
    """Every Stage of the lab, ready to be applied."""
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        yield from yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader)
    yield from operators.stages()
