"""What KWOK plays: kubelets, volume provisioners, load balancers and, in `operators`, the GPU stack's controllers."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import yaml

from bedplate.lab.stages import operators
from bedplate.lab.stages.definitions import webhook


def load(real: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Every Stage of the lab, ready to be applied, but for the kinds of controllers that really run."""
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        yield from yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader)
    yield from operators.stages(real)


def probes() -> Iterator[dict[str, Any]]:
    """A webhook of each kind, which tells by being opened that the Stages are played."""
    return map(webhook, ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"))
