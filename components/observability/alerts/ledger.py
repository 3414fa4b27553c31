"""What a team's pods hold against what its queue counts: guards keep them equal, and this measures whether they are.

Labels and units: kubernetes/kube-state-metrics@v2.20.0 docs/metrics/workload/pod-metrics.md;
kubernetes-sigs/kueue@v0.19.2 pkg/metrics/metrics.go (only with `metrics.enableClusterQueueResources`, which our
configuration turns on); volcano-sh/volcano@v1.15.1 pkg/scheduler/metrics/queue.go, all but memory in thousandths.
"""

from dataclasses import replace
from math import ceil

from bedplate.components.facts import Facts
from bedplate.components.facts.queues import added
from bedplate.components.observability.alerts.alert import Group, Record, read
from bedplate.components.observability.alerts.nodes import spelt
from bedplate.components.observability.texts import document

HELD, COUNTED = (document("alerts/ledger")["texts"][name] for name in ("held", "counted"))
OWN = ("cpu", "memory")
"""Of a node itself. A pod that asks for no more need not be Volcano's, and then no queue counts it."""
ENDING = 5
"""Minutes beyond the grace of a pod that ends: the queue has given away already what it still holds."""
GRACE = 600
"""Seconds, where the profile allows any."""


def ledger(facts: Facts) -> tuple[Group, ...]:
    """Of Kueue and Volcano; KAI emits no amounts by queue that we know."""
    kind = facts.scheduler.kind
    if kind not in ("kueue", "volcano") or not facts.teams:
        return ()
    resources = sorted(added(facts.capacity.values()))
    teams = "|".join(sorted(team.name for team in facts.teams))
    counted = [_kueue(name, teams) if kind == "kueue" else _volcano(name, teams) for name in resources]
    records = (Record(HELD, held(teams, resources, own=kind == "kueue")), *counted)
    (group,) = read("ledger", scheduler=kind, minutes=str(ceil((facts.longest_grace or GRACE) / 60) + ENDING))
    return (replace(group, records=records),)


def held(teams: str, resources: list[str], *, own: bool) -> str:
    """What pods with a node and without an end ask for: all containers together, or the first that asks for more.

    Several exporters may say the same, and a pod of the same name may follow another: each is counted once.
    """
    every = [name for name in resources if own or name not in OWN]
    parts = [_of_pods(f'namespace=~"{teams}",resource=~"{"|".join(map(spelt, every))}",node!=""')]
    if not own:
        both = _of_pods(f'namespace=~"{teams}",resource=~"{"|".join(OWN)}",node!=""')
        parts.append(f'({both} and on (namespace, pod) kube_pod_scheduler{{name="volcano"}})')
    alive = 'max by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"} == 1)'
    return f"sum by (namespace, resource) (({' or '.join(parts)}) * on (namespace, pod) group_left () {alive})"


def _of_pods(chosen: str) -> str:
    once, pod = "max by (namespace, pod, container, resource)", "by (namespace, pod, resource)"
    first = f"{once} (kube_pod_init_container_resource_requests{{{chosen}}})"
    sidecars = 'on (namespace, pod, container) kube_pod_init_container_info{restart_policy="Always"}'
    running = f"{once} (kube_pod_container_resource_requests{{{chosen}}}) or ({first} and {sidecars})"
    sums = (f'label_replace(sum {pod} ({running}), "while", "running", "", "")',)
    sums += (f'label_replace(max {pod} ({first}), "while", "starting", "", "")',)
    return f"max {pod} ({' or '.join(sums)})"


def _kueue(resource: str, teams: str) -> Record:
    """A ClusterQueue has the name of its team; replicas that do not lead know it later."""
    chosen = f'cluster_queue=~"{teams}",resource="{resource}",replica_role!="follower"'
    used = f"max by (cluster_queue, flavor) (kueue_cluster_queue_resource_usage{{{chosen}}})"
    return _counted(resource, f"sum by (cluster_queue) ({used})", "cluster_queue")


def _volcano(resource: str, teams: str) -> Record:
    """A queue has the name of its team, and no series of a device that it has never handed out."""
    chosen = f'queue_name=~"{teams}"'
    processors = f"max by (queue_name) (volcano_queue_allocated_milli_cpu{{{chosen}}})"
    devices = f'max by (queue_name) (volcano_queue_allocated_scalar_resources{{{chosen},resource="{resource}"}})'
    amounts = {
        "cpu": f"{processors} / 1000",
        "memory": f"max by (queue_name) (volcano_queue_allocated_memory_bytes{{{chosen}}})",
    }
    return _counted(resource, amounts.get(resource, f"({devices} / 1000 or 0 * {processors})"), "queue_name")


def _counted(resource: str, amount: str, label: str) -> Record:
    expr = f'max by (namespace) (label_replace({amount}, "namespace", "$1", "{label}", "(.+)"))'
    return Record(COUNTED, expr, {"resource": spelt(resource)})
