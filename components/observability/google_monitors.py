"""Has Google's managed Prometheus scrape what no chart asks it to, and lets KEDA ask it."""

from collections.abc import Iterator
from typing import Any

import pulumi

from bedplate.components.facts import Args, Facts
from bedplate.components.manifest import declare
from bedplate.components.observability.google import identity, monitors
from bedplate.components.section import Section


class GoogleMonitors(pulumi.ComponentResource):
    """Monitors of the operators' pods, and the identity of scalers."""

    def __init__(self, name: str, args: Args[Section], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:observability:GoogleMonitors", name, opts=opts)
        for one in manifests(args.facts):
            declare(
                f"{one['metadata']['name']}-{one['kind'].lower()}",
                one,
                pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def manifests(facts: Facts) -> Iterator[dict[str, Any]]:
    """None with another Prometheus."""
    yield from monitors(facts)
    if facts.monitoring and facts.monitoring.google and facts.autoscaler == "keda":
        yield identity()
