"""Rules about owners: somebody brings each driver, plug-in and discovery, nobody twice, and none is too old."""

from collections.abc import Iterator

from bedplate.catalog.gpus import least_driver
from bedplate.catalog.machines import like
from bedplate.components.network.efa_device_plugin import CHART
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import numbers, semantic
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.profile.fabrics import Efa, RailFabric
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.sections import Running

BLOCKING = ("NoSchedule", "NoExecute")
HGX = 8
"""GPUs of a board with NVLink switches of its own."""


def check_owners(profile: Profile) -> Iterator[Problem]:
    """Every GPU that no pod would get; operators, webhooks and the name service tolerate no taint of a GPU pool."""
    yield from _nobody(profile)
    open_to_all = [pool for pool in profile.pools if not any(t.effect in BLOCKING for t in pool.effective_taints)]
    if not any(pool.most for pool in open_to_all):
        yield problem("owners.no-open-node", ", ".join(pool.name for pool in profile.pools))
    if profile.gpu_operator and profile.existing_device_plugin:
        yield problem("owners.plugin-twice", "true")
    yield from _switch_modules(profile)


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
    version = section.version if section.version and CHART.knows(section.version) else None
    for machine in sorted({str(pool.machine) for pool in profile.pools}) if version else ():
        since = next((row.efa_plugin for row in like(machine)), "")
        if version and since and semantic(version) < semantic(since):
            yield problem("owners.efa-plugin-too-old", version, f"{key}.version", machine=machine, since=since)


OURS = {"multus": "multus", "whereabouts": "whereabouts", "nfd": "nfd", "devicePlugin": "gpuOperator"}
"""By what the site runs, the section that would install it."""
NFD_SINCE = (0, 14)
"""Its master reads NodeFeature objects by default, which GPU Feature Discovery writes (kubernetes-sigs/
node-feature-discovery v0.14.0, cmd/nfd-master/main.go)."""


def check_site(profile: Profile) -> Iterator[Problem]:
    """Every fault of `existing`: OpenShift's NFD, for one, has other kinds than upstream's."""
    if profile.existing is None:
        return
    nfd, fields = profile.existing.nfd, type(profile).model_fields.items()
    present = {field.alias or name: getattr(profile, name) for name, field in fields}
    for runs in sorted(profile.site_runs.intersection(OURS)):
        if present[OURS[runs]] is not None:
            yield problem("owners.site-runs-it-too", "present", runs=runs, section=OURS[runs])
        if runs in ("multus", "whereabouts", "nfd") and PLATFORMS[profile.platform].own_operators:
            yield problem("owners.platform-brings-it", "present", runs=runs, profile=profile)
    yield from _driver(profile, profile.existing.driver)
    if nfd and profile.gpu_operator and nfd.version and numbers(nfd.version) < NFD_SINCE:
        yield problem("owners.nfd-too-old", nfd.version)


def _driver(profile: Profile, running: Running | None) -> Iterator[Problem]:
    if running and profile.driver_owner == "operator":
        yield problem("owners.driver-of-operator-and-image", "present")
    version = numbers(running.version or "") if running else ()
    for pool in profile.pools if version else ():
        if pool.gpu and version < (needed := least_driver(pool.gpu.product)):
            oldest = ".".join(map(str, needed))
            yield problem("owners.driver-too-old", running and running.version, pool=pool, oldest=oldest)
