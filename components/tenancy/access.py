"""What a team's members may do: submit and read in their namespace, nothing beyond it."""

from collections.abc import Iterable
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.secret import secret
from bedplate.components.tenancy.teams import REGISTRY_CREDENTIALS, Team, TenancySection
from bedplate.components.workload.controllers import running

READ = ("get", "list", "watch")
SCALE = ("get", "update", "patch")
WRITE = (*READ, "create", "update", "patch", "delete", "deletecollection")
RBAC = "rbac.authorization.k8s.io"
OWN_GROUPS = ("apps", "batch", "policy")
MADE_OF_THEM = ("replicasets.apps", "controllerrevisions.apps")
"""One for each change of a Deployment, StatefulSet or LeaderWorkerSet: as many as `revisionHistoryLimit` says."""
PULL_SECRET = "registry"  # noqa: S105 - a name


class TeamAccess(Component[TenancySection], token="bedplate:tenancy:TeamAccess"):
    """A Role and its binding to the team's group, and the team's registry credentials."""

    def _declare(self, args: Args[TenancySection], child: pulumi.ResourceOptions) -> None:
        for team in args.section.teams:
            place = k8s.meta.v1.ObjectMetaArgs(name="member", namespace=team.name)
            role = k8s.rbac.v1.Role(f"{team.name}-member", metadata=place, rules=rules(args.facts), opts=child)
            k8s.rbac.v1.RoleBinding(
                f"{team.name}-members",
                metadata=place,
                role_ref={"api_group": RBAC, "kind": "Role", "name": role.metadata.name},
                subjects=[{"api_group": RBAC, "kind": "Group", "name": team.group or team.name}],
                opts=child,
            )
            if team.image_pull_secret:
                _pull_secret(team, child)


def rules(facts: Facts) -> list[Any]:
    """Jobs of every kind that has a controller, what they need beside them, and reading the rest.

    Secrets are read too, as Kubernetes' own role `edit` has it: who may patch one gets all of it in the answer, and
    a pod mounts it. Quota, limits and networks are the platform's, for reading.
    """
    jobs = [_rule(controller.group, controller.plurals, WRITE) for controller in running(facts.training)]
    return [
        _rule("batch", ("jobs", "cronjobs"), WRITE),
        _rule("apps", ("deployments", "statefulsets"), WRITE),
        _rule("apps", ("deployments/scale",), SCALE),
        _rule("apps", ("replicasets", "controllerrevisions", "daemonsets"), READ),
        _rule("autoscaling", ("horizontalpodautoscalers",), READ),
        _rule("keda.sh", ("scaledobjects",), READ),
        _rule("discovery.k8s.io", ("endpointslices",), READ),
        _rule("metrics.k8s.io", ("pods",), ("get", "list")),
        _rule("", ("pods", "services", "configmaps", "secrets", "persistentvolumeclaims"), WRITE),
        # A job of several nodes brings one where drains are the platform's own.
        _rule("policy", ("poddisruptionbudgets",), WRITE),
        _rule("", ("pods/exec", "pods/portforward", "pods/attach"), ("create", "get")),
        _rule("", ("pods/ephemeralcontainers",), ("get", "patch")),
        _rule("", ("pods/log", "events", "resourcequotas", "limitranges", "serviceaccounts"), READ),
        _rule("", ("replicationcontrollers",), READ),  # `kubectl get all` asks
        _rule("networking.k8s.io", ("networkpolicies",), READ),
        _rule("k8s.cni.cncf.io", ("network-attachment-definitions",), READ),
        *jobs,
        *scheduler_rules(facts.scheduler.kind),
    ]


def made(facts: Facts) -> tuple[str, ...]:
    """Kubernetes' own kinds that members may make, beyond the core's, and what it makes of those, as `plural.group`."""
    return (*_creatable(facts, own=True), *MADE_OF_THEM)


def brought(facts: Facts) -> tuple[str, ...]:
    """Kinds of operators that members may make, as `plural.group`."""
    return _creatable(facts, own=False)


def _creatable(facts: Facts, *, own: bool) -> tuple[str, ...]:
    groups = [(group, rule) for rule in rules(facts) if "create" in rule["verbs"] for group in rule["api_groups"]]
    chosen = [(group, rule) for group, rule in groups if group and (group in OWN_GROUPS) == own]
    return tuple(f"{name}.{group}" for group, rule in chosen for name in rule["resources"])


def scheduler_rules(kind: str) -> list[Any]:
    """What the scheduler lets a team submit and see in its namespace; the queues above are not theirs."""
    match kind:
        case "kueue":
            return [_rule("kueue.x-k8s.io", ("localqueues", "workloads"), READ)]
        case "volcano":
            return [
                _rule("batch.volcano.sh", ("jobs", "cronjobs"), WRITE),
                _rule("scheduling.volcano.sh", ("podgroups",), WRITE),
            ]
        case "kai":
            return [_rule("scheduling.run.ai", ("podgroups",), READ)]
        case _:
            return []


def _rule(group: str, kinds: Iterable[str], verbs: Iterable[str]) -> dict[str, list[str]]:
    return {"api_groups": [group], "resources": list(kinds), "verbs": list(verbs)}


def _pull_secret(team: Team, opts: pulumi.ResourceOptions) -> None:
    """Credentials in the namespace, and with every pod of it by way of the default service account."""
    made = k8s.core.v1.Secret(
        f"{team.name}-registry",
        metadata={"name": PULL_SECRET, "namespace": team.name},
        type="kubernetes.io/dockerconfigjson",
        string_data={".dockerconfigjson": secret(REGISTRY_CREDENTIALS)},
        opts=opts,
    )
    k8s.core.v1.ServiceAccountPatch(
        f"{team.name}-pull-secret",
        metadata={
            "name": "default",
            "namespace": team.name,
            "annotations": {"pulumi.com/patchForce": "true"},
        },
        image_pull_secrets=[{"name": made.metadata.name}],
        opts=opts,
    )
