"""Rules about GPUs in parts: MIG profiles exist on the pool's GPU and fit it; slices are not shared by time."""

from collections.abc import Iterator, Mapping
from itertools import chain

from bedplate.catalog.gpus import near
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import numbers
from bedplate.stacks.hardware.gpus import EIGHTHS, Gpu
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

CDMM_SINCE = (580, 65, 6)
"""The first driver container that manages the memory of Grace's GPUs itself, which leaves no MIG (release notes of GPU
Operator 25.3.2, "Known Issues"; no later ones take it back)."""


def slices_fit(profile: Profile) -> Iterator[Problem]:
    """Every fault of `mig`, `migLayouts` and `timeSlicing`."""
    for key, pool in keyed("pools", profile.pools):
        if pool.gpu is None:
            yield from _without_gpus(pool, key)
            continue
        if pool.slices and pool.time_slicing > 1:
            reason = "the pool is cut into MIG slices already, and slices are not shared by time"
            yield Problem(f"{key}.timeSlicing", pool.time_slicing, reason, "remove it, or mig")
        yield from chain(_known(pool.gpu, pool.mig, f"{key}.mig"), _layouts(pool, pool.gpu, key))
        yield from _beside_cdmm(profile, pool, key)
        yield from _beside_kai(profile, pool, key)
        if pool.slices and not (pool.gpu.pci_ids or pool.selector or PLATFORMS[profile.platform].pool_label):
            reason = f"nobody can tell its nodes what to cut: {pool.gpu.product} has no PCI ids in the profile"
            yield Problem(f"{key}.mig", dict(pool.mig), reason, "add pciIds to the GPU, or selector to the pool")


def _beside_cdmm(profile: Profile, pool: Pool, key: str) -> Iterator[Problem]:
    """Grace's GPUs have MIG, but not under the driver as the operator brings it today."""
    gpu, section = near(pool.gpu.product) if pool.gpu else None, profile.gpu_operator
    if not pool.slices or gpu is None or gpu.form != "grace" or section is None or profile.driver_owner != "operator":
        return
    if section.driver_version is None or numbers(section.driver_version) >= CDMM_SINCE:
        reason = f"the operator's driver manages the memory of {gpu.product} itself (CDMM), and then there is no MIG"
        fix = "remove mig; or bring the driver with CDMM off in the node image (driverOwner: image)"
        yield Problem(f"{key}.{'mig' if pool.mig else 'migLayouts'}", "present", reason, fix)


def _beside_kai(profile: Profile, pool: Pool, key: str) -> Iterator[Problem]:
    """KAI reads a slice's size from its name, and knows plain names alone (pkg/scheduler/.../resources/mig.go)."""
    if profile.scheduling is None or profile.scheduling.kind != "kai":
        return
    if unread := sorted({name for gpu in pool.slices for name in gpu if not name.endswith("gb")}):
        reason = "KAI does not count slices with or without media engines or graphics"
        yield Problem(f"{key}.{'mig' if pool.mig else 'migLayouts'}", unread[0], reason, "use plain ones, or Kueue")


def _without_gpus(pool: Pool, key: str) -> Iterator[Problem]:
    asked = {"mig": dict(pool.mig), "migLayouts": pool.mig_layouts, "timeSlicing": pool.time_slicing - 1}
    for field, value in asked.items():
        if value:
            shown = pool.time_slicing if field == "timeSlicing" else "present" if field == "migLayouts" else value
            yield Problem(f"{key}.{field}", shown, "the pool has no GPUs", "remove it")
            return


def _layouts(pool: Pool, gpu: Gpu, key: str) -> Iterator[Problem]:
    """Each GPU is there, and in one layout; together they cut something."""
    count = pool.hardware.gpus if pool.hardware else 0
    seen: set[int] = set()
    for index, layout in enumerate(pool.mig_layouts):
        here = f"{key}.migLayouts[{index}]"
        for number in layout.gpus:
            if number >= count:
                reason = f"a node has {count} GPUs, and they count from 0"
                yield Problem(f"{here}.gpus", number, reason, f"use 0 to {count - 1}")
            elif number in seen:
                yield Problem(f"{here}.gpus", number, "this GPU has a layout already", "name each GPU once")
            seen.add(number)
        yield from _known(gpu, layout.slices, f"{here}.slices")
    if pool.mig_layouts and not pool.slices:
        yield Problem(f"{key}.migLayouts", "present", "no GPU is cut by it", "add slices, or remove it")


def _known(gpu: Gpu, asked: Mapping[str, int], key: str) -> Iterator[Problem]:
    """Profiles of the GPU, no more of one than it holds, and together no more than it has."""
    for name, count in asked.items():
        most = gpu.mig.get(name)
        if most is None:
            fix = f"use {', '.join(gpu.mig)}" if gpu.mig else "remove it: this GPU has no MIG"
            yield Problem(f"{key}.{name}", count, f"not a MIG profile of {gpu.product}", fix)
        elif count > most:
            yield Problem(f"{key}.{name}", count, f"one GPU holds at most {most}", f"use {most} or fewer")
    yield from _room(gpu, asked, key)


def _room(gpu: Gpu, asked: Mapping[str, int], key: str) -> Iterator[Problem]:
    """One GPU has compute and memory for all slices together (MIG User Guide, "Supported MIG Profiles")."""
    known = {name: count for name, count in asked.items() if name in gpu.mig}
    if gpu.computes(known) > gpu.compute_slices:
        reason = f"more than the {gpu.compute_slices} compute slices of a GPU"
        yield Problem(key, dict(asked), reason, "cut fewer slices")
    elif gpu.eighths(known) > EIGHTHS:
        yield Problem(key, dict(asked), f"more than the {gpu.memory_gib} GiB of a GPU", "cut fewer slices")
