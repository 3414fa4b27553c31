"""Kueue's view of the cluster: a flavor per pool, a queue per team in one cohort, and the topology.

Quotas cover every resource that a node hands out, the fabric's devices too: a job that asks for one outside is never
admitted (kubernetes-sigs/kueue#4848), and one left out of the count would be invisible to placement (#8838).
"""

from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, NodePool, Topology
from bedplate.components.facts import TeamFacts as Team
from bedplate.components.facts.queues import HOSTNAME, added, quantities
from bedplate.components.section import Section

API = "kueue.x-k8s.io/v1beta2"
REQUESTED = {
    "key": "autoscaling.gke.io/provisioning-request",
    "valueFromProvisioningClassDetail": "ResizeRequestName",
}
"""The label of nodes that came for one request, and where the request says its value."""
ANY_NODE = {"kubernetes.io/os": "linux"}
"""For a pool without a selector: placement needs a label, and taints keep its jobs off the other pools' nodes."""


class KueueQueues(Component[Section], token="bedplate:scheduling:KueueQueues"):
    """Makes flavors, topology and queues once the controller's webhooks answer."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for manifest in queue_manifests(args.facts):
            title = f"{manifest['metadata'].get('namespace', manifest['metadata']['name'])}-{manifest['kind'].lower()}"
            k8s.apiextensions.CustomResource(title, **manifest, opts=child)


def queue_manifests(facts: Facts) -> Iterator[dict[str, Any]]:
    """Everything that jobs are admitted by; the order is free, a queue waits for its flavors."""
    for topology in dict.fromkeys(topology_of(pool, facts) for pool in facts.pools):
        yield _object("Topology", topology.name, {"levels": [{"nodeLabel": level} for level in topology.levels]})
    for pool in facts.pools:
        yield _object("ResourceFlavor", pool.flavor, flavor(pool, facts))
    yield from (check for pool in facts.pools if pool.queued for check in provisioning(pool))
    for team in facts.teams:
        yield _object("ClusterQueue", team.name, cluster_queue(team, facts))
        yield _object("LocalQueue", str(team.queue), {"clusterQueue": team.name}, namespace=team.name)


def topology_of(pool: NodePool, facts: Facts) -> Topology:
    """The network's for GPUs; the nodes alone for others, and for machines without its labels (g5, g6 on EC2).

    Every pool has one: beside a flavor without, a job that names no level is never admitted to a flavor with
    ("supports only TopologyAwareScheduling", kubernetes-sigs/kueue flavorassigner).
    """
    return facts.network_of(pool) or Topology("nodes", (HOSTNAME,))


def flavor(pool: NodePool, facts: Facts) -> dict[str, Any]:
    """The pool's labels and taints, and its gate; jobs bring the tolerations, so that others keep off."""
    labels = {**(pool.selector or ANY_NODE), **pool.gate}
    taints = {"nodeTaints": [dict(taint) for taint in pool.taints]} if pool.taints else {}
    return {"nodeLabels": labels, **taints, "topologyName": topology_of(pool, facts).name}


def cluster_queue(team: Team, facts: Facts) -> dict[str, Any]:
    """The team's part of every pool; what it lends comes back when it asks, by preemption.

    Pools without GPUs come first, so that launchers and the like do not take the CPUs beside idle GPUs.
    """
    pools = sorted(facts.pools, key=lambda pool: pool.total_gpus > 0)
    covered = list(added(facts.capacity.values()))
    return {
        "cohortName": facts.cluster,
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": team.name}},
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "fairSharing": {"weight": team.share},
        "resourceGroups": [
            {"coveredResources": covered, "flavors": [_quota(team, pool, covered) for pool in pools]},
        ],
        **admission_checks(facts),
    }


def admission_checks(facts: Facts) -> dict[str, Any]:
    """A job on such a pool starts when its machines have come; the other pools ask nobody."""
    checks = [{"name": pool.name, "onFlavors": [pool.flavor]} for pool in facts.pools if pool.queued]
    return {"admissionChecksStrategy": {"admissionChecks": checks}} if checks else {}


def provisioning(pool: NodePool) -> Iterator[dict[str, Any]]:
    """Kueue asks the autoscaler for all machines of a job, and keeps its pods on those that came for it.

    Kueue 0.19, "ProvisioningRequest"; GKE's class and its label (GKE documentation, flex-start with queued
    provisioning). Roles of one job that ask for the same are asked for as one.
    """
    yield _object(
        "ProvisioningRequestConfig",
        pool.name,
        {
            "provisioningClassName": "queued-provisioning.gke.io",
            "managedResources": sorted(pool.gpu_resources),
            "parameters": {"maxRunDurationSeconds": str(pool.run_hours * 3600)},
            "podSetMergePolicy": "IdenticalWorkloadSchedulingRequirements",
            "podSetUpdates": {"nodeSelector": [REQUESTED]},
        },
    )
    named = {"apiGroup": API.partition("/")[0], "kind": "ProvisioningRequestConfig", "name": pool.name}
    check = {"controllerName": "kueue.x-k8s.io/provisioning-request", "parameters": named}
    yield _object("AdmissionCheck", pool.name, check)


def _quota(team: Team, pool: NodePool, covered: list[str]) -> dict[str, Any]:
    """Of a resource that the pool's nodes do not have, none."""
    nominal = dict.fromkeys(covered, 0) | dict(team.nominal.get(pool.name, {}))
    limit = {} if team.borrows else {"borrowingLimit": "0"}
    resources = [{"name": name, "nominalQuota": amount, **limit} for name, amount in quantities(nominal).items()]
    return {"name": pool.flavor, "resources": resources}


def _object(kind: str, name: str, spec: dict[str, Any], *, namespace: str | None = None) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"api_version": API, "kind": kind, "metadata": {"name": name, **place}, "spec": spec}
