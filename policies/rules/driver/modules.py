"""Kernel modules: which flavour, which version, and how GPU and NIC memory meet."""

from collections.abc import Iterator

from bedplate.catalog.gpus import family, least_driver, near
from bedplate.catalog.support import only_arch
from bedplate.policies.facts import Facts
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.rules.driver.owner import GPU_OPERATOR
from bedplate.policies.values import UNKNOWN, text, version, whole

KEY_BY_TYPE = (25, 3)
"""From this version driver.kernelModuleType counts, before it driver.useOpenKernelModules."""
DRA_DRIVER = (580,)
MIG_BROKEN = ((570, 124, 6), (570, 158, 1))
DMABUF_KERNEL = (5, 12)


def _grace(product: str) -> bool:
    """One package with a processor, with which it shares its memory."""
    gpu = near(product)
    return gpu is not None and gpu.form == "grace"


def _open_only(product: str) -> bool:
    """Its driver exists with open kernel modules only: NVIDIA/cloud-native-docs platform-support.rst."""
    return family(product) == "blackwell" or _grace(product)


def _proprietary(release: Release) -> bool | None:
    """Whether the closed flavour is asked for, by the key of the chart's version; None where that is not known."""
    old = release.numbers < KEY_BY_TYPE
    value = release.value("driver", "useOpenKernelModules" if old else "kernelModuleType")
    if value is UNKNOWN or not release.numbers:
        return None
    return value is False if old else value == "proprietary"


@rule("GPU-108", MANDATORY, on=Release)
def open_modules(release: Release, facts: Facts) -> Complaints:
    """GPUs since GH200 and Blackwell, GPUDirect Storage and DMA-BUF all need the open flavour."""
    ours = release.chart == GPU_OPERATOR and release.switch("driver", "enabled", default=True)
    if not ours or not _proprietary(release):
        return
    if products := sorted(filter(_open_only, facts.products)):
        yield f"the kernel modules are proprietary but the GPUs are {products[0]}"
    if release.switch("gds", "enabled", default=False):
        yield "the kernel modules are proprietary but gds.enabled is true"
    if facts.gpu_direct == "dmabuf" and facts.fabric not in (None, "none"):
        yield "the kernel modules are proprietary but GPUDirect goes by DMA-BUF"


def _too_old(release: Release, facts: Facts) -> Iterator[tuple[tuple[int, ...], str]]:
    """The oldest driver that would do, and what needs it."""
    for product in sorted(facts.products):
        yield least_driver(product), product
    if release.switch("gpuCluster", "deployCR", default=False):
        yield DRA_DRIVER, "dynamic resource allocation"


@rule("GPU-109", MANDATORY, on=Release)
def new_enough_driver(release: Release, facts: Facts) -> Complaints:
    """A pinned driver knows the GPUs of the cluster and is none of those that break mixed MIG nodes."""
    numbers = version(release.value("driver", "version"))
    if release.chart != GPU_OPERATOR or not numbers:
        return
    pinned = text(release.value("driver", "version"))
    for needed, reason in _too_old(release, facts):
        if numbers < needed:
            oldest = ".".join(map(str, needed))
            yield Complaint(f"driver.version {pinned} is older than {oldest}, which {reason} needs")
    mig = release.value("mig", "strategy") == "mixed" or any(pool.mig for pool in facts.pools)
    if mig and MIG_BROKEN[0] <= numbers <= MIG_BROKEN[1]:
        yield Complaint(f"driver.version {pinned} breaks MIG nodes", "Take 570.172.08 or later")


def _peermem(release: Release) -> bool:
    return bool(release.switch("driver", "rdma", "enabled", default=False))


@rule("GPU-110", MANDATORY, on=Stack)
def peermem_deadlock(stack: Stack) -> Complaints:
    """The driver's init container waits for the OFED container unless told that the host has the NIC driver.

    Without NVIDIA NICs it does not wait, so only an InfiniBand or RoCE fabric counts.
    """
    if not (stack.facts.on_verbs and (stack.complete or stack.policies())):
        return
    for release in stack.releases(GPU_OPERATOR):
        waits = _peermem(release) and release.switch("driver", "rdma", "useHostMofed", default=False) is False
        ofed = any("ofedDriver" in spec or not whole(spec) for spec in stack.policies())
        if waits and not ofed and release.switch("driver", "enabled", default=True):
            what = "driver.rdma.enabled is true, useHostMofed is not and no NicClusterPolicy has ofedDriver"
            yield Complaint(what, about=release.resource)


HOST_OFED = {"oke": "OKE's image", "dgxos": "DGX OS"}


@rule("GPU-111", MANDATORY, on=Stack)
def one_ofed(stack: Stack) -> Complaints:
    """The NIC driver comes from the host or from the NicClusterPolicy."""
    owner = HOST_OFED.get(stack.facts.node_os or "") or HOST_OFED.get(stack.facts.platform or "")
    using_host = any(
        release.switch("driver", "rdma", "useHostMofed", default=False) for release in stack.releases(GPU_OPERATOR)
    )
    for policy in stack.of("NicClusterPolicy"):
        if "ofedDriver" in policy.spec and policy.spec.get("ofedDriver") is not UNKNOWN and (using_host or owner):
            reason = f"{owner} has the driver" if owner else "driver.rdma.useHostMofed is true"
            yield Complaint(f"spec.ofedDriver is set but {reason}", about=policy)


@rule("GPU-112", ADVISORY, on=Release)
def peermem_not_needed(release: Release, facts: Facts) -> Complaints:
    """Open modules on kernel 5.12 or later exchange memory with the NIC through the kernel's own DMA-BUF."""
    modern = version(facts.kernel) >= DMABUF_KERNEL
    if release.chart == GPU_OPERATOR and modern and _peermem(release) and _proprietary(release) is False:
        yield f"driver.rdma.enabled is true on kernel {facts.kernel}"


@rule("GPU-129", ADVISORY, on=Release)
def driver_container_exists(release: Release, facts: Facts) -> Complaints:
    """Containers that compile the driver are built for amd64 alone on some releases of a system (RHEL 9)."""
    if release.chart != GPU_OPERATOR or not release.switch("driver", "enabled", default=True):
        return
    grace = sorted(filter(_grace, facts.products))
    if not grace or not release.numbers or facts.node_os is None:
        return
    for row in only_arch(GPU_OPERATOR, (release.numbers[0], release.numbers[1]), facts.node_os):
        here = f"{facts.node_os} {', '.join(row.versions)}"
        yield f"{here} has a driver container for {row.only_arch} alone, not {grace[0]}"
        return


@rule("GPU-113", ADVISORY, on=Release)
def storage_direct(release: Release, facts: Facts) -> Complaints:
    """Its container lives in the operator's driver DaemonSet, and Grace GPUs manage their memory in another way."""
    if release.chart != GPU_OPERATOR or not release.switch("gds", "enabled", default=False):
        return
    if release.switch("driver", "enabled", default=True) is False:
        yield "gds.enabled is true but driver.enabled is false"
    for product in sorted(filter(_grace, facts.products)):
        yield f"gds.enabled is true on {product}"
