"""What the API server itself holds a team's members to: ValidatingAdmissionPolicies, wherever there are teams.

A team that uses RDMA has a namespace of the Pod Security level `privileged`, because no other admits IPC_LOCK; without
these policies a member could be root on every node, and take GPUs past the queue. Operators live elsewhere and are left
alone. What cannot be evaluated is refused: here a gap is worse than a false alarm.
"""

from collections.abc import Iterator
from typing import Any

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.manifest import BINDING, declare_policies
from bedplate.components.tenancy.daemons import daemon_watches
from bedplate.components.tenancy.guards import Watch
from bedplate.components.tenancy.leftover_guards import leftover_watches
from bedplate.components.tenancy.network_guards import network_watches
from bedplate.components.tenancy.node_guards import node_limits
from bedplate.components.tenancy.queue_guards import watches
from bedplate.components.tenancy.runtime_guards import handed_watch, runtime_limits
from bedplate.components.tenancy.stack_guards import stack_watches
from bedplate.components.tenancy.teams import TenancySection
from bedplate.components.workload.clouds import extras
from bedplate.components.workload.templates import PODS, TEMPLATES

API = "admissionregistration.k8s.io/v1"
SUBRESOURCES = (("", "v1", "pods/ephemeralcontainers"),)


class Confinement(Component[TenancySection], token="bedplate:tenancy:Confinement"):
    """Policies for the cluster, bound to the teams' namespaces."""

    def _declare(self, args: Args[TenancySection], _: pulumi.ResourceOptions) -> None:
        declare_policies(manifests(args.section, args.facts), self)


def manifests(section: TenancySection, facts: Facts) -> Iterator[dict[str, Any]]:
    """A policy and its binding for each watch."""
    action = "Deny" if section.confinement == "deny" else "Warn"
    used = [extras(facts.fabric.kind, pool, pool.gpus) for pool in facts.fabric_pools]
    node = Watch("node", (*PODS, *SUBRESOURCES), (*node_limits(facts, used, section.inline_drivers), *runtime_limits()))
    for watch in (
        node,
        handed_watch(),
        *daemon_watches(facts.platform, used),
        *network_watches(section, facts),
        *watches(facts),
        *leftover_watches(facts, section.longest_grace),
        *stack_watches(facts),
    ):
        name = f"bedplate-team-{watch.title}"
        yield {
            "apiVersion": API,
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": policy(watch),
        }
        yield {
            "apiVersion": API,
            "kind": BINDING,
            "metadata": {"name": name},
            "spec": {
                "policyName": name,
                "validationActions": [action],
                "matchResources": {"namespaceSelector": {"matchExpressions": [_teams(facts)]}},
            },
        }


def policy(watch: Watch) -> dict[str, Any]:
    """Its spec."""
    rules = [
        {"apiGroups": [group], "apiVersions": [version], "resources": [plural], "operations": [*watch.operations]}
        for group, version, plural in watch.kinds
    ]
    variables = [("templates", " ".join(TEMPLATES.split())), *watch.variables]
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": rules},
        "matchConditions": [{"name": "what-is-wanted-changes", "expression": watch.when}],
        "variables": [{"name": name, "expression": expression} for name, expression in variables],
        "validations": [limit.document() for limit in watch.limits],
    }


def _teams(facts: Facts) -> dict[str, Any]:
    return {
        "key": "kubernetes.io/metadata.name",
        "operator": "In",
        "values": [team.name for team in facts.teams],
    }
