"""Alerts on the scheduler: jobs that wait though they should not."""

from bedplate.components.observability.alerts.alert import Alert, Group

KUEUE = Group(
    "kueue",
    frozenset({"kueue"}),
    (
        Alert(
            "KueuePendingTooLong",
            'min_over_time(kueue_pending_workloads{status="active"}[2h]) > 0'
            " unless on (cluster_queue) increase(kueue_admitted_workloads_total[2h]) > 0",
            "Nothing was admitted from {{ $labels.cluster_queue }} for two hours, and jobs wait",
            "`kubectl get workloads -A` says why: quota, topology, or nodes that are away.",
        ),
        Alert(
            "KueueInadmissible",
            'kueue_pending_workloads{status="inadmissible"} > 0',
            "{{ $value }} jobs of {{ $labels.cluster_queue }} cannot be admitted as they are",
            "They ask for more than the queue can ever give, or for a flavor that it lacks.",
            "info",
            hold="24h",
        ),
        Alert(
            "KueueQueueInactive",
            'kueue_cluster_queue_status{status="active"} == 0',
            "{{ $labels.cluster_queue }} admits nothing",
            "A flavor, topology or admission check that it names is missing: `kubectl describe clusterqueue`.",
            "critical",
            hold="15m",
        ),
        Alert(
            "KueuePodsNeverReady",
            'increase(kueue_evicted_workloads_total{reason="PodsReadyTimeout"}[1h]) > 3',
            "Jobs of {{ $labels.cluster_queue }} start and never get ready",
            "Images that cannot be pulled, or nodes that accept pods and do not run them.",
        ),
    ),
)

VOLCANO = Group(
    "volcano",
    frozenset({"volcano"}),
    (
        Alert(
            "VolcanoPendingTooLong",
            "min_over_time(volcano_unschedule_job_count[2h]) > 0",
            "{{ $value }} jobs could not be scheduled for two hours",
            "`kubectl get podgroups -A` says why: capacity of the queue, or a gang that does not fit.",
        ),
        Alert(
            "VolcanoQueueOverused",
            "volcano_queue_overused > 0",
            "Queue {{ $labels.queue_name }} has more than its share",
            "It lends from others; they get it back by reclaim when they ask.",
            "info",
            hold="6h",
        ),
    ),
)
