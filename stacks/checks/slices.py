"""Rules about GPUs in parts: MIG profiles exist on the pool's GPU and fit it; slices are not shared by time."""

from collections.abc import Iterator, Mapping
from itertools import chain

from bedplate.catalog.gpus import near
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import numbers
from bedplate.stacks.hardware.gpus import EIGHTHS, Gpu
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
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
        if pool.slices:
            yield from _beside(profile, pool, pool.gpu, key)
        yield from chain(_known(pool.gpu, pool.mig, f"{key}.mig"), _layouts(pool, pool.gpu, key))


def _beside(profile: Profile, pool: Pool, gpu: Gpu, key: str) -> Iterator[Problem]:
    """Grace's GPUs have MIG, but not under the driver as the operator brings it today.

    KAI reads a slice's size from its name, and knows plain names alone (pkg/scheduler/.../resources/mig.go).
    """
    field, model, section = "mig" if pool.mig else "migLayouts", near(gpu.product), profile.gpu_operator
    if pool.time_slicing > 1:
        yield problem("slices.shared-by-time", pool.time_slicing, key)
    managed = section and (section.driver_version is None or numbers(section.driver_version) >= CDMM_SINCE)
    if model and model.form == "grace" and managed and profile.driver_owner == "operator":
        yield problem("slices.cdmm", "present", key, field=field, gpu=model)
    unread = sorted({name for layout in pool.slices for name in layout if not name.endswith("gb")})
    if unread and profile.scheduling and profile.scheduling.kind == "kai":
        yield problem("slices.unread-by-kai", unread[0], key, field=field)
    if not (gpu.pci_ids or pool.selector or PLATFORMS[profile.platform].pool_label):
        yield problem("slices.no-way-to-tell", dict(pool.mig), key, gpu=gpu)


def _without_gpus(pool: Pool, key: str) -> Iterator[Problem]:
    divisions = {"mig": dict(pool.mig), "migLayouts": pool.mig_layouts, "timeSlicing": pool.time_slicing - 1}
    for field, value in divisions.items():
        if value:
            shown = pool.time_slicing if field == "timeSlicing" else "present" if field == "migLayouts" else value
            yield problem("slices.no-gpus", shown, key, field=field)
            return


def _layouts(pool: Pool, gpu: Gpu, key: str) -> Iterator[Problem]:
    """Each GPU is there, and in one layout; together they cut something."""
    count = pool.hardware.gpus if pool.hardware else 0
    seen: set[int] = set()
    for index, layout in enumerate(pool.mig_layouts):
        here = f"{key}.migLayouts[{index}]"
        for number in layout.gpus:
            if number >= count:
                yield problem("slices.no-such-gpu", number, key, index=index, count=count, last=count - 1)
            elif number in seen:
                yield problem("slices.layout-twice", number, key, index=index)
            seen.add(number)
        yield from _known(gpu, layout.slices, f"{here}.slices")
    if pool.mig_layouts and not pool.slices:
        yield problem("slices.nothing-cut", "present", key)


def _known(gpu: Gpu, counts: Mapping[str, int], key: str) -> Iterator[Problem]:
    """Profiles of the GPU, no more of one than it holds, and together no more than it has.

    It has compute and memory for all slices together (MIG User Guide, "Supported MIG Profiles").
    """
    for name, count in counts.items():
        most = gpu.mig.get(name)
        if most is None:
            fix = f"use {', '.join(gpu.mig)}" if gpu.mig else "remove it: this GPU has no MIG"
            yield problem("slices.no-such-profile", count, key, name=name, gpu=gpu, fix=fix)
        elif count > most:
            yield problem("slices.too-many-of-one", count, key, name=name, most=most)
    counted = {name: count for name, count in counts.items() if name in gpu.mig}
    if gpu.computes(counted) > gpu.compute_slices:
        yield problem("slices.too-much-compute", dict(counts), key, gpu=gpu)
    elif gpu.eighths(counted) > EIGHTHS:
        yield problem("slices.too-much-memory", dict(counts), key, gpu=gpu)
