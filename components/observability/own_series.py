"""What Prometheus takes from a team's pods: their own series, and none by the names of what exporters say of a cluster.

Members run what they like behind the labels that a server's monitor selects, and `cluster_queue` or `Hostname` is
whatever they say: such a series would hide from the ledger what they hold, or send people to nodes that are well.
"""

from typing import Any

OTHERS = (
    "(ALERTS|DCGM|apiserver|container|etcd|gpu_operator|kube|kubelet|kueue|multikueue|namespace_resource|node|volcano)"
    "[_:].*"
)
"""By the beginnings of their names: those of the exporters, and of what rules record of them."""
DROPPED: dict[str, Any] = {"sourceLabels": ["__name__"], "regex": OTHERS, "action": "drop"}
"""As a rule of relabelling, which Prometheus' operator and Google's collector write alike."""
