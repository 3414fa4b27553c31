"""The cluster at a glance: what it has, what works, who uses it, who waits."""

from bedplate.components.observability.dashboards.panel import Dashboard, Panel, Query, Row, chart, number

DCGM = frozenset({"dcgm"})
KUBE = frozenset({"kube-state-metrics"})
GPUS = 'resource=~"nvidia_com_gpu.*|nvidia_com_mig.*"'
BAD = ((1, "red"),)

CAPACITY = Row(
    "GPUs",
    KUBE,
    (
        number("GPU nodes", f"count(count by (node) (kube_node_status_capacity{{{GPUS}}} > 0))"),
        number("Allocatable", f"sum(kube_node_status_allocatable{{{GPUS}}})"),
        number(
            "Requested",
            f"sum(kube_pod_container_resource_requests{{{GPUS}}} * on (namespace, pod) group_left () "
            '(kube_pod_status_phase{phase="Running"} == 1))',
        ),
        number("Pods pending", 'sum(kube_pod_status_phase{phase="Pending"})', limits=((1, "orange"),)),
        number("Nodes not ready", 'sum(kube_node_status_condition{condition="Ready",status!="true"})', limits=BAD),
        number("Nodes cordoned", "sum(kube_node_spec_unschedulable)", limits=((1, "orange"),)),
        chart(
            "Requested by team",
            f"sum by (namespace) (kube_pod_container_resource_requests{{{GPUS}}})",
            "{{namespace}}",
            width=24,
        ),
    ),
)

HEALTH = Row(
    "Health",
    DCGM,
    (
        number("GPUs read", "count(DCGM_FI_DEV_GPU_TEMP)"),
        number("Xid events", "sum(DCGM_EXP_XID_ERRORS_COUNT)", limits=BAD),
        number("Failed row remaps", "sum(DCGM_FI_DEV_ROW_REMAP_FAILURE)", limits=BAD),
        number("Hottest GPU", "max(DCGM_FI_DEV_GPU_TEMP)", "celsius"),
        number("Power", "sum(DCGM_FI_DEV_POWER_USAGE)", "watt"),
        number("Energy today", "sum(increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[24h])) / 3.6e9", "kwatth"),
        Panel(
            "Xid events by node",
            (Query("sum by (node, gpu, xid) (DCGM_EXP_XID_ERRORS_COUNT) > 0"),),
            kind="table",
            width=12,
            description="docs/monitoring.md says what to do about which.",
        ),
        chart("Utilisation", "avg by (node) (DCGM_FI_DEV_GPU_UTIL) / 100", "{{node}}", "percentunit", 12),
    ),
)

QUEUES = (
    Row(
        "Kueue",
        frozenset({"kueue"}),
        (
            chart(
                "Pending", "max by (cluster_queue, status) (kueue_pending_workloads)", "{{cluster_queue}} {{status}}"
            ),
            chart("Running", "max by (cluster_queue) (kueue_admitted_active_workloads)", "{{cluster_queue}}"),
            chart(
                "Wait until admission, 95 %",
                "histogram_quantile(0.95, sum by (cluster_queue, le)"
                " (rate(kueue_admission_wait_time_seconds_bucket[1h])))",
                "{{cluster_queue}}",
                "s",
            ),
            chart(
                "Quota in use",
                "max by (cluster_queue, flavor, resource) (kueue_cluster_queue_resource_usage)"
                " / max by (cluster_queue, flavor, resource) (kueue_cluster_queue_nominal_quota)",
                "{{cluster_queue}} {{flavor}} {{resource}}",
                "percentunit",
                24,
            ),
        ),
    ),
    Row(
        "Volcano",
        frozenset({"volcano"}),
        (
            chart("Jobs that wait", "volcano_unschedule_job_count", width=12),
            chart("Share of its part", "volcano_queue_share", "{{queue_name}}", "percentunit", 12),
        ),
    ),
)

CLUSTER = Dashboard(
    "bedplate-cluster",
    "GPU cluster",
    "What the cluster has, what works, who uses it and who waits.",
    (CAPACITY, HEALTH, *QUEUES),
)
