"""Guards over other objects."""

from policies.admission.guard import Guard

NAD = (("k8s.cni.cncf.io", "v1", "network-attachment-definitions"),)
NIC_POLICY = (("mellanox.com", "v1alpha1", "nicclusterpolicies"),)
HPA = (("autoscaling", "v2", "horizontalpodautoscalers"),)
NODE_POLICY = (("sriovnetwork.openshift.io", "v1", "sriovnetworknodepolicies"),)

METRICS = (
    "!has(object.spec.metrics) || object.spec.metrics.all(m, !has(m.pods) || "
    "!m.pods.metric.name.matches('(?i)gpu.?util|DCGM_FI_DEV_GPU_UTIL|nvidia_gpu_duty_cycle'))"
)
COLON = (
    "!has(object.spec.metrics) || object.spec.metrics.all(m, !has(m.pods) || "
    "!m.pods.metric.name.contains(':') || m.pods.metric.name.contains('|'))"
)
IPAM = '!has(object.spec.config) || !object.spec.config.matches(\'"type"\\\\s*:\\\\s*"host-local"\')'
BRIDGE = ' || object.spec.config.matches(\'"type"\\\\s*:\\\\s*"bridge"\')'

GUARDS = (
    Guard("NET-201", "object.metadata.name == 'nic-cluster-policy'", NIC_POLICY),
    Guard("NET-207", IPAM + BRIDGE, NAD),
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
    Guard("INF-604", METRICS, HPA),
    Guard("INF-605", COLON, HPA, severity="advisory"),
    Guard(
        "INF-614",
        "!has(object.spec.ingressClassName) || object.spec.ingressClassName != 'nginx'",
        (("networking.k8s.io", "v1", "ingresses"),),
    ),
    Guard(
        "STO-701",
        "!has(object.spec.csi) || object.spec.csi.driver != 'lustre.csi.io'",
        (("", "v1", "persistentvolumes"),),
    ),
)
