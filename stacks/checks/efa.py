"""Rules about EFA's device plugin: exactly one owner, and new enough for the machine."""

from collections.abc import Iterator

from bedplate.catalog.machines import like
from bedplate.components.network.efa_device_plugin import CHART
from bedplate.components.version import semantic
from bedplate.stacks.profile.fabrics import Efa
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile


def check_efa(profile: Profile) -> Iterator[Problem]:
    """Somebody advertises the devices, and nobody twice."""
    section, key = profile.efa_device_plugin, "efaDevicePlugin"
    existing = isinstance(profile.fabric, Efa) and profile.fabric.existing_plugin
    if isinstance(profile.fabric, Efa) and section is None and not existing and not profile.makes_cluster:
        fix = "add `efaDevicePlugin: {}`, or say fabric.existingPlugin: true if the site runs one"
        yield Problem(key, None, "nothing advertises the EFA interfaces, so pods that ask for them stay pending", fix)
    if section is None:
        return
    if existing:
        reason = "the site's plugin and this one would both register the same interfaces"
        yield Problem(key, "present", reason, "remove it, or fabric.existingPlugin")
    if not isinstance(profile.fabric, Efa):
        yield Problem(key, "present", f"fabric.kind is {profile.fabric.kind}", "remove it, or use kind efa")
    if section.version and CHART.knows(section.version):
        yield from _older(profile, section.version, f"{key}.version")


def _older(profile: Profile, version: str, key: str) -> Iterator[Problem]:
    for machine in sorted({str(pool.machine) for pool in profile.pools}):
        since = next((one.efa_plugin for one in like(machine)), "")
        if since and semantic(version) < semantic(since):
            reason = f"it does not find the interfaces of {machine}"
            yield Problem(key, version, reason, f"use {since} or later, or no version for our pin")
