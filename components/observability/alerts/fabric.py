"""Alerts on the RDMA fabric, by the node exporter's reading of /sys/class/infiniband.

gIB's NICs are there too, as mlx5. What EFA and TCPXO have is in `efa.py` and `devices.py`.
"""

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Alert, Group

WHERE = "{{ $labels.device }} port {{ $labels.port }} of {{ or $labels.node $labels.instance }}"
ACTIVE = 4


def fabric(facts: Facts) -> tuple[Group, ...]:
    """Ports, their speed, and for RoCE what tells a lossy network."""
    known = facts.fabric
    if known.kind not in ("infiniband", "roce", "gib"):
        return ()
    alerts = (*_ports(facts), *_speed(facts), *(ROCE if known.kind != "infiniband" else ()))
    return (Group("fabric", frozenset({"node-exporter"}), alerts),)


def devices(facts: Facts) -> str:
    """The HCAs that carry jobs, where the profile names them: unused and management ports may be down."""
    named = [{**facts.fabric.env, **pool.env}.get("NCCL_IB_HCA", "") for pool in facts.fabric_pools]
    if not named or not all(names.startswith("=") for names in named):
        return "mlx5_.+"
    return "|".join(dict.fromkeys(name for names in named for name in names.removeprefix("=").split(",")))


def _ports(facts: Facts) -> tuple[Alert, ...]:
    ports = f'device=~"{devices(facts)}"'
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
    return (down, flapping)


def _speed(facts: Facts) -> tuple[Alert, ...]:
    """Nothing where some pool's rate is unknown: its sound ports would look slow.

    A series names no pool, so a port that trained down to the rate of another pool goes unseen.
    """
    rates = sorted({pool.nic_gbps for pool in facts.fabric_pools}, reverse=True)
    if not all(rates):
        return ()
    first, *slower = rates
    rate = f'node_infiniband_rate_bytes_per_second{{device=~"{devices(facts)}"}}'
    sound = " or ".join(f"{rate} == {_bytes(gbps)}" for gbps in slower)
    slow = Alert(
        "RdmaLinkSlow",
        f"{rate} < {_bytes(first)}" + (f" unless ({sound})" if sound else ""),
        f"{WHERE} runs below {first} Gb/s" + (", at the rate of no pool" if slower else ""),
        "The link trained at a lower rate or width: cable, transceiver, or the switch port's settings.",
        hold="10m",
    )
    return (slow,)


def _bytes(gbps: int) -> int:
    """A second."""
    return gbps * 10**9 // 8


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
