"""Variables of NCCL and its neighbours: what must not be pinned, and what belongs to another fabric."""

import re
from collections.abc import Iterator

from bedplate.catalog.gpus import near
from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import text, trees, whole

PINNED = (
    *("NCCL_ALGO", "NCCL_PROTO", "NCCL_NTHREADS", "NCCL_BUFFSIZE", "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"),
    *("NCCL_P2P_LEVEL", "NCCL_NET_GDR_LEVEL", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"),
)
"""Variables for debugging, whose defaults NCCL chooses better than any file."""
TUNED = "/nccl-tuned"
AMD = re.compile(r"amd\.com/gpu")
VERBS = re.compile(r"(?!vpc\.amazonaws\.com/).*")
"""Fabric devices that NCCL drives by verbs."""
DISTANCES = ("NCCL_NET_GDR_LEVEL", "NCCL_P2P_LEVEL")
FOREIGN = {
    "efa": ("NCCL_IB_", "RDMAV_"),
    "tcpx": ("NCCL_IB_",),
    "tcpxo": ("NCCL_IB_",),
    "infiniband": ("FI_",),
    "roce": ("FI_",),
}
"""Prefixes of variables that have no meaning on a fabric."""


def _set(pod: Pod, *names: str) -> Iterator[tuple[str, str]]:
    """Those of the variables that are set to a known text."""
    for name in names:
        if value := text(pod.env.get(name)):
            yield name, value


def _tuned(pod: Pod) -> bool:
    """Whether its annotation gives a reason, or may do so. No name and no label is a reason: teams choose both."""
    return any(key.endswith(TUNED) and value for key, value in pod.annotations.items()) or not pod.marks_known


def _cards_of_google(pod: Pod, facts: Facts) -> bool:
    """It may land on one of GKE's pools with PCIe cards, as far as platform and selector are known."""
    kinds = [near(pool.gpu_product) for pool in pools_of(pod, facts) or facts.gpu_pools]
    return facts.platform in (None, "gke") and any(kind is not None and kind.form == "pcie" for kind in kinds)


@rule("NCCL-301", ADVISORY, on=Pod)
def nothing_pinned(pod: Pod, facts: Facts) -> Complaints:
    """Variables meant for debugging stay out of jobs, unless an annotation says why.

    Google asks for NCCL_P2P_LEVEL=SYS on machines with PCIe cards (AI-Hypercomputer/gpu-recipes inference/g4).
    AMD's RCCL reads the same names, and its defaults are others. On Grace NCCL lets the NIC reach the GPU through the
    CPU by itself since 2.27 (NCCL_NET_GDR_C2C); with an older one NCCL_NET_GDR_LEVEL=SYS is worth a fifth of the
    bandwidth there (NVIDIA/nccl#1579), and that is a reason to annotate.
    """
    if _tuned(pod) or pod.requests(AMD) or not whole([container.get("resources") for container in pod.containers]):
        return
    for name, value in _set(pod, *PINNED):
        if (name, value) != ("NCCL_P2P_LEVEL", "SYS") or not _cards_of_google(pod, facts):
            yield f"{name} is {value}"


def _on_oracle(pod: Pod, facts: Facts) -> bool:
    """Oracle's presets set the GID index on purpose, in pods with its virtual functions or on the host's network.

    A pod of which neither is known may be one.
    """
    if facts.platform is not None:
        return facts.platform == "oke"
    if not (pod.devices_known and pod.marks_known and whole(pod.spec.get("hostNetwork"))):
        return True
    marks = [*pod.rdma, *(network.name for network in pod.networks)]
    return pod.host_network or any("rdma-vf" in mark for mark in marks)


@rule("NCCL-302", ADVISORY, also=MANDATORY, on=Pod)
def no_gid_index(pod: Pod, facts: Facts) -> Complaints:
    """Oracle's presets excepted; on InfiniBand it has no meaning at all."""
    for name, value in _set(pod, "NCCL_IB_GID_INDEX"):
        if facts.fabric == "infiniband":
            yield Complaint(f"{name} is {value} on InfiniBand", severity=MANDATORY)
        elif not _on_oracle(pod, facts):
            yield f"{name} is {value}"


@rule("NCCL-303", ADVISORY, on=Pod)
def named_distances(pod: Pod, _: Facts) -> Complaints:
    """NCCL_NET_GDR_LEVEL and NCCL_P2P_LEVEL take names since NCCL 2.4.7."""
    for name, value in _set(pod, *DISTANCES):
        if value.isdigit():
            yield f"{name} is {value}"


@rule("NCCL-306", ADVISORY, on=Pod)
def exact_hcas(pod: Pod, facts: Facts) -> Complaints:
    """`mlx5` takes every device and `mlx5_1` also mlx5_10, which matters where nodes have more HCAs than the fabric's.

    Pods with devices of their own see no others, so any form is right for them.
    """
    if not facts.extra_hcas or facts.exposure in {"sriov", "host-device"}:
        return
    for name, value in _set(pod, "NCCL_IB_HCA"):
        if not value.startswith(("=", "^")):
            yield f"{name} is {value} and nodes also have {', '.join(facts.extra_hcas)}"


@rule("NCCL-307", ADVISORY, on=Pod)
def fabrics_own_variables(pod: Pod, facts: Facts) -> Complaints:
    """Verbs variables belong to InfiniBand and RoCE, libfabric's to EFA."""
    prefixes = FOREIGN.get(facts.fabric or "", ())
    for name in sorted(pod.env):
        if prefixes and name.startswith(prefixes):
            yield f"{name} is set on {facts.fabric}"


@rule("NCCL-308", MANDATORY, on=Pod)
def fabric_in_use(pod: Pod, _: Facts) -> Complaints:
    """A pod that asks for fabric devices uses them. No mark exempts it: a waiver has a reason and a last day.

    EFA and GKE's TCP fabrics have a transport of their own, for which NCCL's InfiniBand may well be off.
    """
    if not pod.on_fabric:
        return
    verbs = any(VERBS.fullmatch(name) for name in pod.rdma)
    for name, off in (("NCCL_IB_DISABLE", "1"), ("NCCL_NET", "Socket")):
        if pod.env.get(name) == off and (verbs or name == "NCCL_NET"):
            yield f"{name} is {off}"


LOUD = re.compile(r"INFO|TRACE")
PROBE = re.compile(r"nccl-?test|benchmark|verify|verification|all[_-]reduce")


@rule("NCCL-309", ADVISORY, on=Pod)
def quiet_logs(pod: Pod, _: Facts) -> Complaints:
    """INFO is for the one-off run that verifies the transport: names and commands of such runs are recognised."""
    if _tuned(pod) or PROBE.search(" ".join([pod.resource.object_name, *pod.lines])):
        return
    for name, value in _set(pod, "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS"):
        if name == "NCCL_DEBUG_SUBSYS" or LOUD.fullmatch(value):
            entries = [each for one in pod.all_containers for each in trees(one.get("env")) if each.get("name") == name]
            edits = tuple(Edit(each, "value", "WARN") for each in entries if name == "NCCL_DEBUG")
            yield Complaint(f"{name} is {value}", edits=edits)
