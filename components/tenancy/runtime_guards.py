"""What a container's runtime, its plug-ins and the scheduler take from a pod by name alone: CEL beside the node's."""

from collections.abc import Iterator

from bedplate.components.tenancy.daemons import FIRST, LATER
from bedplate.components.tenancy.guards import BY_A_CONTROLLER, CREATED, MARKED, MARKS, Limit, Watch, texts
from bedplate.components.workload.templates import PODS, each_spec

HANDED = (
    r"^(([^/]+\\.)?cdi\\.k8s\\.io/|io\\.kubernetes\\.cri-o\\.|[^/]+\\.(crio\\.io|cri-o\\.io|nri\\.containerd\\.io|nri\\.io|noderesource\\.dev)"
    r"|cni\\.projectcalico\\.org/|ipam\\.[^/]+/|k8s\\.ovn\\.org/|([^/]+\\.)?ovn\\.kubernetes\\.io/|external-dns\\.)"
)
"""Annotations by which runtimes and their plug-ins hand out devices and limits, and networks addresses and routes of
other namespaces, whatever stands before the plug-in's domain (cncf-tags/container-device-interface;
NVIDIA/gpu-operator@v26.7.0, controllers/object_controls.go `NRIAnnotationDomain`; containerd/nri@v0.12.2,
plugins/device-injector; cri-o@v1.35.0, pkg/annotations and its v2; docs.tigera.io, pod annotations; docs.cilium.io,
multi-pool; antrea.io, antrea-ipam; kubeovn/kube-ovn, pkg/util/const.go; ovn-org/ovn-kubernetes,
`routing-namespaces`). external-dns reads names from pods too, by whatever prefix it was given (docs/sources/pod.md)."""
SHARED = ("io.kubernetes.cri-o.ShmSize", "shm-size.crio.io")
"""How large CRI-O makes /dev/shm (cri-o@v1.35.0, pkg/annotations): memory, which the containers' limits bound."""
VARIABLES = ("NVIDIA_MOFED", "NVIDIA_NVSWITCH", "NVIDIA_IMEX_CHANNELS")
"""Which NVIDIA's runtime answers with devices of the node (NVIDIA/nvidia-container-toolkit, internal/modifier)."""
NOT_OURS = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
    "node.kubernetes.io/unschedulable",
)
DEVICE_CLASS = "deviceclass.resource.kubernetes.io/"
"""By such a name in `limits` the scheduler makes a ResourceClaim itself, which members may not (KEP-5004, on since
Kubernetes 1.36; k8s.io/api/resource/v1 `ResourceDeviceClassPrefix`)."""
MARK = MARKS.format("t")
EVERY = f"($s.containers + {FIRST} + {LATER})"


def runtime_limits() -> Iterator[Limit]:
    """For pods and templates."""
    named = f"has(c.env) && c.env.exists(e, e.name in {texts(VARIABLES)})"
    yield Limit(
        each_spec(f"{EVERY}.all(c, !({named}))"),
        f"{', '.join(VARIABLES)} hand out devices that no queue has counted: remove them, and ask for the resource.",
    )
    claimed = "has(c.resources) && has(c.resources.limits) && c.resources.limits.exists(k, k.startsWith($.))"
    yield Limit(
        each_spec(f"{EVERY}.all(c, !({claimed.replace('$.', repr(DEVICE_CLASS))}))"),
        f"{DEVICE_CLASS} is a claim of devices that no queue counts: ask for the resource that nodes count.",
    )
    wide = f"!has(o.key) || o.key == '' || o.key in {texts(NOT_OURS)}"
    yield Limit(
        each_spec(f"!has($s.tolerations) || $s.tolerations.all(o, !({wide}))"),
        "A toleration of every taint, of cordoned nodes or of the control plane: name the key of the pool's taint.",
    )
    profile = "$.securityContext.appArmorProfile"
    local = f"has($.securityContext) && has({profile}) && {profile}.type == 'Localhost'"
    yield Limit(
        each_spec(f"!({local.replace('$.', '$s.')}) && {EVERY}.all(c, !({local.replace('$.', 'c.')}))"),
        "AppArmor's profiles of the node hold some that confine nothing: use RuntimeDefault.",
    )
    in_memory = "has(v.emptyDir) && has(v.emptyDir.medium) && v.emptyDir.medium == 'Memory'"
    mounted = f"c.volumeMounts.exists(m, $s.volumes.exists(v, v.name == m.name && {in_memory}))"
    fills = f"has($s.volumes) && has(c.volumeMounts) && {mounted}"
    yield Limit(
        each_spec(f"({_bounded('$s')}) || {EVERY}.all(c, !({fills}) || ({_bounded('c')}))"),
        "What is written to a volume in memory is the node's memory, and others' processes would be ended for it: give "
        "the container limits.memory.",
    )


def handed_watch() -> Watch:
    """Annotations are read when a pod starts, so not only when it is made; what its network wrote stays."""
    before = MARKS.format("oldObject")
    kept = f"(request.operation == 'UPDATE' && object.kind == 'Pod' && k in {before} && {before}[k] == {MARK}[k])"
    shared = f"k in {texts(SHARED)} && t.spec.containers.all(c, {_bounded('c')})"
    return Watch(
        "handed",
        PODS,
        (
            Limit(
                f"variables.templates.all(t, {MARK}.all(k, !k.matches('{HANDED}') || {kept} || ({shared})))",
                "An annotation that hands out devices, limits, addresses or names (of CDI, NRI, CRI-O, the network, "
                "external-dns): remove it.",
            ),
        ),
        when=f"{CREATED} || (!{BY_A_CONTROLLER} && ({MARKED}))",
    )


def _bounded(owner: str) -> str:
    limits = f"{owner}.resources.limits"
    return f"has({owner}.resources) && has({limits}) && 'memory' in {limits}"
