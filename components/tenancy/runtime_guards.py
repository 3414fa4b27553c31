"""What a container's runtime, its plug-ins and the scheduler take from a pod by name alone: CEL beside the node's."""

from collections.abc import Iterator

from bedplate.components.tenancy.daemons import FIRST, LATER
from bedplate.components.tenancy.guards import MARKS, Limit, texts
from bedplate.components.workload.templates import each_spec

INJECTORS = (
    "cdi.k8s.io/",
    "devices.nri.io",
    "ulimits.nri.containerd.io",
    "io.kubernetes.cri-o.",
    "cni.projectcalico.org/ipAddrs",
    "cni.projectcalico.org/allowedSourcePrefixes",
    "cni.projectcalico.org/hwAddr",
)
"""Beginnings of annotations by which runtimes and their plug-ins hand out devices and limits, and Calico addresses
(cncf-tags/container-device-interface; containerd/nri, plugins; cri-o, annotations; docs.tigera.io, pod annotations)."""
VARIABLES = ("NVIDIA_MOFED", "NVIDIA_NVSWITCH", "NVIDIA_IMEX_CHANNELS")
"""Which NVIDIA's runtime answers with devices of the node (NVIDIA/nvidia-container-toolkit, internal/modifier)."""
NOT_OURS = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
    "node.kubernetes.io/unschedulable",
)
MARK = MARKS.format("t")
EVERY = f"($s.containers + {FIRST} + {LATER})"


def runtime_limits() -> Iterator[Limit]:
    """For pods and templates."""
    yield Limit(
        f"variables.templates.all(t, {MARK}.all(k, !{texts(INJECTORS)}.exists(p, k.startsWith(p))))",
        f"An annotation that hands out devices, limits or addresses ({', '.join(INJECTORS[:3])} …): remove it.",
    )
    named = f"has(c.env) && c.env.exists(e, e.name in {texts(VARIABLES)})"
    yield Limit(
        each_spec(f"{EVERY}.all(c, !({named}))"),
        f"{', '.join(VARIABLES)} hand out devices that no queue has counted: remove them, and ask for the resource.",
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
