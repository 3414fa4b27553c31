"""What a cluster is made of: queues, networks, releases, volumes, as sites write them."""

import json
from collections.abc import Iterator
from typing import Any

from tests.corpus.builders.jobs import Named, indexed, pytorch
from tests.corpus.builders.parts import Doc, container, manifest, pod

NETWORKS = "k8s.v1.cni.cncf.io/networks"
KUEUE = "kueue.x-k8s.io/v1beta2"


def queued(doc: Doc, name: str = "team") -> Doc:
    return {**doc, "metadata": {**doc["metadata"], "labels": {"kueue.x-k8s.io/queue-name": name}}}


def _queue(*resources: str) -> list[Doc]:
    quotas = [{"name": name, "nominalQuota": 64} for name in resources]
    groups = [{"coveredResources": list(resources), "flavors": [{"name": "gpus", "resources": quotas}]}]
    return [
        manifest(KUEUE, "ResourceFlavor", "gpus"),
        manifest(KUEUE, "ClusterQueue", "gpus", spec={"namespaceSelector": {}, "resourceGroups": groups}),
        manifest(KUEUE, "LocalQueue", "team", "ml", spec={"clusterQueue": "gpus"}),
    ]


def _queues() -> Iterator[Named]:
    yield "queue and job", [*_queue("cpu", "memory", "nvidia.com/gpu"), queued(indexed(2, "none", "memory"))]
    hami = container("main", ["gpu-burn"], 1)
    hami["resources"]["limits"].update({"nvidia.com/gpucores": 30, "nvidia.com/gpumem": 1024})
    shared = manifest("v1", "Pod", "shared", "ml", spec=pod(hami, "none")["spec"])
    yield (
        "HAMi's resources, which Kueue transforms",
        [*_queue("cpu", "memory", "nvidia.com/gpu", "nvidia.com/total-gpucores"), queued(shared)],
    )
    config = "{resources: {transformations: [{input: nvidia.com/gpumem, strategy: Replace}, {input: nvidia.com/gpucores, strategy: Replace}]}}"
    release = {
        "helmRelease": {
            "chart": "kueue",
            "version": "0.19.2",
            "namespace": "kueue-system",
            "values": {"managerConfig": {"controllerManagerConfigYaml": config}},
        }
    }
    yield "Kueue's transformations", [release, *_queue("cpu", "memory", "nvidia.com/gpu"), queued(shared)]
    yield "a queue that is elsewhere", [queued(pytorch(1, "none", "none"))]
    yield "Kubeflow's job in a queue", [queued(pytorch(2, "efa", "memory"))]
    topology = manifest(
        KUEUE,
        "Topology",
        "racks",
        spec={"levels": [{"nodeLabel": "cloud.example/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]},
    )
    yield (
        "a flavor's topology",
        [
            topology,
            manifest(KUEUE, "ResourceFlavor", "racks", spec={"nodeLabels": {"pool": "gpu"}, "topologyName": "racks"}),
        ],
    )
    yield "a quota", [manifest("v1", "ResourceQuota", "gpus", "ml", spec={"hard": {"requests.nvidia.com/gpu": "16"}})]
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {},
        }
    ]
    job = indexed(2, "none", "none")
    job["spec"]["template"]["spec"]["topologySpreadConstraints"] = spread
    yield "zones that are racks", [job]
    kai = indexed(2, "none", "none")
    kai["spec"]["template"]["spec"]["schedulerName"] = "kai-scheduler"
    yield "KAI's default queue", [kai]
    provisioned = pytorch(2, "none", "none")
    provisioned["metadata"]["annotations"] = {"autoscaling.x-k8s.io/consume-provisioning-request": "train"}
    yield "a ProvisioningRequest", [provisioned]


def _claims() -> Iterator[Named]:
    for count in (1, 4, 8):
        request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": count}}
        template = manifest(
            "resource.k8s.io/v1",
            "ResourceClaimTemplate",
            "gpus",
            "ml",
            spec={"spec": {"devices": {"requests": [request]}}},
        )
        main = {**container("main", ["python", "train.py"]), "resources": {"claims": [{"name": "gpu"}]}}
        claiming = pod(main, resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpus"}])
        yield f"claims-{count}", [template, manifest("v1", "Pod", "claims", "ml", spec=claiming["spec"])]
        yield (
            f"queued-claims-{count}",
            [template, queued(manifest("batch/v1", "Job", "claims", "ml", spec={"template": claiming}))],
        )


def _network(name: str, config: Any, **annotations: str) -> Doc:
    return manifest(
        "k8s.cni.cncf.io/v1",
        "NetworkAttachmentDefinition",
        name,
        "ml",
        annotations=annotations,
        spec={"config": json.dumps(config)},
    )


def _networks() -> Iterator[Named]:
    for ipam in (
        {"type": "whereabouts", "range": "10.9.0.0/16"},
        {"type": "nv-ipam", "poolName": "rail"},
        {"type": "dhcp"},
    ):
        for kind in ("macvlan", "ipvlan"):
            yield (
                f"{kind} with {ipam['type']}",
                [_network("rail", {"cniVersion": "0.3.1", "type": kind, "master": "ens9", "ipam": ipam})],
            )
        yield (
            f"host-device by name with {ipam['type']}",
            [_network("rail", {"cniVersion": "0.3.1", "type": "host-device", "device": "ens9", "ipam": ipam})],
        )
    yield (
        "macvlan on the default route's interface",
        [_network("rail", {"cniVersion": "0.3.1", "type": "macvlan", "ipam": {"type": "dhcp"}})],
    )
    yield (
        "a configuration without version",
        [_network("rail", {"type": "macvlan", "master": "ens9", "ipam": {"type": "dhcp"}})],
    )
    yield (
        "a range for each node",
        [
            _network(
                "rail",
                {
                    "cniVersion": "1.0.0",
                    "type": "macvlan",
                    "master": "ens9",
                    "ipam": {"type": "host-local", "subnet": "{{ subnet }}"},
                },
            )
        ],
    )
    yield (
        "a bridge of one node",
        [
            _network(
                "lab",
                {
                    "cniVersion": "1.0.0",
                    "type": "bridge",
                    "bridge": "br0",
                    "ipam": {"type": "host-local", "subnet": "10.8.0.0/24"},
                },
            )
        ],
    )
    virtual = _network(
        "vf",
        {"cniVersion": "1.0.0", "type": "sriov", "ipam": {"type": "whereabouts", "range": "10.7.0.0/16"}},
        **{"k8s.v1.cni.cncf.io/resourceName": "openshift.io/mlnx"},
    )
    injected = manifest(
        "v1",
        "Pod",
        "vf",
        "ml",
        annotations={NETWORKS: "vf"},
        spec=pod(container("main", ["ib_write_bw"]), "none")["spec"],
    )
    yield "requests that a webhook adds", [virtual, injected]
    for config in (
        {"resourceName": "a", "selectors": {"ifNames": ["ib0"]}},
        {"resourceName": "b", "selectors": {"vendors": ["15b3"]}},
    ):
        shared = {"image": "plugin", "config": json.dumps({"configList": [config]})}
        yield (
            f"NIC policy {config['resourceName']}",
            [
                manifest(
                    "mellanox.com/v1alpha1",
                    "NicClusterPolicy",
                    "nic-cluster-policy",
                    spec={"rdmaSharedDevicePlugin": shared},
                )
            ],
        )
    old = {"nvPeerDriver": {"image": "nv-peer-mem-driver"}, "psp": {"enabled": False}}
    yield (
        "a NIC policy of an older operator",
        [manifest("mellanox.com/v1alpha1", "NicClusterPolicy", "nic-cluster-policy", spec=old)],
    )


def _flux(chart: str, version: str, **spec: Any) -> Doc:
    source = {"chart": chart, "version": version, "sourceRef": {"kind": "HelmRepository", "name": "charts"}}
    return manifest(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        chart,
        chart,
        spec={"interval": "5m", "chart": {"spec": source}, **spec},
    )


def _argo(chart: str, version: str, **helm: Any) -> Doc:
    source = {"repoURL": "https://charts.example", "chart": chart, "targetRevision": version, "helm": helm}
    return manifest(
        "argoproj.io/v1alpha1",
        "Application",
        chart,
        "argocd",
        spec={"destination": {"namespace": chart}, "source": source},
    )


VALUES: dict[tuple[str, str], Doc] = {
    ("gpu-operator", "v26.7.0"): {"driver": {"enabled": False}, "toolkit": {"enabled": False}},
    ("gpu-operator", "v25.3.4"): {"driver": {"kernelModuleType": "open"}, "mig": {"strategy": "mixed"}},
    ("gpu-operator", "v24.9.2"): {"driver": {"useOpenKernelModules": True}},
    ("network-operator", "26.4.1"): {"nfd": {"enabled": False}},
    ("network-operator", "24.7.0"): {"deployCR": True},
    ("kueue", "0.19.2"): {},
    ("volcano", "1.15.1"): {"custom": {"metrics_enable": True}},
    ("nvidia-device-plugin", "0.20.0"): {"migStrategy": "mixed"},
    ("prometheus-adapter", "5.3.0"): {"rules": {"default": False}},
    ("node-feature-discovery", "0.19.0"): {"worker": {"tolerations": []}},
}


def _releases() -> Iterator[Named]:
    for (chart, version), values in VALUES.items():
        yield f"{chart} {version} by Flux", [_flux(chart, version, values=values)]
        yield f"{chart} {version} by Argo CD", [_argo(chart, version, valuesObject=values)]
        yield f"{chart} {version} as text", [_argo(chart, version, values=json.dumps(values))]
        yield (
            f"{chart} {version} with values elsewhere",
            [_flux(chart, version, valuesFrom=[{"kind": "ConfigMap", "name": "values"}])],
        )
    yield "an unpinned chart", [_flux("gpu-operator", "*", values={"operator": {"defaultRuntime": "containerd"}})]
    yield "a range", [_argo("kueue", "0.x", valuesObject={"integrations": {}})]
    yield "a chart that we do not know", [_flux("some-chart", "1.2.3", values={"anything": True})]


def _volumes() -> Iterator[Named]:
    for driver in ("files.example.com", "s3.csi.scality.com", "fsx.csi.aws.com", "csi.weka.io"):
        source = {"driver": driver, "volumeHandle": "data"}
        yield (
            f"a volume of {driver}",
            [manifest("v1", "PersistentVolume", "data", spec={"storageClassName": "", "csi": source})],
        )
    yield (
        "a claim whose volume is elsewhere",
        [
            manifest(
                "v1",
                "PersistentVolumeClaim",
                "data",
                "ml",
                spec={"accessModes": ["ReadWriteMany"], "storageClassName": ""},
            )
        ],
    )
    for kind in ("gpu-operator", "network-operator"):
        release = {
            "helmRelease": {
                "chart": kind,
                "version": "v26.7.0" if kind == "gpu-operator" else "26.4.1",
                "namespace": kind,
            }
        }
        yield f"a namespace of {kind} without a level", [manifest("v1", "Namespace", kind), release]


def manifests() -> Iterator[Named]:
    """All of them, each with its name."""
    for make in (_queues, _claims, _networks, _releases, _volumes):
        yield from make()
