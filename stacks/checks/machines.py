"""Rules about what the machines are: names that somebody knows, facts that agree, and what racks need."""

import re
from collections.abc import Iterator, Sequence

from bedplate.components.chart_images import default
from bedplate.components.chart_keys import read_as
from bedplate.components.operators.gpu_operator import GpuOperatorSection
from bedplate.components.version import line, minor, numbers
from bedplate.nearest import meant
from bedplate.stacks.checks.versions import leaf_values
from bedplate.stacks.hardware.own import known_gpus, known_shapes
from bedplate.stacks.profile.charts import chart
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

OLD = ("pascal", "volta")
LAST_FOR_THEM = 580
"""Driver branch (NVIDIA data center drivers, "CUDA Toolkit, Driver, and Architecture Matrix")."""
WITHOUT_THEM = (26, 7)
"""From here the validator's sample is built by CUDA 13, which has neither sm_60 nor sm_70 (NVIDIA/gpu-operator
docker/Dockerfile, CUDA_SAMPLES_VERSION: v26.3.3 12.9, v26.7.0 13.2)."""
WORKLOAD_OFF = {"name": "WITH_WORKLOAD", "value": "false"}
OTHERS = re.compile(r"^(ct\d|tpu|trn\d|inf\d|dl\d|g4ad\.)|MI\d{2,3}|gaudi", re.IGNORECASE)
"""Machines with TPU, Trainium, Inferentia, Gaudi or AMD's GPUs, as their clouds call them."""
TABLE = "docs/hardware.md"


def machines_are_known(profile: Profile) -> Iterator[Problem]:
    """Every pool's shape and GPU: a name of the tables or of the site, or facts in full."""
    for key, pool in keyed("pools", profile.pools):
        shape = pool.hardware
        if shape is None and OTHERS.search(pool.kind):
            yield problem("machines.not-nvidia", pool.kind, key)
        elif shape is None:
            fix = instead(pool.kind, known_shapes(profile.hardware), "hardware.shapes")
            yield problem("machines.unknown-shape", pool.kind, key, fix=fix)
        elif shape.gpus and shape.gpu is None:
            yield problem("machines.gpus-of-no-model", None, key, shape=shape)
        elif shape.gpu is not None and pool.gpu is None:
            fix = instead(str(shape.gpu), known_gpus(profile.hardware), "hardware.gpus")
            yield problem("machines.unknown-gpu", shape.gpu, key, fix=fix)
        elif shape.gpu is not None and not shape.gpus:
            yield problem("machines.model-without-gpus", shape.gpus, key)


def prices_are_of_machines(profile: Profile) -> Iterator[Problem]:
    """A price under a name that no machine has would never be reckoned with."""
    if profile.hardware is None:
        return
    priced = [
        *known_shapes(profile.hardware),
        *(str(name) for pool in profile.pools for name in (pool.machine, pool.kind)),
    ]
    for name, price in profile.hardware.prices.items():
        if name not in priced:
            fix = meant(name, priced, most=2) or f"use the name of a shape or machine ({TABLE})"
            yield problem("machines.price-of-no-machine", price, name=name, fix=fix)


def _without_dma_buf(profile: Profile, old: Sequence[Pool]) -> Iterator[Problem]:
    """DMA-BUF is of the open modules alone; of the operator's driver `kernelModules` says so.

    EFA's machines before p4d have no GPUDirect at all, and their libfabric does without it beside those that have it.
    """
    if (profile.driver_owner, profile.gpu_direct) != ("image", "dmabuf") or profile.fabric.kind == "efa":
        return
    for pool in old:
        if pool.hardware and profile.fabric.kind in pool.hardware.fabrics:
            yield problem("machines.no-dma-buf", "dmabuf", pool=pool)
            return


def old_gpus_are_served(profile: Profile) -> Iterator[Problem]:
    """Pascal and Volta have no open modules (NVIDIA/open-gpu-kernel-modules#19), and none at all after branch 580.

    The operator runs a CUDA program on every GPU node before it calls them ready (NVIDIA/gpu-operator#2842).
    """
    section, old = profile.gpu_operator, [pool for pool in profile.pools if pool.gpu and pool.gpu.family in OLD]
    yield from _without_dma_buf(profile, old)
    if section is None or not old:
        return
    if profile.driver_owner == "operator":
        if section.kernel_modules == "open":
            yield problem("machines.proprietary-modules-only", "open", pool=old[0])
        if numbers(driver_of(section))[:1] > (LAST_FOR_THEM,):
            yield problem("machines.driver-too-new", section.driver_version, last_for_them=LAST_FOR_THEM, pool=old[0])
    env = dict(leaf_values(section.overrides)).get(("validator", "cuda", "env"))
    runs_it = not isinstance(env, list) or WORKLOAD_OFF not in env
    if runs_it and line(chart(section).version) >= WITHOUT_THEM:
        yield problem("machines.old-gpus-never-ready", section.version, pool=old[0])


def driver_of(section: GpuOperatorSection) -> str:
    """The driver that the operator installs: the profile's, or its chart's own."""
    installed = chart(section)
    own = default(installed.name, read_as(installed.name, installed.version), "driver.version")
    return (section.driver_version or own).removeprefix("v")


def instead(name: str, names: Sequence[str], own: str) -> str:
    """What to write: the nearest names, and where one describes a new one."""
    guess = meant(name, names, most=2) or f"{TABLE} has every name;"
    return f"{guess} or describe it under {own}"


def check_readiness(profile: Profile) -> Iterator[Problem]:
    """No pool waits for more nodes than it is sure to have."""
    for key, pool in keyed("pools", profile.pools):
        sure = pool.autoscale.min if pool.autoscale else pool.nodes
        if pool.min_ready is not None and pool.min_ready > sure:
            bound = f"at least {sure}" if pool.autoscale else sure
            yield problem("machines.never-ready", pool.min_ready, key, bound=bound, sure=sure)


CLAIMS_SINCE = 34
"""Minor version of Kubernetes in which ResourceClaims are generally available (resource.k8s.io/v1)."""


def check_racks(profile: Profile) -> Iterator[Problem]:
    """Every fault of what racks need, and of what only they need; without teams nobody runs jobs on them."""
    shapes = [(pool, pool.hardware) for pool in profile.pools if pool.hardware and pool.nodes > 1]
    racks = [pool for pool, shape in shapes if 0 < shape.gpus < shape.nvlink_domain]
    if racks and profile.tenancy and profile.dra_driver is None:
        yield problem("machines.racks-without-dra", racks=racks)
    if profile.dra_driver is None:
        return
    if not racks:
        yield problem("machines.dra-without-racks", "present")
    if minor(profile.kubernetes_version) < CLAIMS_SINCE:
        yield problem("machines.claims-too-early", profile.kubernetes_version)
    if profile.gpu_operator and profile.gpu_operator.cdi is False:
        yield problem("machines.dra-without-cdi", "false")
    if profile.scheduling and profile.scheduling.kind != "kueue":
        yield problem("machines.claims-beside-volcano", profile.scheduling.kind)
