"""Dashboards as ConfigMaps, which Grafana's sidecar finds by their label."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Monitoring
from bedplate.components.observability.dashboards.pages import pages
from bedplate.components.observability.prometheus_stack import FOLDER_ANNOTATION
from bedplate.components.section import Section

FOLDER = "Bedplate"


class Dashboards(Component[Section], token="bedplate:observability:Dashboards"):
    """One ConfigMap a page."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        if monitoring := args.facts.monitoring:
            for page in pages(args.facts):
                k8s.core.v1.ConfigMap(f"{page['uid']}-dashboard", **config_map(page, monitoring), opts=child)


def config_map(page: dict[str, Any], monitoring: Monitoring) -> dict[str, Any]:
    """The page under a file name of its own: all of them land in one folder of the sidecar."""
    return {
        "metadata": {
            "name": f"{page['uid']}-dashboard",
            "namespace": monitoring.namespace,
            "labels": dict(monitoring.dashboard_labels),
            "annotations": {FOLDER_ANNOTATION: FOLDER},
        },
        "data": {f"{page['uid']}.json": json.dumps(page, indent=1)},
    }
