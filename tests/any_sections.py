"""What the optional sections of a profile may hold, for `tests/any_profile.py`; None: the section is absent."""

from collections.abc import Mapping, Sequence
from typing import Any

LEVELS = {"levels": ["example.com/spine", "example.com/rack"]}
CONTROLLERS = ("jobset", "trainer", "trainingOperator", "mpiOperator", "kuberay", "leaderWorkerSet")
EXISTING = {"kind": "existing", "namespace": "observability", "url": "http://prometheus.observability.svc:9090"}

TEAMS: Sequence[Any] = (
    None,
    {"teams": [{"name": "research"}]},
    {"teams": [{"name": "research", "share": 3, "egress": ["93.184.216.0/24"]}, {"name": "apps", "rdma": False}]},
    {
        "teams": [{"name": "research", "borrow": False}, {"name": "apps", "priority": "inference"}],
        "confinement": "warn",
    },
    {"teams": [{"name": "research", "ingressFrom": ["gateways", "10.9.0.0/16"], "imagePullSecret": True}]},
)
STORAGE: Sequence[Any] = (
    None,
    {"existingClasses": [{"name": "nfs", "kind": "nfs"}], "cache": {"kind": "host-path", "hostPath": "/raid/cache"}},
    {"cache": {"kind": "storage-class", "name": "local", "provisioner": "topolvm.io", "size": "100Gi"}},
    {
        "existingClasses": [{"name": "cephfs", "kind": "cephfs"}],
        "volumes": [
            {"name": "models", "namespaces": ["research"], "size": "4Ti", "path": "/models", "storageClass": "cephfs"}
        ],
    },
    {
        "driver": {"kind": "hpe-lustre", "fileSystems": {"lustre": {"mgs": ["10.20.0.11"], "name": "ai"}}},
        "volumes": [
            {
                "name": "data",
                "namespaces": ["research"],
                "size": "1Ti",
                "path": "/data",
                "fileSystem": "lustre",
                "directory": "d",
            }
        ],
    },
    {"driver": {"kind": "exascaler", "fileSystems": {"exa": {"mgs": ["10.20.0.11"], "name": "ai"}}}},
    {"driver": {"kind": "custom", "driver": "csi.example.com", "fileSystems": {"x": {"handle": "h"}}}},
)

SECTIONS: Mapping[str, Sequence[Any]] = {
    "charts": (None, None, {"mirror": "oci://registry.example.com/charts"}),
    "clusterNetwork": (
        None,
        {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12", "nodeCidrs": ["192.168.20.0/24"]},
        {
            "cni": {"kind": "cilium", "exclusive": False},
            "podCidr6": "fd00:10::/48",
            "serviceCidr6": "fd00:96::/112",
            "nodeCidrs": ["192.168.20.0/24", "2001:db8::/64"],
            "nameServers": ["169.254.25.10"],
            "domain": "k8s.example.com",
        },
    ),
    "tenancy": TEAMS,
    "nfd": (None, {}, {}),
    "networkOperator": (
        None,
        {},
        {"ofed": {"primaryNic": "other-vendor"}},
        {"sharedPodsPerNode": 8, "maxUnavailable": 1},
        {"version": "24.7.0"},
    ),
    "multus": (None, None, {}),
    "whereabouts": (None, None, {}),
    "gpuOperator": (
        None,
        {},
        {},
        {"kernelModules": "proprietary"},
        {"gds": True, "gdrcopy": True},
        {"migStrategy": "mixed", "cdi": False},
        {"umadInImage": True, "upgrade": {"autoUpgrade": True, "drain": True, "maxParallelUpgrades": 0}},
        {"version": "v24.9.2"},
        {"version": "v25.3.4"},
        {"version": "v26.7.0"},
    ),
    "existing": (None, None, {"multus": {}, "nfd": {"version": "0.18.3"}}, {"devicePlugin": {}, "driver": {}}),
    "existingDevicePlugin": (None, None, True),
    "draDriver": (None, None, {}),
    "scheduling": (
        None,
        {"kind": "kueue"},
        {"kind": "kueue", "topology": LEVELS, "replicas": 1},
        {"kind": "volcano"},
        {"kind": "volcano", "topology": {**LEVELS, "domains": ["r1", "r2"]}},
        {"kind": "kai"},
        {"kind": "kai", "topology": LEVELS, "gpuSharing": True},
    ),
    "training": (
        None,
        {key: {} for key in CONTROLLERS},
        *({key: {}} for key in CONTROLLERS),
    ),
    "monitoring": (
        None,
        {"kind": "stack"},
        {"kind": "stack", "controlPlane": True, "grafana": {}, "alertmanager": {}, "storage": {"size": "100Gi"}},
        {"kind": "stack", "dcgmExporter": {}, "profiling": False},
        {"kind": "google", "exporters": ["kube-state-metrics"]},
        EXISTING,
        {**EXISTING, "dcgmExporter": {}, "exporters": ["kube-state-metrics"], "labels": {"release": "prom"}},
    ),
    "autoscaling": (None, None, {"kind": "keda"}, {"kind": "prometheus-adapter"}),
    "storage": STORAGE,
    "admission": (None, {}, {"enforce": "warn"}),
    "verification": (None, {"team": "research", "image": "nvcr.io/nvidia/pytorch:25.06-py3"}),
    "readiness": (None, None, {"timeout": 900}),
}
