"""Rules that span sections of the profile. Each is a generator of problems; all are reported at once."""

from collections.abc import Callable, Iterator
from itertools import chain

from bedplate.components.platforms import PLATFORMS
from bedplate.stacks.checks.allocatable import check_allocatable
from bedplate.stacks.checks.cloud import check_cloud
from bedplate.stacks.checks.elsewhere import check_elsewhere
from bedplate.stacks.checks.extensions import check_extensions
from bedplate.stacks.checks.fabric import check_fabric
from bedplate.stacks.checks.fabric_env import check_fabric_env
from bedplate.stacks.checks.identity import check_identity
from bedplate.stacks.checks.machines import (
    check_racks,
    check_readiness,
    machines_are_known,
    old_gpus_are_served,
    prices_are_of_machines,
)
from bedplate.stacks.checks.monitoring import check_monitoring
from bedplate.stacks.checks.networks import check_borders, check_networks
from bedplate.stacks.checks.nic_settings import check_nic_settings
from bedplate.stacks.checks.owners import check_efa, check_owners, check_site
from bedplate.stacks.checks.placement import check_placement
from bedplate.stacks.checks.platform import check_platform
from bedplate.stacks.checks.rails import check_labels
from bedplate.stacks.checks.scheduling import check_scheduling
from bedplate.stacks.checks.serving import check_groups, check_serving, check_starts, check_team_parts
from bedplate.stacks.checks.serving_engine import engines_take_it
from bedplate.stacks.checks.slices import slices_fit
from bedplate.stacks.checks.storage import check_storage
from bedplate.stacks.checks.tenancy import check_limits, check_teams
from bedplate.stacks.checks.verification import check_verification
from bedplate.stacks.checks.versions import check_overrides, check_versions, versions_are_known
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

Rule = Callable[[Profile], Iterator[Problem]]


def check(profile: Profile) -> Iterator[Problem]:
    """Every fault of a profile; derived facts are looked at only when the plain fields are sound.

    Of machines and of charts' versions that nobody knows nothing follows, so all that they would be missing for is
    not said besides.
    """
    if unknown := [*machines_are_known(profile), *versions_are_known(profile)]:
        yield from unknown
        return
    problems = list(chain.from_iterable(rule(profile) for rule in RULES))
    later = (check_labels, check_allocatable, check_overrides, check_verification, check_groups, check_team_parts)
    yield from problems or chain.from_iterable(rule(profile) for rule in (*later, check_starts))


def pools_are_known(profile: Profile) -> Iterator[Problem]:
    """Names are unique, and the shape is offered by the platform."""
    names = [pool.name for pool in profile.pools]
    for index, pool in enumerate(profile.pools):
        key, shape = f"pools[{index}]", pool.hardware
        if names.index(pool.name) != index:
            yield problem("basics.pool-name-twice", pool.name, key)
        if shape and shape.cloud and shape.cloud != profile.platform:
            yield problem("basics.shape-of-another-cloud", pool.kind, key, shape=shape, profile=profile)


def pools_can_be_told_apart(profile: Profile) -> Iterator[Problem]:
    """Off the clouds a pool is found by its GPU's product, unless it has a selector: then it must be the only one."""
    if PLATFORMS[profile.platform].pool_label:
        return
    products = [pool.gpu.product for pool in profile.pools if pool.gpu]
    for key, pool in keyed("pools", profile.pools):
        if pool.gpu and pool.selector is None and products.count(pool.gpu.product) > 1:
            yield problem("basics.pools-alike", None, key, pool=pool)


def driver_has_one_owner(profile: Profile) -> Iterator[Problem]:
    """Platform, node image and driver owner are a combination that works."""
    if (profile.platform, profile.node_os, profile.driver_owner) in OWNERSHIP:
        return
    options = [f"nodeOs {os} with {owner}" for platform, os, owner in OWNERSHIP if platform == profile.platform]
    yield problem("basics.no-such-owner", profile.driver_owner, profile=profile, options=options)


def operators_have_what_they_need(profile: Profile) -> Iterator[Problem]:
    """Who needs NFD's labels, and who needs GPUs."""
    needs_nfd = [
        key
        for key, section in (("gpuOperator", profile.gpu_operator), ("networkOperator", profile.network_operator))
        if section
    ]
    if needs_nfd and not profile.has_nfd:
        yield problem("basics.nfd-missing", needs_nfd=needs_nfd)
    if profile.gpu_operator and not any(pool.gpu for pool in profile.pools):
        yield problem("basics.gpu-operator-without-gpus", "present")
    if profile.network_operator and profile.multus:
        yield problem("basics.multus-twice", "present")


def kernel_modules_suit(profile: Profile) -> Iterator[Problem]:
    """Open modules where the GPU or the path to the NIC needs them."""
    section = profile.gpu_operator
    if section is None or section.kernel_modules != "proprietary":
        return
    for pool in profile.pools:
        grace = pool.hardware is not None and pool.hardware.arch == "arm64"
        if pool.gpu and (grace or pool.gpu.family == "blackwell"):
            yield problem("basics.gpu-has-open-modules-only", "proprietary", pool=pool)
    if profile.gpu_direct == "dmabuf" and profile.fabric.kind != "none":
        yield problem("basics.dmabuf-needs-open-modules", "proprietary")
    if section.gds:
        yield problem("basics.gds-needs-open-modules", "proprietary")


def driver_settings_reach_a_driver(profile: Profile) -> Iterator[Problem]:
    """What the driver container would do is dead where the operator does not run one."""
    section = profile.gpu_operator
    if section is None or profile.driver_owner == "operator":
        return
    set_here = (
        ("gds", section.gds),
        ("gdrcopy", section.gdrcopy),
        ("driverVersion", section.driver_version),
        ("kernelModules", section.kernel_modules if section.kernel_modules == "proprietary" else None),
    )
    for name, value in set_here:
        if value:
            yield problem("basics.dead-driver-setting", value, name=name, profile=profile)


def mig_strategy_suits(profile: Profile) -> Iterator[Problem]:
    """Slices are advertised under names of their own, which only the mixed strategy does."""
    section = profile.gpu_operator
    if section is None or section.mig_strategy is None:
        return
    sliced = any(pool.slices for pool in profile.pools)
    if sliced and section.mig_strategy != "mixed":
        yield problem("basics.slices-need-mixed", section.mig_strategy)
    if section.mig_strategy == "mixed" and not sliced:
        yield problem("basics.mixed-without-slices", "mixed")


RULES: tuple[Rule, ...] = (
    pools_are_known,
    slices_fit,
    pools_can_be_told_apart,
    driver_has_one_owner,
    operators_have_what_they_need,
    kernel_modules_suit,
    old_gpus_are_served,
    driver_settings_reach_a_driver,
    mig_strategy_suits,
    check_owners,
    check_site,
    check_platform,
    check_networks,
    check_borders,
    check_readiness,
    check_fabric,
    check_nic_settings,
    check_fabric_env,
    check_monitoring,
    check_efa,
    check_racks,
    check_cloud,
    prices_are_of_machines,
    check_placement,
    check_elsewhere,
    check_teams,
    check_extensions,
    check_limits,
    check_scheduling,
    check_versions,
    check_storage,
    check_serving,
    engines_take_it,
    check_identity,
)
