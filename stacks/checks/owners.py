"""Rules about owners: somebody brings each driver, plug-in and discovery, nobody twice, and none is too old."""

from collections.abc import Iterator
from itertools import chain

from bedplate.catalog.gpus import least_driver
from bedplate.catalog.machines import like
from bedplate.components.network.efa_device_plugin import CHART
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import numbers, semantic
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.profile.fabrics import Efa, RailFabric
from bedplate.stacks.profile.problem import Problem, keyed, problem
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
    if profile.driver_owner == "operator":
        yield problem("owners.operator-owns-but-is-absent")
    elif not _advertised(profile):
        yield problem("owners.gpus-not-advertised", pools=pools)


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
    yield problem("owners.no-open-node", ", ".join(pool.name for pool in profile.pools))


def _twice(profile: Profile) -> Iterator[Problem]:
    """Two plugins on one GPU register it twice."""
    if profile.gpu_operator and profile.existing_device_plugin:
        yield problem("owners.plugin-twice", "true")


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
    for key, pool in keyed("pools", profile.pools):
        shape = pool.hardware
        if pool.gpu and pool.gpu.family == "blackwell" and shape and shape.gpus == shape.nvlink_domain == HGX:
            yield problem("owners.umad-not-loaded", pool.shape, key, pool=pool)
            return


def check_efa(profile: Profile) -> Iterator[Problem]:
    """Somebody advertises the devices, and nobody twice."""
    section, key = profile.efa_device_plugin, "efaDevicePlugin"
    existing = isinstance(profile.fabric, Efa) and profile.fabric.existing_plugin
    if isinstance(profile.fabric, Efa) and section is None and not existing and not profile.makes_cluster:
        yield problem("owners.efa-not-advertised", None, key)
    if section is None:
        return
    if existing:
        yield problem("owners.efa-plugin-twice", "present", key)
    if not isinstance(profile.fabric, Efa):
        yield problem("owners.efa-plugin-without-efa", "present", key, profile=profile)
    if section.version and CHART.knows(section.version):
        yield from _too_old_for(profile, section.version, f"{key}.version")


def _too_old_for(profile: Profile, version: str, key: str) -> Iterator[Problem]:
    for machine in sorted({str(pool.machine) for pool in profile.pools}):
        since = next((one.efa_plugin for one in like(machine)), "")
        if since and semantic(version) < semantic(since):
            yield problem("owners.efa-plugin-too-old", version, key, machine=machine, since=since)


OURS = {"multus": "multus", "whereabouts": "whereabouts", "nfd": "nfd", "devicePlugin": "gpuOperator"}
"""By what the site runs, the section that would install it."""
NFD_SINCE = (0, 14)
"""Its master reads NodeFeature objects by default, which GPU Feature Discovery writes (kubernetes-sigs/
node-feature-discovery v0.14.0, cmd/nfd-master/main.go)."""


def check_site(profile: Profile) -> Iterator[Problem]:
    """Every fault of `existing`."""
    if profile.existing:
        yield from chain(_beside_ours(profile), _platforms_own(profile), _driver(profile), _nfd(profile))


def _beside_ours(profile: Profile) -> Iterator[Problem]:
    present = {field.alias or name: getattr(profile, name) for name, field in type(profile).model_fields.items()}
    for runs, section in OURS.items():
        if runs in profile.site_runs and present[section] is not None:
            yield problem("owners.site-runs-it-too", "present", runs=runs, section=section)


def _platforms_own(profile: Profile) -> Iterator[Problem]:
    """What the platform brings is known, and OpenShift's NFD has other kinds than upstream's."""
    for runs in ("multus", "whereabouts", "nfd") if PLATFORMS[profile.platform].own_operators else ():
        if runs in profile.site_runs:
            yield problem("owners.platform-brings-it", "present", runs=runs, profile=profile)


def _driver(profile: Profile) -> Iterator[Problem]:
    stated = profile.existing.driver if profile.existing else None
    if stated and profile.driver_owner == "operator":
        yield problem("owners.driver-of-operator-and-image", "present")
    version = numbers(stated.version or "") if stated else ()
    for pool in profile.pools if version else ():
        if pool.gpu and version < (needed := least_driver(pool.gpu.product)):
            oldest = ".".join(map(str, needed))
            yield problem("owners.driver-too-old", stated and stated.version, pool=pool, oldest=oldest)


def _nfd(profile: Profile) -> Iterator[Problem]:
    stated = profile.existing.nfd if profile.existing else None
    if stated and profile.gpu_operator and stated.version and numbers(stated.version) < NFD_SINCE:
        yield problem("owners.nfd-too-old", stated.version)
