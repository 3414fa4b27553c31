"""Rules about what a site tells the libraries of every pod on its fabric: theirs, and nothing that takes it away."""

import re
from collections.abc import Iterator

from bedplate.stacks.profile.fabrics import Efa, RailFabric
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

FAMILIES = ("NCCL_", "UCX_", "NVSHMEM_", "SHARP_", "FI_", "OFI_NCCL_")
OWN = {
    "NCCL_IB_HCA": "hcas",
    "NCCL_IB_TC": "trafficClass",
    "NCCL_IB_QPS_PER_CONNECTION": "qpsPerConnection",
}
"""What has a key of its own on RoCE; HCAs also on InfiniBand."""
LISTS = ("UCX_NET_DEVICES", "NVSHMEM_HCA_LIST")
"""Devices by name, which follow from `hcas` and then are each pool's own."""
FOREIGN = {"infiniband": ("FI_", "OFI_", "NCCL_IB_GID_INDEX"), "roce": ("FI_", "OFI_"), "efa": ("NCCL_IB_",)}
"""Without a meaning there (NCCL-302, NCCL-307)."""
OFF = "it would take all traffic off the fabric, to TCP at a fiftieth of the rate"
ONE_NIC = "every GPU of a DeepEP process group would take the first NIC (deepseek-ai/DeepEP#336)"
HARMFUL = {
    "NCCL_IB_DISABLE": (r"(?!0$).*", OFF),
    "NCCL_NET": (r"(?i)socket", OFF),
    "UCX_TLS": (r"(?!\^)(?!(.*,)?(all|rc|dc|ud|ib|srd)).*", OFF),
    "UCX_NET_DEVICES": (r"(?!all|\^)[^:]*", OFF),
    "NVSHMEM_ENABLE_NIC_PE_MAPPING": (r"(?i)1|true|yes|on", ONE_NIC),
}
"""Values that leave no transport but TCP, or one NIC: a verbs device of UCX names its port, an interface does not."""


def check_fabric_env(profile: Profile) -> Iterator[Problem]:
    """Every variable that is not the fabric's, or against it."""
    section = profile.fabric
    if not isinstance(section, RailFabric | Efa):
        return
    for name, value in section.env.items():
        if fault := _fault(profile, section, name, value):
            yield Problem(f"fabric.env.{name}", value, *fault)


def _fault(profile: Profile, section: RailFabric | Efa, name: str, value: str) -> tuple[str, str] | None:
    """The reason and the fix."""
    if not name.startswith(FAMILIES):
        return "no variable of NCCL, UCX, NVSHMEM, SHARP or libfabric", "set it in the jobs that need it"
    if name.startswith(FOREIGN[section.kind]):
        return f"it has no meaning on {section.kind}, or is not right on every node", "remove it"
    if OWN.get(name, "") in {field.alias for field in type(section).model_fields.values()}:
        return "it has a key of its own, from which more follows", f"use fabric.{OWN[name]}"
    pattern, reason = HARMFUL.get(name, ("(?!)", ""))
    if re.fullmatch(pattern, value):
        return reason, "remove it"
    if name in LISTS and any(pool.hcas for pool in profile.pools):
        return "a pool has HCAs of its own, so one list is not right for all", "remove it: it follows from hcas"
    return None
