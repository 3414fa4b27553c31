"""Has Google's managed Prometheus scrape what no chart asks it to, and lets KEDA ask it."""

from collections.abc import Iterator
from typing import Any

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.manifest import declare
from bedplate.components.observability.google import identity, monitors
from bedplate.components.section import Section


class GoogleMonitors(Component[Section], token="bedplate:observability:GoogleMonitors"):
    """Monitors of the operators' pods, and the identity of scalers."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for manifest in manifests(args.facts):
            declare(
                f"{manifest['metadata']['name']}-{manifest['kind'].lower()}",
                manifest,
                child,
            )


def manifests(facts: Facts) -> Iterator[dict[str, Any]]:
    """None with another Prometheus."""
    yield from monitors(facts)
    if facts.monitoring and facts.monitoring.google and facts.autoscaler == "keda":
        yield identity()
