"""Rules about what the site runs itself: never beside ours, and new enough for what stands on it."""

from collections.abc import Iterator
from itertools import chain

from bedplate.catalog.gpus import least_driver
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import numbers
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

OURS = {"multus": "multus", "whereabouts": "whereabouts", "nfd": "nfd", "devicePlugin": "gpuOperator"}
"""By what the site runs, the section that would install it."""
NFD_SINCE = (0, 14)
"""Its master reads NodeFeature objects by default, which GPU Feature Discovery writes (kubernetes-sigs/
node-feature-discovery v0.14.0, cmd/nfd-master/main.go)."""


def check_site(profile: Profile) -> Iterator[Problem]:
    """Every fault of `existing`."""
    if profile.existing:
        yield from chain(_twice(profile), _catalogue(profile), _driver(profile), _nfd(profile))


def _twice(profile: Profile) -> Iterator[Problem]:
    present = {field.alias or name: getattr(profile, name) for name, field in type(profile).model_fields.items()}
    for runs, section in OURS.items():
        if runs in profile.site_runs and present[section] is not None:
            reason = f"{section} would install it beside the site's"
            yield Problem(f"existing.{runs}", "present", reason, f"remove it, or {section}")


def _catalogue(profile: Profile) -> Iterator[Problem]:
    """What the platform brings is known, and OpenShift's NFD has other kinds than upstream's."""
    for runs in ("multus", "whereabouts", "nfd") if PLATFORMS[profile.platform].own_operators else ():
        if runs in profile.site_runs:
            reason = f"{profile.platform} brings it by its own operators, and of those nothing need be said"
            yield Problem(f"existing.{runs}", "present", reason, "remove it")


def _driver(profile: Profile) -> Iterator[Problem]:
    stated = profile.existing.driver if profile.existing else None
    if stated and profile.driver_owner == "operator":
        reason = "driverOwner is operator: its driver container refuses a node that has one"
        yield Problem("existing.driver", "present", reason, "say driverOwner: image, or remove it")
    version = numbers(stated.version or "") if stated else ()
    for pool in profile.pools if version else ():
        if pool.gpu and version < (needed := least_driver(pool.gpu.product)):
            oldest = ".".join(map(str, needed))
            reason = f"{pool.gpu.product} of pool {pool.name} needs {oldest}"
            yield Problem("existing.driver.version", stated and stated.version, reason, "upgrade the node image")


def _nfd(profile: Profile) -> Iterator[Problem]:
    stated = profile.existing.nfd if profile.existing else None
    if stated and profile.gpu_operator and stated.version and numbers(stated.version) < NFD_SINCE:
        reason = "it does not read the NodeFeature objects in which the GPU Operator says what GPUs a node has"
        yield Problem("existing.nfd.version", stated.version, reason, "upgrade it to 0.14 or later")
