"""Alerts on the RDMA fabric, by the node exporter's reading of /sys/class/infiniband.

EFA, TCPXO and gIB have no port state there; their check is the bandwidth that jobs reach.
"""

from components.facts import Fabric
from components.observability.alerts.alert import Alert, Group

WHERE = "{{ $labels.device }} port {{ $labels.port }} of {{ or $labels.node $labels.instance }}"
ACTIVE = 4


def fabric(known: Fabric) -> tuple[Group, ...]:
    """Ports, their speed, and for RoCE what tells a lossy network."""
    if known.kind not in ("infiniband", "roce"):
        return ()
    alerts = (*_ports(known), *(ROCE if known.kind == "roce" else ()))
    return (Group("fabric", frozenset({"node-exporter"}), alerts),)


def devices(known: Fabric) -> str:
    """The HCAs that carry jobs, where the profile names them: unused and management ports may be down."""
    names = known.env.get("NCCL_IB_HCA", "")
    return names.removeprefix("=").replace(",", "|") if names.startswith("=") else "mlx5_.+"


def _ports(known: Fabric) -> tuple[Alert, ...]:
    ports = f'device=~"{devices(known)}"'
    down = Alert(
        "RdmaPortDown",
        f"node_infiniband_state_id{{{ports}}} != {ACTIVE}",
        f"{WHERE} is not active",
        "Jobs on this node lose a rail or fail. Check cable, transceiver and switch port; on InfiniBand also the SM.",
        "critical",
        "isolate",
        hold="2m",
    )
    flapping = Alert(
        "RdmaLinkFlapping",
        f"increase(node_infiniband_link_downed_total{{{ports}}}[1h]) > 2",
        f"{WHERE} went down {{{{ $value | humanize }}}} times in an hour",
        "Reseat or replace the transceiver; drain the node if jobs fail.",
    )
    slow = Alert(
        "RdmaLinkSlow",
        f"node_infiniband_rate_bytes_per_second{{{ports}}} < {known.nic_gbps * 10**9 // 8}",
        f"{WHERE} runs below {known.nic_gbps} Gb/s",
        "The link trained at a lower rate or width: cable, transceiver, or the switch port's settings.",
        hold="10m",
    )
    return (down, flapping, slow) if known.nic_gbps else (down, flapping)


ROCE = (
    Alert(
        "RoceLosesPackets",
        "rate(node_infiniband_packet_sequence_errors_total[5m]) > 1"
        " or rate(node_infiniband_local_ack_timeout_errors_total[5m]) > 1",
        "{{ $labels.device }} of {{ or $labels.node $labels.instance }} sends packets again",
        "The fabric drops packets: check PFC and ECN on the path, MTU, and that jobs use the lossless traffic class.",
        hold="10m",
    ),
)
