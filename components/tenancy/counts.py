"""How many objects a team may have, and how much it may claim: what no queue counts, and fills etcd or costs money.

Numbers follow from the cluster's size, so that jobs over all of it fit; a team's `limits` say another one. They bound
objects, not bytes. The API server counts what is there, ended or not; of pods besides those that have not ended.
"""

from collections.abc import Iterable
from math import ceil

from pydantic import NonNegativeInt

from bedplate.components.facts import Facts
from bedplate.components.quantity import mib
from bedplate.components.section import Section, Size

PODS_OF_A_NODE = 20
"""Beside its GPUs: a node takes 110 pods (kubelet's default), and agents, other teams and servers need theirs."""
JOBS, CRON_JOBS, DATA, SERVICES, CLAIMS, OF_A_NODE = 5000, 100, 250, 100, 100, 2
ENDED = 12500
"""Ended pods, of which a cluster keeps so many (kube-controller-manager's default, --terminated-pod-gc-threshold)."""
PORTS = 10
"""Of a LoadBalancer, whose ports the API server opens on every node unless it is told not to."""
STORAGE_OF_A_NODE = "10Ti"


class TeamCounts(Section):
    """The most of each; absent: what follows from the cluster's size (docs/teams.md)."""

    pods: NonNegativeInt | None = None
    """Pods that have not ended. By default one for each GPU of the cluster and 20 for each node."""
    jobs: NonNegativeInt | None = None
    """Jobs of Kubernetes' own kind, those of JobSets and TrainJobs too, and as many Deployments, StatefulSets,
    PodDisruptionBudgets, and objects of each kind of the operators'. By default 5000, and 2 for each node."""
    cron_jobs: NonNegativeInt | None = None
    """By default 100."""
    config_maps: NonNegativeInt | None = None
    """ConfigMaps, and as many Secrets: each may have a megabyte of etcd. By default 250, and 2 for each node."""
    services: NonNegativeInt | None = None
    """By default as many as pods, and 100: the Training Operator gives each pod of a job its own."""
    load_balancers: NonNegativeInt = 0
    """Services of type LoadBalancer: an address of the site or the cloud each, which others reach."""
    node_ports: NonNegativeInt = 0
    """Ports that Services open on every node; ten more for each of the load balancers."""
    claims: NonNegativeInt | None = None
    """PersistentVolumeClaims. By default 100, and the stack's own; one for each pod where `storage.cache` claims."""
    storage: Size | None = None
    """All that claims ask for together. By default 10Ti for each node, the stack's own volumes, and caches of pods."""


def counts(own: TeamCounts, team: str, facts: Facts, kinds: Iterable[str] = ()) -> dict[str, str]:
    """Hard limits of a ResourceQuota, for all `kinds` that members make (`plural.group`)."""
    nodes, mine = sum(pool.most for pool in facts.pools), claimed(team, facts)
    data = DATA + OF_A_NODE * nodes
    cached = facts.cache is not None and facts.cache.size is not None
    each, most = jobs(own, facts), pods(own, facts)
    number = {
        **{f"count/{kind}": each for kind in kinds},
        "pods": most,
        "count/pods": most + ENDED,
        "count/jobs.batch": each,
        "count/cronjobs.batch": _or(own.cron_jobs, CRON_JOBS),
        "count/configmaps": _or(own.config_maps, data),
        "count/secrets": _or(own.config_maps, data),
        "count/services": _or(own.services, SERVICES + most),
        "services.loadbalancers": own.load_balancers,
        "services.nodeports": own.node_ports + PORTS * own.load_balancers,
        "persistentvolumeclaims": _or(own.claims, len(mine) + CLAIMS + (most if cached else 0)),
    }
    caches = most * gib(str(facts.cache.size)) if facts.cache and cached else 0
    storage = own.storage or f"{sum(mine) + caches + nodes * gib(STORAGE_OF_A_NODE)}Gi"
    return {**{key: str(most) for key, most in number.items()}, "requests.storage": storage}


def pods(own: TeamCounts, facts: Facts) -> int:
    """That have not ended."""
    nodes = sum(pool.most for pool in facts.pools)
    return _or(own.pods, sum(pool.total_gpus for pool in facts.pools) + PODS_OF_A_NODE * nodes)


def jobs(own: TeamCounts, facts: Facts) -> int:
    """Of each kind that runs pods."""
    return _or(own.jobs, JOBS + OF_A_NODE * sum(pool.most for pool in facts.pools))


def claimed(team: str, facts: Facts) -> list[int]:
    """GiB of each claim that the stack makes in the team's namespace."""
    return [gib(volume.size) for volume in facts.volumes.values() if team in volume.namespaces]


def gib(size: str) -> int:
    """A part of one counts whole."""
    return ceil(mib(size) / 1024)


def _or(stated: int | None, derived: int) -> int:
    return derived if stated is None else stated
