"""Guards over other objects."""

from bedplate.policies.admission.guard import Guard, Kind
from bedplate.policies.resources.attachments import RDMA_PLUGINS
from bedplate.policies.rules.serving.availability import RETIRED
from bedplate.policies.rules.serving.scaling import GPU_LOAD
from bedplate.policies.rules.storage.volumes import FICTION

NAD: tuple[Kind, ...] = (("k8s.cni.cncf.io", "v1", "network-attachment-definitions"),)
MADE_BY_OPERATOR: tuple[Kind, ...] = (
    ("mellanox.com", "v1alpha1", "hostdevicenetworks"),
    ("mellanox.com", "v1alpha1", "macvlannetworks"),
    ("mellanox.com", "v1alpha1", "ipoibnetworks"),
    ("sriovnetwork.openshift.io", "v1", "sriovnetworks"),
    ("sriovnetwork.openshift.io", "v1", "sriovibnetworks"),
)
"""Networks whose address management stands in `spec.ipam`."""
NIC_POLICY: tuple[Kind, ...] = (("mellanox.com", "v1alpha1", "nicclusterpolicies"),)
HPA: tuple[Kind, ...] = (("autoscaling", "v2", "horizontalpodautoscalers"),)
SCALED: tuple[Kind, ...] = (("keda.sh", "v1alpha1", "scaledobjects"),)
NODE_POLICY: tuple[Kind, ...] = (("sriovnetwork.openshift.io", "v1", "sriovnetworknodepolicies"),)

LOAD = f"r'(?i){GPU_LOAD.pattern}'"
SOURCES = ("pods", "external", "object")


def metrics(wrong: str, *sources: str) -> str:
    """True where no metric's name `n` of these sources is wrong."""
    each = [f"(!has(m.{source}) || ![m.{source}.metric.name].exists(n, {wrong}))" for source in sources]
    return f"!has(object.spec.metrics) || object.spec.metrics.all(m, {' && '.join(each)})"


QUERIES = (
    "!has(object.spec.triggers) || object.spec.triggers.all(t, !has(t.metadata) || !('query' in t.metadata) || "
    f"!t.metadata.query.matches({LOAD}))"
)
HOST_LOCAL = r"""r'"type"\s*:\s*"host-local"'"""
PLUGINS = rf"""r'"type"\s*:\s*"({"|".join(sorted(RDMA_PLUGINS))})"'"""
CONFIG = (
    f"!has(object.spec.config) || !object.spec.config.matches({HOST_LOCAL}) || "
    f"!object.spec.config.matches({PLUGINS}) || object.spec.config.contains('{{{{')"
)
IPAM = f"!has(object.spec.ipam) || !object.spec.ipam.matches({HOST_LOCAL}) || object.spec.ipam.contains('{{{{')"
OLD_ANNOTATIONS = (
    "(!has(object.metadata.annotations) || "
    "!object.metadata.annotations.exists(k, k.startsWith('nginx.ingress.kubernetes.io/')))"
)
NO_DRIVER = str(sorted(FICTION))

GUARDS = (
    Guard("NET-201", "object.metadata.name == 'nic-cluster-policy'", NIC_POLICY),
    Guard("NET-207", CONFIG, NAD, severity="advisory"),
    Guard("NET-207", IPAM, MADE_BY_OPERATOR, part="operator", severity="advisory"),
    Guard(
        "NET-213",
        "!has(object.spec.linkType) || object.spec.linkType.lowerAscii() != 'ib' || object.spec.numVfs <= 16",
        NODE_POLICY,
    ),
    Guard(
        "SCH-416",
        "!has(object.spec.hard) || !['nvidia.com/gpu', 'limits.nvidia.com/gpu'].exists(k, k in object.spec.hard)",
        (("", "v1", "resourcequotas"),),
    ),
    Guard("INF-604", metrics(f"n.matches({LOAD})", *SOURCES), HPA),
    Guard("INF-604", QUERIES, SCALED, part="keda"),
    Guard("INF-605", metrics("n.contains(':') && !n.contains('|')", "pods", "external"), HPA, severity="advisory"),
    Guard(
        "INF-614",
        f"(!has(object.spec.ingressClassName) || object.spec.ingressClassName != '{RETIRED}') && {OLD_ANNOTATIONS}",
        (("networking.k8s.io", "v1", "ingresses"),),
    ),
    Guard(
        "STO-701",
        f"!has(object.spec.csi) || !(object.spec.csi.driver in {NO_DRIVER})",
        (("", "v1", "persistentvolumes"),),
    ),
    Guard(
        "STO-701",
        f"!(object.provisioner in {NO_DRIVER})",
        (("storage.k8s.io", "v1", "storageclasses"),),
        part="class",
    ),
)
