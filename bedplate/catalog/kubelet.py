"""What a node keeps from its pods, by the platform that sets up its kubelet; in MiB and millicores.

A kubelet offers what the kernel sees of the machine, less what is reserved, less the eviction threshold (Kubernetes
documentation, "Reserve compute resources for system daemons"). Each platform reserves by a formula of its own, and its
agents on every node ask for some of the rest. The figures err on the side of too little for pods: a pod that asks for
a MiB more than there is waits for ever. Standard library alone; huge pages and our own agents are not in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

GIB = 1024
MEBI, MEGA = 1024**2, 1000**2
EVICTION = 100
"""The kubelet's own hard threshold of `memory.available` (Kubernetes documentation, "Node-pressure eviction")."""
UNKNOWN_PODS = 250
"""Pods of an EC2 machine of which nobody published the number: the most that EKS advises."""
AKS_PODS = 250
"""The default, and the most, with Azure CNI Overlay (Azure/AKS documentation, "IP address planning")."""
BRACKETS = ((4, 25), (4, 20), (8, 10), (112, 6), (None, 2))
"""GiB and percent: GKE documentation, "Plan node sizes"; hatemosphere/gke-node-allocatable-memory-calculator@fcc0bb7.
The same in Azure/karpenter-provider-azure@352646f pkg/providers/instancetype/instancetype.go, OpenShift's automatic
reserves (harche/openshift-node-sizing) and oracle-devrel/technology-engineering app-dev/oke."""


@dataclass(frozen=True)
class Node:
    """What the formulas ask of a machine."""

    cpus: int
    memory: int
    """MiB, as the seller says it."""
    pods: int | None = None
    """That its network interfaces have addresses for (EC2); None: not published, or no matter."""


@dataclass(frozen=True)
class Reserves:
    """How a platform sets up its kubelets."""

    memory: Callable[[int, Node], int]
    """MiB that are reserved, of so many that the kernel sees."""
    millicores: Callable[[int], int]
    """Reserved of so many processors."""
    unseen: float = 0.02
    """Part of the machine's memory that firmware and kernel keep, beside 256 MiB. Seen: 2.4 % of 16 GiB and 1.7 % of
    56 GiB (`kubectl describe node` of n2-standard-4 and NC6); page tables alone are 1.6 %."""
    eviction: int = EVICTION
    agents: tuple[int, int] = (500, 128)
    """Millicores and MiB that the platform's own agents ask for on each node: network, name service, storage, logs."""


def brackets(memory: int) -> int:
    """Of each part of the memory its percentage, MiB."""
    kept, rest = 0.0, float(memory)
    for size, percent in BRACKETS:
        here = rest if size is None else min(rest, size * GIB)
        kept, rest = kept + here * percent / 100, rest - here
    return round(kept)


def shares(cpus: int, first: float = 60, second: float = 10, to_four: float = 5, more: float = 2.5) -> int:
    """Millicores of the first processor, the second, the third and fourth, and each further."""
    return round(first + second * (cpus > 1) + to_four * min(2, max(0, cpus - 2)) + more * max(0, cpus - 4))


def _eks(_: int, node: Node) -> int:
    return 255 + 11 * (node.pods or UNKNOWN_PODS)


def _aks(seen: int, _: Node) -> int:
    """By pods, at most a quarter; or by brackets and 650 MiB more of eviction, where the node is Karpenter's."""
    by_pods = (20 * AKS_PODS + 50) * MEGA // MEBI
    return max(min(by_pods, seen // 4), brackets(seen) + 650)


def _brackets(seen: int, _: Node) -> int:
    return brackets(seen)


def _fixed(memory: int) -> Callable[[int, Node], int]:
    return lambda _seen, _node: memory


def _millicores(fixed: int) -> Callable[[int], int]:
    return lambda _cpus: fixed


_NOTHING = Reserves(_fixed(0), _millicores(0))
"""kubeadm, k3s and rke2 reserve nothing unless they are told to (their documentation, kubelet configuration)."""
UNSEEN_BY_KARPENTER = 0.075
"""VM_MEMORY_OVERHEAD_PERCENT: what Karpenter takes off before it has seen a machine, so that it makes no node for a pod
that asks for more (aws/karpenter-provider-aws@v1.9.2 docs/reference/settings.md; the same in Azure's)."""

RESERVES: Mapping[str, Reserves] = {
    # awslabs/amazon-eks-ami@v20260724 nodeadm/internal/kubelet/config.go; Bottlerocket the same. Agents: VPC CNI,
    # kube-proxy, EBS CSI and Pod Identity by their charts' defaults.
    "eks": Reserves(_eks, shares, UNSEEN_BY_KARPENTER, agents=(250, 192)),
    # Agents: 884m and 626Mi on a node of GKE 1.36 with Calico; GPU plugin and Managed Prometheus beside them.
    "gke": Reserves(_brackets, shares, agents=(950, 768)),
    # AKS documentation, "Node resource reservations", 1.29 and later. Agents: Azure/AKS#3525, some 750 MB.
    "aks": Reserves(_aks, lambda cpus: shares(cpus, 60, 40, 20, 10), UNSEEN_BY_KARPENTER, agents=(800, 768)),
    # OKE's own advice is 600m (OKE documentation, "Common issues with nodes and pods").
    "oke": Reserves(_brackets, _millicores(600), agents=(300, 256)),
    # siderolabs/talos pkg/machinery/constants/constants.go: KubeletSystemReservedCPU and -MemoryWorker.
    "talos": Reserves(_fixed(384), _millicores(50)),
    # OpenShift documentation, "Allocating resources for nodes": 500m and 1 GiB, or automatically by brackets.
    "openshift": Reserves(lambda seen, _: max(GIB, brackets(seen)), lambda cpus: 500 + 12 * cpus, agents=(700, 2048)),
    **dict.fromkeys(("kubeadm", "k3s", "rke2"), _NOTHING),
}


@dataclass(frozen=True)
class Kept:
    """What becomes of a node's memory and processors before a pod of anybody's is on it."""

    kernel: int
    """MiB that firmware and kernel keep."""
    reserved: int
    """MiB."""
    eviction: int
    """MiB."""
    millicores: int

    @property
    def memory(self) -> int:
        """MiB in all."""
        return self.kernel + self.reserved + self.eviction


def kept(platform: str, node: Node) -> Kept:
    """By the platform's formula; KeyError where there is none."""
    one = RESERVES[platform]
    kernel = round(node.memory * one.unseen) + (256 if one.unseen < UNSEEN_BY_KARPENTER else 0)
    reserved = one.memory(node.memory - kernel, node)
    return Kept(kernel, reserved, one.eviction, one.millicores(node.cpus))
