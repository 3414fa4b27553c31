"""Rules about who brings the driver, who advertises the GPUs, and where they run: somebody does, and nobody twice."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.platforms import PLATFORMS
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

BLOCKING = ("NoSchedule", "NoExecute")
HGX = 8
"""GPUs of a board with NVLink switches of its own."""


def check_owners(profile: Profile) -> Iterator[Problem]:
    """Every GPU that no pod would ever get."""
    yield from chain(_nobody(profile), _nowhere(profile), _twice(profile), _switch_modules(profile))


def _nobody(profile: Profile) -> Iterator[Problem]:
    """Without the GPU Operator somebody else must be named, or be known."""
    plugin = profile.existing_device_plugin or "devicePlugin" in profile.site_runs
    named = profile.gpu_operator or plugin or profile.makes_cluster
    pools = [pool.name for pool in profile.pools if pool.gpu]
    if named or not pools:
        return
    fix = "add `gpuOperator: {}`, or say existingDevicePlugin: true if the site runs an operator or plugin of its own"
    if profile.driver_owner == "operator":
        reason = "driverOwner is operator, and there is none: nobody installs the driver or advertises GPUs"
        yield Problem("gpuOperator", None, reason, fix)
    elif not _advertised(profile):
        reason = f"nothing advertises the GPUs of {', '.join(pools)}, so no pod gets one"
        yield Problem("gpuOperator", None, reason, fix)


def _advertised(profile: Profile) -> bool:
    """By the platform, or by the node image."""
    owned = OWNERSHIP.get((profile.platform, profile.node_os, profile.driver_owner))
    by_image = bool(owned and not owned.device_plugin)
    by_addon = profile.cloud is not None and getattr(profile.cloud, "gpu_plugin_addon", False)
    return by_image or by_addon or PLATFORMS[profile.platform].gpu_plugin


def _nowhere(profile: Profile) -> Iterator[Problem]:
    """Operators, webhooks and the cluster's own name service tolerate no taint of a GPU pool."""
    open_to_all = [pool for pool in profile.pools if not any(t.effect in BLOCKING for t in pool.effective_taints)]
    if any(pool.most for pool in open_to_all):
        return
    reason = "no node takes pods without tolerations, so operators, webhooks and the name service stay Pending"
    fix = "add the nodes that run them, {name: system, shape: {cpus: 16, memoryGib: 64}, nodes: 3}, or untaint a pool"
    yield Problem("pools", ", ".join(pool.name for pool in profile.pools), reason, f"{fix} with `taints: []`")


def _twice(profile: Profile) -> Iterator[Problem]:
    """Two plugins on one GPU register it twice."""
    if profile.gpu_operator and profile.existing_device_plugin:
        reason = "the GPU Operator's plugin and the site's would both register the same GPUs"
        yield Problem("existingDevicePlugin", "true", reason, "remove it, or gpuOperator")


def _switch_modules(profile: Profile) -> Iterator[Problem]:
    """HGX boards from NVLink 5 on are managed through their own ConnectX: the driver container waits for its modules.

    `_ensure_nvlink5_prerequisites` waits for mlx5_core and ib_umad without end (NVIDIA/gpu-driver-container,
    ubuntu22.04/nvidia-driver); the inbox driver loads ib_umad only where somebody asks for it.
    """
    section, operator = profile.gpu_operator, profile.network_operator
    on_host = profile.platform == "oke" or (isinstance(profile.fabric, RailFabric) and profile.fabric.host_ofed)
    loaded = on_host or (operator and operator.ofed) or (section and section.umad_in_image)
    if section is None or loaded or profile.driver_owner != "operator":
        return
    for index, pool in enumerate(profile.pools):
        shape = pool.hardware
        if pool.gpu and pool.gpu.family == "blackwell" and shape and shape.gpus == shape.nvlink_domain == HGX:
            reason = f"the driver of {pool.gpu.product} waits for the module ib_umad for ever, and nobody loads it"
            fix = (
                "add networkOperator.ofed or fabric.hostOfed, or load it at boot and say gpuOperator.umadInImage: true"
            )
            yield Problem(f"pools[{index}].shape", pool.shape, reason, fix)
            return
