"""How many objects of operators' kinds a team may have: each may have a megabyte and more of etcd, as Kubernetes' own.

Not in the team's other quota, which comes before the operators: a quota that names a kind refuses every object of it
until the cluster counts it. It hears of new kinds once in 30 s, and looks at quotas that named one before once in 5 min
(kubernetes/kubernetes@v1.35.4, cmd/kube-controller-manager/app/core.go, pkg/controller/resourcequota;
staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go `hasUsageStats`). So these come after all
operators, and what makes such objects waits until they count.
"""

from collections.abc import Iterable

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.readiness import timeouts, wait_for
from bedplate.components.tenancy.access import brought
from bedplate.components.tenancy.counts import ENDED, jobs, pods
from bedplate.components.tenancy.teams import Team, TenancySection

COUNTED_WITHIN = 600
"""Seconds: twice what the cluster takes at most by default."""
GROUPS = "podgroups.scheduling.volcano.sh"
"""Volcano makes one for each pod that has none (volcano-sh/volcano@v1.15.1, pkg/controllers/podgroup)."""


class TeamKinds(Component[TenancySection], token="bedplate:tenancy:TeamKinds"):
    """A ResourceQuota for each team, done once the cluster counts each kind."""

    def _declare(self, args: Args[TenancySection], child: pulumi.ResourceOptions) -> None:
        gate = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(custom_timeouts=timeouts(COUNTED_WITHIN)))
        for team in args.section.teams:
            hard = counts(team, args.facts)
            k8s.core.v1.ResourceQuota(
                f"{team.name}-kinds-counted",
                metadata={"name": "kinds", "namespace": team.name, "annotations": counted(hard)},
                spec={"hard": hard},
                opts=gate,
            )


def counts(team: Team, facts: Facts) -> dict[str, str]:
    """As many of each kind as there may be Jobs; of PodGroups as many as pods, of which each may have its own."""
    each = dict.fromkeys(brought(facts), jobs(team.limits, facts))
    groups = {GROUPS: each[GROUPS] + pods(team.limits, facts) + ENDED} if GROUPS in each else {}
    return {f"count/{kind}": str(number) for kind, number in (each | groups).items()}


def counted(keys: Iterable[str]) -> dict[str, str]:
    """What is waited for: a number of each kind, be it none, where the cluster says what is used."""
    return wait_for(*(f"jsonpath={{.status.used['{key}']}}" for key in keys))
