"""Rules about racks whose NVLink joins nodes (GB200 and GB300 NVL72): what their pods need to share memory at all."""

from collections.abc import Iterator

from bedplate.components.version import minor
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

CLAIMS_SINCE = 34
"""Minor version of Kubernetes in which ResourceClaims are generally available (resource.k8s.io/v1)."""


def check_racks(profile: Profile) -> Iterator[Problem]:
    """Every fault of what racks need, and of what only they need; without teams nobody runs jobs on them."""
    racks = [pool for pool in profile.pools if joins_nodes(pool)]
    if racks and profile.tenancy and profile.dra_driver is None:
        reason = (
            f"NVLink joins the nodes of pool {racks[0].name}, and pods share memory over it by a ComputeDomain only"
        )
        yield Problem("draDriver", None, reason, "add `draDriver: {}`: it installs NVIDIA's DRA driver")
    if profile.dra_driver is None:
        return
    if not racks:
        yield Problem("draDriver", "present", "no pool has NVLink over several nodes", "remove it")
    if minor(profile.kubernetes_version) < CLAIMS_SINCE:
        reason = "channels are handed out by ResourceClaims, which are on by default from 1.34"
        yield Problem("kubernetesVersion", profile.kubernetes_version, reason, "use 1.34 or later")
    if profile.gpu_operator and profile.gpu_operator.cdi is False:
        yield Problem("gpuOperator.cdi", "false", "the DRA driver hands channels to containers by CDI", "remove it")
    if profile.scheduling and profile.scheduling.kind != "kueue":
        reason = "claims are known to be allocated by the cluster's own scheduler, and Volcano's leaves them off"
        yield Problem("scheduling.kind", profile.scheduling.kind, reason, "use kueue")


def joins_nodes(pool: Pool) -> bool:
    """Its NVLink reaches further than a node."""
    shape = pool.hardware
    return shape is not None and 0 < shape.gpus < shape.nvlink_domain and pool.nodes > 1
