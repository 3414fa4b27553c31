"""EFA: what its devices move, send again and fail at; read by a node exporter with the collector `amazonefa`."""

from bedplate.components.observability.dashboards.panel import Dashboard, Row, Variable, chart, number

EXPORTER = frozenset({"efa"})
HERE = '{instance=~"$instance"}'
DEVICE = "{{instance}} {{device}}"
PEERS = (
    f"increase(node_amazonefa_impaired_remote_conn_events{HERE}[10m])"
    f" + increase(node_amazonefa_unresponsive_remote_events{HERE}[10m])"
)

TRAFFIC = Row(
    "Traffic",
    EXPORTER,
    (
        number("Devices", "count(node_amazonefa_info)", width=6),
        number("Sent by all", "sum(rate(node_amazonefa_tx_bytes[2m])) * 8", "bps", 6),
        number("Busiest device", "max(rate(node_amazonefa_tx_bytes[2m])) * 8", "bps", 6),
        number(
            "Sent again",
            "sum(rate(node_amazonefa_retrans_bytes[5m])) / sum(rate(node_amazonefa_tx_bytes[5m]))",
            "percentunit",
            6,
        ),
        chart("Sent", f"rate(node_amazonefa_tx_bytes{HERE}[2m]) * 8", DEVICE, "bps", 12),
        chart("Received", f"rate(node_amazonefa_rx_bytes{HERE}[2m]) * 8", DEVICE, "bps", 12),
        chart("RDMA reads", f"rate(node_amazonefa_rdma_read_bytes{HERE}[2m])", DEVICE, "Bps", 12),
        chart("RDMA writes", f"rate(node_amazonefa_rdma_write_bytes{HERE}[2m])", DEVICE, "Bps", 12),
    ),
)

ERRORS = Row(
    "Errors",
    EXPORTER,
    (
        chart("Dropped on arrival", f"rate(node_amazonefa_rx_drops{HERE}[5m])", DEVICE),
        chart("Other paths taken", f"rate(node_amazonefa_retrans_timeout_events{HERE}[5m])", DEVICE),
        chart("Impaired and unresponsive peers", PEERS, DEVICE),
    ),
)

EFA = Dashboard(
    "bedplate-efa",
    "EFA",
    "What EFA devices move, send again and fail at.",
    (TRAFFIC, ERRORS),
    (Variable("instance", "node_amazonefa_info", "instance"),),
)
