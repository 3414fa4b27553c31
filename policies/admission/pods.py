"""Guards over pod templates."""

import re

from bedplate.policies.admission.guard import (
    ALL,
    LINE,
    RUNNING,
    Guard,
    asks,
    cel,
    count,
    each_container,
    each_spec,
    sets,
)
from bedplate.policies.resources.devices import EFA
from bedplate.policies.resources.pod import GKE_INTERFACES, GKE_RDMA, GPU, NETWORKS, RDMA, SHM_SIZE
from bedplate.policies.resources.servers import IMAGE, SERVE
from bedplate.policies.rules.driver.charts import FLOATING_TAG
from bedplate.policies.rules.nccl.environment import AMD, DISTANCES, PINNED, TUNED
from bedplate.policies.rules.nccl.shape import ALONE

GPUS = count(GPU)
LOCKS = (
    "(has(c.securityContext) && ((has(c.securityContext.privileged) && c.securityContext.privileged) || "
    "(has(c.securityContext.capabilities) && has(c.securityContext.capabilities.add) && "
    "c.securityContext.capabilities.add.exists(a, a in ['IPC_LOCK', 'CAP_IPC_LOCK']))))"
)
TAG = (
    "!has(c.image) || c.image == '' || c.image.contains('@') || (c.image.matches(r'^(.*/)?[^/:]+:[^/]+$') && "
    f"!c.image.matches(r':({FLOATING_TAG.pattern})$'))"
)


def annotated(test: str) -> str:
    """Whether an annotation `k` of the object or of template `t` passes; `m` is the metadata that has it."""
    return f"([object.metadata] + (has(t.metadata) ? [t.metadata] : [])).exists(m, has(m.annotations) && {test})"


ATTACHED = annotated(f"'{NETWORKS}' in m.annotations && m.annotations['{NETWORKS}'] != ''")
TUNED_BY_HAND = annotated(f"m.annotations.exists(k, k.endsWith('{TUNED}') && m.annotations[k] != '')")
"""What the rule's own message names as the way to pin a variable."""


def not_pinned(*names: str) -> str:
    """True where no container pins a variable, unless the pod is tuned, or AMD's."""
    free = f"{ALL}.all(c, !{sets('|'.join(names), '.+')})"
    return each_spec(f"{TUNED_BY_HAND} || {count(AMD)} > 0 || {free}")


def named(name: str) -> str:
    """True where no container writes a distance as a number."""
    return each_container(f"!{sets(name, '[0-9]+')}")


WITH_INTERFACES = annotated(f"'{GKE_INTERFACES}' in m.annotations")
ON_FABRIC = f"({count(RDMA)} > 0 || {count(GKE_RDMA)} > 0 || {WITH_INTERFACES})".replace("$s", "t.spec")
VERBS = f"{count(RDMA)} > {count(re.compile(re.escape(EFA)))}".replace("$s", "t.spec")
"""EFA and GKE's TCP fabrics have a transport of their own, for which NCCL's InfiniBand may well be off."""
OFF = f"(({VERBS} && {sets('NCCL_IB_DISABLE', '1')}) || {sets('NCCL_NET', 'Socket')})"
SWITCHED_OFF = (
    f"variables.templates.exists(t, {ON_FABRIC} && (object.kind == 'MPIJob' ? variables.templates : [t])"
    f".exists(u, ($s.containers + (has($s.initContainers) ? $s.initContainers : [])).exists(c, {OFF})))"
).replace("$s", "u.spec")
"""An MPIJob's launcher hands its variables to the workers."""

