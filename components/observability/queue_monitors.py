"""ServiceMonitors of the schedulers, whose charts have none, or none that takes a site's labels."""

from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, Monitoring
from bedplate.components.marks import marks
from bedplate.components.section import Section

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 - where Prometheus' own token is


class QueueMonitors(Component[Section], token="bedplate:observability:QueueMonitors"):
    """Has Kueue or Volcano scraped."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for monitor in queue_monitors(args.facts):
            k8s.apiextensions.CustomResource(f"{monitor['metadata']['name']}-monitor", **monitor, opts=child)


def queue_monitors(facts: Facts) -> Iterator[dict[str, Any]]:
    """Of the scheduler that is here, for a Prometheus operator."""
    if facts.monitoring and facts.monitoring.google:
        return
    if facts.monitoring and "kueue" in facts.monitoring.exporters:
        yield _monitor("kueue", "kueue-system", KUEUE_LABELS, KUEUE_ENDPOINT, facts.monitoring)
    if facts.monitoring and "volcano" in facts.monitoring.exporters:
        yield _monitor("volcano-scheduler", "volcano-system", VOLCANO_LABELS, {"port": "metrics"}, facts.monitoring)


KUEUE_LABELS = {"app.kubernetes.io/name": "kueue", "app.kubernetes.io/component": "metrics-service"}
KUEUE_ENDPOINT = {
    "port": "https",
    "scheme": "https",
    "path": "/metrics",
    # It answers only to those who may get `/metrics`, with a certificate that it made itself (chart 0.19.2).
    "bearerTokenFile": TOKEN,
    "tlsConfig": {"insecureSkipVerify": True},
}
VOLCANO_LABELS = {"app": "volcano-scheduler"}


def _monitor(
    name: str, namespace: str, selector: dict[str, str], endpoint: dict[str, Any], monitoring: Monitoring
) -> dict[str, Any]:
    return {
        "api_version": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {"name": name, "namespace": namespace, **marks(labels=monitoring.labels)},
        "spec": {
            "selector": {"matchLabels": selector},
            "namespaceSelector": {"matchNames": [namespace]},
            "endpoints": [endpoint],
        },
    }
