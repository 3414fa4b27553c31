"""Alerts on EFA's own counters, which only a node exporter with the collector `amazonefa` reads.

The stock one says of an EFA device that it is there and how fast, and no byte (prometheus/node_exporter#3670). Packets
sent again are no alarm: SRD sprays over many paths, and takes another one. What it cannot mend is.
"""

from bedplate.components.observability.alerts.alert import Alert, Group

WHERE = "{{ $labels.device }} of {{ or $labels.node $labels.instance }}"

EFA = Group(
    "efa",
    frozenset({"efa"}),
    (
        Alert(
            "EfaRemoteUnresponsive",
            "increase(node_amazonefa_unresponsive_remote_events[10m]) > 0",
            f"{WHERE} gets no answer from another node",
            "That node is gone, or a security group does not let all traffic pass to itself in both directions.",
        ),
        Alert(
            "EfaPathImpaired",
            "increase(node_amazonefa_impaired_remote_conn_events[10m]) > 0",
            f"{WHERE} sends slower, because a way to another node is impaired",
            "Look which nodes count it: one in all of them is the sick one. Drain and replace it if it goes on.",
        ),
        Alert(
            "EfaDropsPackets",
            "rate(node_amazonefa_rx_drops[5m]) > 1",
            f"{WHERE} drops packets that arrive",
            "Receivers do not post buffers fast enough: look at the CPUs of the job's pods and its libfabric release.",
            hold="10m",
        ),
        Alert(
            "EfaRdmaFails",
            "increase(node_amazonefa_rdma_read_wr_err[10m]) > 0 or increase(node_amazonefa_rdma_write_wr_err[10m]) > 0",
            f"RDMA requests of {WHERE} fail",
            "The job that made them fails or hangs; its log says which peer. A node that repeats it is to be replaced.",
        ),
    ),
)
