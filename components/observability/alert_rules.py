"""Alert rules: one PrometheusRule a subject, or Google's kind of it, with only what the cluster's exporters can answer.

Says nothing about who is told: that is Alertmanager's configuration, a secret of the site.
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Monitoring
from bedplate.components.observability.alerts.alert import Group
from bedplate.components.observability.alerts.groups import groups
from bedplate.components.observability.google import cluster_rules
from bedplate.components.section import Section


class AlertRules(Component[Section], token="bedplate:observability:AlertRules"):
    """What Prometheus evaluates."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        monitoring = args.facts.monitoring
        if monitoring:
            for group in groups(args.facts):
                manifest = cluster_rules(group) if monitoring.google else prometheus_rule(group, monitoring)
                k8s.apiextensions.CustomResource(f"{group.name}-alerts", **manifest, opts=child)


def prometheus_rule(group: Group, monitoring: Monitoring) -> dict[str, Any]:
    """The group as a custom resource, labelled so that the site's Prometheus takes it."""
    return {
        "api_version": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {
            "name": f"bedplate-{group.name}",
            "namespace": monitoring.namespace,
            "labels": {"app.kubernetes.io/part-of": "bedplate", **monitoring.labels},
        },
        "spec": {"groups": [{"name": f"bedplate-{group.name}", "rules": group.rules()}]},
    }
