"""The RDMA fabric: ports, traffic, and what a lossless network must not show."""

from bedplate.components.observability.dashboards.panel import Dashboard, Row, Variable, chart, number

NODE_EXPORTER = frozenset({"node-exporter", "rdma"})
HERE = '{instance=~"$instance"}'
PORT = "{{instance}} {{device}}"

PORTS = Row(
    "Ports",
    NODE_EXPORTER,
    (
        number("Active", "count(node_infiniband_state_id == 4)", width=6),
        number("Not active", "count(node_infiniband_state_id != 4) or vector(0)", width=6, limits=((1, "red"),)),
        number("Downs in a day", "sum(increase(node_infiniband_link_downed_total[24h]))", width=6),
        number("Slowest port", "min(node_infiniband_rate_bytes_per_second) * 8", "bps", 6),
        chart("Sent", f"rate(node_infiniband_port_data_transmitted_bytes_total{HERE}[2m]) * 8", PORT, "bps", 12),
        chart("Received", f"rate(node_infiniband_port_data_received_bytes_total{HERE}[2m]) * 8", PORT, "bps", 12),
    ),
)

ERRORS = Row(
    "Errors",
    NODE_EXPORTER,
    (
        chart("Symbol errors", f"rate(node_infiniband_symbol_error_total{HERE}[5m])", PORT),
        chart("Discards", f"rate(node_infiniband_port_discards_transmitted_total{HERE}[5m])", PORT),
        chart("Waits for credits", f"rate(node_infiniband_port_transmit_wait_total{HERE}[5m])", PORT),
    ),
)

ROCE = Row(
    "Congestion",
    NODE_EXPORTER | {"roce"},
    (
        chart(
            "Marked packets (ECN)", f"rate(node_infiniband_np_ecn_marked_roce_packets_received_total{HERE}[5m])", PORT
        ),
        chart("Sent again", f"rate(node_infiniband_packet_sequence_errors_total{HERE}[5m])", PORT),
        chart("Timeouts", f"rate(node_infiniband_local_ack_timeout_errors_total{HERE}[5m])", PORT),
    ),
)

FABRIC = Dashboard(
    "bedplate-fabric",
    "RDMA fabric",
    "Ports, traffic, and what a lossless network must not show.",
    (PORTS, ERRORS, ROCE),
    (Variable("instance", "node_infiniband_state_id", "instance"),),
)
