"""Choices that others offer and that are none here: why, and what does what they would do."""

import re
from collections.abc import Mapping

HOST_NETWORK = (
    "such pods are privileged on the node's own network: one on a node, its ports in the way of the next, out of reach "
    "of every NetworkPolicy, and teams may not make them"
)
VIRTUAL = "use sriov: a virtual function of each port for each pod, on OKE the image's own (docs/cloud-azure-oci.md)"
AGENTS = "its rules are resources of the cloud, and its agent reads none of the monitors that operators make"
DECLINED: Mapping[tuple[str, str], tuple[str, str]] = {
    **{("fabric.exposure", choice): (HOST_NETWORK, VIRTUAL) for choice in ("host-network", "hostNetwork", "host")},
    ("pools.capacity.kind", "karpenter"): (
        "Karpenter makes its nodes itself, from a NodePool of the site's",
        "remove capacity and pick its nodes: selector: {karpenter.sh/nodepool: NAME} (docs/cloud-aws.md)",
    ),
    ("pools.capacity.kind", "auto-mode"): (
        "EKS Auto Mode takes neither an image nor user data, so that nothing sets up the huge pages of EFA",
        "use on-demand, odcr or capacity-block; without a fabric remove capacity and pick its nodes by selector",
    ),
    ("monitoring.kind", "azure"): (
        AGENTS,
        "use stack, with remoteWrite: [{kind: azure, ...}] to keep the samples there",
    ),
    ("monitoring.kind", "amazon"): (
        AGENTS,
        "use stack, with remoteWrite: [{kind: amazon, ...}] to keep the samples there",
    ),
}
"""Reason and fix, by the key without its numbers and the value."""


def declined(key: str, value: object) -> tuple[str, str] | None:
    """Reason and fix; None: nobody looks for such a choice."""
    return DECLINED.get((re.sub(r"\[\d+\]", "", key), str(value)))