MOUNTS = "has(c.volumeMounts) && has($s.volumes) && c.volumeMounts.exists(m, m.mountPath.matches(r'^/dev/shm/*$') && "
HOST_DEV = (
    "(has(c.volumeMounts) && has($s.volumes) && c.volumeMounts.exists(m, m.mountPath.matches(r'^/dev/*$') && "
    "$s.volumes.exists(v, v.name == m.name && has(v.hostPath) && v.hostPath.path.matches(r'^/dev/*$'))))"
)
LARGER = annotated(f"'{SHM_SIZE}' in m.annotations")
MOUNTED = f"(({MOUNTS}$s.volumes.exists(v, v.name == m.name))) || {HOST_DEV} || {LARGER})"
MEMORY_VOLUME = "v.name == m.name && has(v.emptyDir) && has(v.emptyDir.medium) && v.emptyDir.medium == 'Memory'"
HOST_IPC = "(has($s.hostIPC) && $s.hostIPC)"
SILENT = f"{RUNNING}.exists(c, {LINE}.matches({cel(ALONE)}))"
"""Programs whose processes do not talk to each other through shared memory."""
SERVES = f"({LINE}.matches({cel(SERVE)}) || (!has(c.command) && has(c.image) && c.image.matches({cel(IMAGE)})))"
SEVERAL_RANKS = r"(^|\s)(--tensor[-_]parallel[-_]size|-tp)(=|\s+)[\x22\x27]?([2-9]|[1-9][0-9]+)(\s|\x22|\x27|$)"
TENSOR = f"{LINE}.matches({cel(SEVERAL_RANKS)})"
SIZE = "quantity(string(v.emptyDir.sizeLimit))"
LIMIT = "quantity(string(c.resources.limits.memory))"
HALF = (
    "!has(c.resources.limits) || !('memory' in c.resources.limits) || "
    f"(has(v.emptyDir.sizeLimit) && !{SIZE}.add({SIZE}).isGreaterThan({LIMIT}))"
)
FITS = f"(!has(c.volumeMounts) || !has($s.volumes) || !({MOUNTS}$s.volumes.exists(v, {MEMORY_VOLUME} && !({HALF})))))"
EQUAL = (
    "(!has(c.resources) || !has(c.resources.limits) || !has(c.resources.requests) || "
    "!('memory' in c.resources.limits) || !('memory' in c.resources.requests) || "
    "quantity(string(c.resources.limits.memory)).compareTo(quantity(string(c.resources.requests.memory))) == 0)"
)
EARLY = "(has($s.initContainers) ? $s.initContainers : [])"
OTHERS = tuple(name for name in PINNED if name not in {"NCCL_PROTO", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"})


def with_gpus(condition: str) -> str:
    """True where the condition holds for every pod that has GPUs."""
    return each_spec(f"{GPUS} == 0 || {condition}")


GUARDS = (
    Guard("GPU-102", with_gpus(f"($s.containers + {EARLY}).all(c, {TAG})"), severity="advisory"),
    Guard("GPU-125", with_gpus("!has($s.hostUsers) || $s.hostUsers")),
    Guard("NET-217", each_spec(f"{RUNNING}.all(c, !{asks(RDMA)} || {LOCKS})")),
    Guard("NET-221", each_spec(f"!has($s.hostNetwork) || !$s.hostNetwork || !{ATTACHED}")),
    Guard("NCCL-301", not_pinned(*OTHERS), part="algo"),
    Guard("NCCL-301", not_pinned("NCCL_PROTO"), part="proto"),
    Guard("NCCL-301", not_pinned("NCCL_P2P_DISABLE"), part="p2p"),
    Guard("NCCL-301", not_pinned("NCCL_SHM_DISABLE"), part="shm"),
    Guard("NCCL-303", named(DISTANCES[0]), part="gdr"),
    Guard("NCCL-303", named(DISTANCES[1]), part="p2p"),
    Guard("NCCL-308", f"!{SWITCHED_OFF}"),
    Guard(
        "NCCL-310",
        each_spec(f"{GPUS} < 2 || {HOST_IPC} || {SILENT} || {RUNNING}.all(c, !{asks(GPU)} || {MOUNTED})"),
    ),
    Guard(
        "NCCL-310",
        each_spec(
            f"{GPUS} < 2 || {HOST_IPC} || {SILENT} || "
            f"{RUNNING}.all(c, !{asks(GPU)} || !{SERVES} || !{TENSOR} || {MOUNTED})"
        ),
        part="tensor",
        severity="mandatory",
    ),
    Guard("NCCL-311", each_spec(f"{RUNNING}.all(c, !{asks(GPU)} || {FITS})")),
    Guard("NCCL-312", with_gpus(f"($s.containers + {EARLY}).all(c, {EQUAL})")),
)
