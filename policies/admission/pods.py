"""Guards over pod templates."""

from policies.admission.guard import Guard, each_container, each_spec, env_is_not, limits

GPU = limits("^nvidia[.]com/(gpu([.]shared)?|mig-.+)$")
RDMA = limits("^(rdma/.*|vpc[.]amazonaws[.]com/efa|nvidia[.]com/(hostdev|rdma-vf|.*nics?.*|sriov.*|.*rdma.*))$")
WHOLE = "'nvidia.com/gpu' in c.resources.limits"
SEVERAL = f"({GPU} && {WHOLE} && int(string(c.resources.limits['nvidia.com/gpu'])) > 1)"
CONTEXT = "has(c.securityContext)"
LOCKS = (
    f"({CONTEXT} && ((has(c.securityContext.privileged) && c.securityContext.privileged) || "
    "(has(c.securityContext.capabilities) && has(c.securityContext.capabilities.add) && "
    "c.securityContext.capabilities.add.exists(a, a in ['IPC_LOCK', 'CAP_IPC_LOCK']))))"
)
SHM = (
    "(has(c.volumeMounts) && has($s.volumes) && c.volumeMounts.exists(m, m.mountPath == '/dev/shm' && "
    "$s.volumes.exists(v, v.name == m.name && has(v.emptyDir) && has(v.emptyDir.medium) && "
    "v.emptyDir.medium == 'Memory')))"
)
MEMORY = f"({GPU} && has(c.volumeMounts) && has(c.resources.limits.memory))"
FITS = (
    "c.volumeMounts.all(m, m.mountPath != '/dev/shm' || $s.volumes.all(v, v.name != m.name || !has(v.emptyDir) || "
    "!has(v.emptyDir.medium) || v.emptyDir.medium != 'Memory' || !has(v.emptyDir.sizeLimit) || "
    "quantity(string(v.emptyDir.sizeLimit)).isLessThan(quantity(string(c.resources.limits.memory)))))"
)
TAG = "c.image.contains('@') || (c.image.matches('^.+:[^/]+$') && !c.image.matches(':(latest|main|master|.*-devel)$'))"
NETWORKS = "k8s.v1.cni.cncf.io/networks"
ANNOTATED = f"(has(t.metadata) && has(t.metadata.annotations) && '{NETWORKS}' in t.metadata.annotations)"
EQUAL = (
    "(has(c.resources.requests) && has(c.resources.limits) && ['cpu', 'memory'].all(r, r in c.resources.limits && "
    "r in c.resources.requests && quantity(string(c.resources.limits[r]))"
    ".compareTo(quantity(string(c.resources.requests[r]))) == 0))"
)
DISTANCE = "e.value.matches('^[0-9]+$')"

GUARDS = (
    Guard("GPU-102", each_container(TAG), severity="advisory"),
    Guard("GPU-125", each_spec(f"!has($s.hostUsers) || $s.hostUsers || $s.containers.all(c, !{GPU})")),
    Guard("NET-217", each_container(f"!{RDMA} || {LOCKS}")),
    Guard("NET-221", each_spec(f"!has($s.hostNetwork) || !$s.hostNetwork || !{ANNOTATED}")),
    Guard("NCCL-301", env_is_not("NCCL_ALGO", "e.value != ''"), part="algo"),
    Guard("NCCL-301", env_is_not("NCCL_PROTO", "e.value.matches('^[^^]*LL128')"), part="proto"),
    Guard("NCCL-301", env_is_not("NCCL_P2P_DISABLE", "e.value == '1'"), part="p2p"),
    Guard("NCCL-301", env_is_not("NCCL_SHM_DISABLE", "e.value == '1'"), part="shm"),
    Guard("NCCL-303", env_is_not("NCCL_NET_GDR_LEVEL", DISTANCE), part="gdr"),
    Guard("NCCL-303", env_is_not("NCCL_P2P_LEVEL", DISTANCE), part="p2p"),
    Guard(
        "NCCL-308",
        each_container(
            f"!{RDMA} || !has(c.env) || !c.env.exists(e, has(e.value) && ((e.name == 'NCCL_IB_DISABLE' && "
            "e.value == '1') || (e.name == 'NCCL_NET' && e.value == 'Socket')))"
        ),
    ),
    Guard("NCCL-310", each_spec(f"$s.containers.all(c, !{SEVERAL} || {SHM})")),
    Guard("NCCL-311", each_spec(f"$s.containers.all(c, !{MEMORY} || {FITS})")),
    Guard("NCCL-312", each_container(f"!{GPU} || {EQUAL}")),
)
