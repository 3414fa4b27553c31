"""STO-7xx and CLD-8xx."""

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

EVERYTHING = {"protocol": "-1", "self": True}
STORAGE = "storage.k8s.io/v1"


def template(kind: str = "p6-b200.48xlarge", count: int = 8, **more: object) -> v.Doc:
    ports = [
        {"networkCardIndex": card, "deviceIndex": 0 if card == 0 else 1, "interfaceType": "efa"}
        for card in range(count)
    ]
    return v.cloud(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "gpu",
        "group",
        "security",
        instanceType=kind,
        networkInterfaces=ports,
        **more,
    )


def nodes(*waits_for: str, **props: object) -> v.Doc:
    return v.cloud("aws:eks/nodeGroup:NodeGroup", "gpu", *(waits_for or ("template",)), **props)


def placement(**props: object) -> v.Doc:
    return v.cloud("aws:ec2/placementGroup:PlacementGroup", "gpu", **{"strategy": "cluster", **props})


def security() -> v.Doc:
    return v.cloud("aws:ec2/securityGroup:SecurityGroup", "efa", ingress=[EVERYTHING], egress=[EVERYTHING])


def google(machine: str = "a3-ultragpu-8g", rails: int = 8, **more: object) -> v.Doc:
    return v.cloud(
        "gcp:container/nodePool:NodePool",
        "gpu",
        nodeConfig={"machineType": machine},
        networkConfig={"additionalNodeNetworkConfigs": [{"network": str(rail)} for rail in range(rails)]},
        **{"placementPolicy": {"type": "COMPACT"}, **more},
    )


def azure(**props: object) -> v.Doc:
    return v.cloud("azure-native:containerservice:AgentPool", "gpu", vmSize="Standard_ND96isr_H100_v5", **props)


def volume(driver: str = "fsx.csi.aws.com", handle: str = "fs-1") -> v.Doc:
    return v.manifest("v1", "PersistentVolume", "fs", spec={"csi": {"driver": driver, "volumeHandle": handle}})


def on_node_folder() -> v.Doc:
    server = v.deployment()
    server["spec"]["template"]["spec"]["volumes"].append({"name": "cache", "hostPath": {"path": "/raid"}})
    return server


AWS = {"template": template(), "group": placement(), "security": security(), "nodes": nodes(subnetIds=["subnet-a"])}
CHECKPOINT = {
    "bedplate.dev/checkpoint-size": "100G",
    "bedplate.dev/checkpoint-interval-seconds": "3600",
    "bedplate.dev/storage-bandwidth": "10G",
}

CASES = [
    case(
        "STO-701",
        {
            "volume": volume(),
            "class": v.manifest(STORAGE, "StorageClass", "own", provisioner="csi.example.com"),
            "driver": v.manifest(STORAGE, "CSIDriver", "csi.example.com", spec={}),
            "ceph": v.manifest(STORAGE, "StorageClass", "ceph", provisioner="rook-ceph.rbd.csi.ceph.com"),
        },
        (
            "volume spec csi driver",
            "lustre.csi.io",
            "no driver that we know is called lustre.csi.io. The mount never happens",
            "mandatory",
        ),
        ("driver", GONE, "no driver that we know is called csi.example.com", "advisory"),
    ),
    case(
        "STO-702",
        {"facts": {"platform": "kubeadm", "fabric": "infiniband"}, "volume": volume(handle="10.0.0.1@o2ib:/fs")},
        ("facts platform", "eks", "the address is @o2ib on eks"),
        ("volume spec csi volumeHandle", "10.0.0.1@tcp:/fs", "the address is @tcp on an InfiniBand fabric"),
    ),
    case(
        "STO-702",
        {"facts": {"platform": "aks", "fabric": "infiniband"}, "volume": volume(handle="10.0.0.1@tcp:/fs")},
        ("volume spec csi volumeHandle", "10.0.0.1@o2ib:/fs", "the address is @o2ib on aks"),
    ),
    case(
        "STO-703",
        {
            "facts": {"pools": [v.pool(taints=[{"key": "fsx.csi.aws.com/agent-not-ready", "effect": "NoExecute"}])]},
            "driver": v.release("aws-fsx-csi-driver", "1.17.0", "kube-system", node={"tolerateAllTaints": True}),
        },
        (
            "driver helmRelease values node",
            {"tolerateAllTaints": False, "tolerations": []},
            "node.tolerations does not tolerate fsx.csi.aws.com/agent-not-ready:NoExecute of pool h100",
        ),
    ),
    case(
        "STO-703",
        {
            "facts": {"pools": [v.pool(taints=[{"key": "team"}])]},
            "driver": v.release(
                "aws-fsx-csi-driver", "1.17.0", "kube-system", node={"tolerateAllTaints": False, "tolerations": []}
            ),
        },
        ("facts pools 0 taints 0 key", "fsx.csi.aws.com/agent-not-ready", "does not tolerate fsx.csi"),
    ),
    case(
        "STO-704",
        {"claim": v.manifest("v1", "PersistentVolumeClaim", "c", annotations=CHECKPOINT, spec={})},
        (
            "claim metadata annotations bedplate.dev/checkpoint-size",
            "5T",
            "a checkpoint takes 500 s of an interval of 3600 s",
        ),
    ),
    case(
        "STO-705",
        {"facts": {"platform": "eks", "kubernetesVersion": "1.35"}, "claim": v.claim("c", "team")},
        ("claim spec storageClassName", GONE, "has no storageClassName and EKS has no default class"),
    ),
    case(
        "STO-705",
        {
            "facts": {"platform": "eks", "kubernetesVersion": "1.29"},
            "claim": v.manifest("v1", "PersistentVolumeClaim", "c", spec={}),
        },
        ("facts kubernetesVersion", "1.30", "EKS has no default class"),
    ),
    case(
        "STO-705",
        {
            "facts": {"platform": "eks", "kubernetesVersion": "1.31"},
            "claim": v.manifest("v1", "PersistentVolumeClaim", "c", spec={}),
            "class": v.manifest(
                STORAGE, "StorageClass", "gp3", annotations={"storageclass.kubernetes.io/is-default-class": "true"}
            ),
        },
        ("class metadata annotations", {}, "EKS has no default class"),
    ),
    case(
        "STO-706",
        {"server": on_node_folder(), "namespace": v.namespace("serve")},
        ("namespace metadata labels pod-security.kubernetes.io/enforce", "baseline", "folder of the node (cache)"),
    ),
    case(
        "STO-706",
        {"server": v.deployment(), "namespace": v.namespace("serve", "restricted")},
        (
            "server spec template spec volumes 0",
            {"name": "shm", "hostPath": {"path": "/dev/shm"}},  # noqa: S108 - what it finds
            "in namespace serve: restricted",
        ),
    ),
    case(
        "CLD-801",
        AWS,
        ("nodes props subnetIds", ["subnet-a", "subnet-b"], "has 2 subnets and a cluster placement group or EFA"),
    ),
    case(
        "CLD-801",
        {
            "template": v.cloud("aws:ec2/launchTemplate:LaunchTemplate", "cpu", instanceType="m7i.xlarge"),
            "nodes": nodes(subnetIds=["subnet-a", "subnet-b"]),
            "group": placement(),
        },
        ("template dependencies", ["group"], "has 2 subnets"),
        ("template props networkInterfaces", [{"interfaceType": "efa"}], "has 2 subnets"),
    ),
    case(
        "CLD-801",
        {
            **AWS,
            "nodes": nodes(subnetIds=["a", "b"]),
            "a": v.cloud("aws:ec2/subnet:Subnet", "a", availabilityZone="us-east-1a"),
            "b": v.cloud("aws:ec2/subnet:Subnet", "b", availabilityZone="us-east-1a"),
        },
        ("b props availabilityZone", "us-east-1b", "has 2 subnets"),
    ),
    case(
        "CLD-802",
        AWS,
        ("group props strategy", "spread", "strategy is spread for nodes with EFA. Ranks land"),
        ("group props partitionCount", 2, "partitionCount is set with strategy cluster"),
        ("group", GONE, "has EFA interfaces and no placement group"),
        ("second", template(), "2 launch templates share it"),
    ),
    case(
        "CLD-802",
        {
            "template": v.cloud(
                "aws:ec2/launchTemplate:LaunchTemplate",
                "named",
                networkInterfaces=[{"interfaceType": "efa"}],
                placement={"groupName": "gpu"},
            )
        },
        ("template props placement", GONE, "has EFA interfaces and no placement group"),
    ),
    case(
        "CLD-802",
        {
            "template": v.cloud(
                "aws:ec2/launchTemplate:LaunchTemplate",
                "reserved",
                networkInterfaces=[{"interfaceType": "efa"}],
                capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
            )
        },
        ("template props capacityReservationSpecification", GONE, "has EFA interfaces and no placement group"),
    ),
    case(
        "CLD-803",
        AWS,
        (
            "template props networkInterfaces 7 interfaceType",
            "interface",
            "has 7 EFA interfaces, p6-b200.48xlarge has 8",
        ),
        ("template props networkInterfaces 1 networkCardIndex", 2, "has two interfaces at network card 2, device 1"),
        ("template props networkInterfaces 0 interfaceType", "efa-only", "the first interface is efa-only"),
        ("security props ingress", [], "ingress does not admit all traffic of the group itself"),
        ("security props egress 0 self", False, "egress does not admit all traffic"),
        ("template props instanceType", "p5.48xlarge", "has 8 EFA interfaces, p5.48xlarge has 32"),
    ),
    case(
        "CLD-803",
        {
            "template": v.cloud(
                "aws:ec2/launchTemplate:LaunchTemplate",
                "b300",
                networkInterfaces=[{"deviceIndex": 0, "interfaceType": "interface"}]
                + [{"networkCardIndex": card, "deviceIndex": 0, "interfaceType": "efa-only"} for card in range(1, 17)],
            ),
            "nodes": nodes(instanceTypes=["p6-b300.48xlarge"]),
        },
        (
            "template props networkInterfaces 0 interfaceType",
            "efa",
            "has EFA on network card 0, which carries ENA only",
        ),
        ("nodes props instanceTypes", ["p5.48xlarge"], "has 16 EFA interfaces, p5.48xlarge has 32"),
    ),
    case(
        "CLD-804",
        {
            "nodes": nodes(amiType="AL2023_x86_64_NVIDIA", instanceTypes=["p5.48xlarge"]),
            "operator": v.gpu_operator(driver={"enabled": False}),
        },
        ("nodes props amiType", "AL2_x86_64_GPU", "amiType AL2_x86_64_GPU is Amazon Linux 2"),
        ("nodes props amiType", "AL2023_x86_64_STANDARD", "has no driver and the operator's is off"),
        ("nodes props instanceTypes", ["p6e-gb200.36xlarge"], "amiType AL2023_x86_64_NVIDIA on GB200"),
    ),
    case(
        "CLD-804",
        {
            "nodes": nodes(amiType="AL2023_x86_64_STANDARD", instanceTypes=["p5.48xlarge"]),
            "system": nodes(amiType="AL2023_x86_64_STANDARD", instanceTypes=["m7i.xlarge"]),
            "operator": v.gpu_operator(driver={"enabled": True}),
        },
        ("operator helmRelease values driver enabled", False, "amiType AL2023_x86_64_STANDARD has no driver"),
    ),
    case(
        "CLD-805",
        {"nodes": nodes(), "template": template(capacityReservationSpecification={"capacityReservationTarget": {}})},
        ("template props capacityReservationSpecification", GONE, "p6-b200.48xlarge without a reservation"),
    ),
    case(
        "CLD-805",
        {"pool": azure(capacityReservationGroupId="g"), "cpu": v.cloud("gcp:container/nodePool:NodePool", "x")},
        ("pool props capacityReservationGroupId", GONE, "Standard_ND96isr_H100_v5 without a reservation"),
    ),
    case(
        "CLD-806",
        {"pool": google(), "net": v.cloud("gcp:compute/network:Network", "r", networkProfile="zone-vpc-roce")},
        (
            "pool props networkConfig additionalNodeNetworkConfigs",
            [{}],
            "a3-ultragpu-8g has 1 additional node networks of 8",
        ),
        ("pool props placementPolicy", GONE, "has neither placement policy nor reservation"),
        ("net props networkProfile", "plain", "has no network with the RoCE profile"),
    ),
    case(
        "CLD-806",
        {"pool": google("a4x-highgpu-4g", 4), "cpu": google("n2-standard-8", 0)},
        ("pool props nodeConfig machineType", "a3-megagpu-8g", "has 4 additional node networks of 8"),
    ),
    case(
        "CLD-806",
        {"pool": google("a3-megagpu-8g"), "net": v.cloud("gcp:compute/network:Network", "r", networkProfile="x")},
        ("pool props nodeConfig machineType", "a4-highgpu-8g", "has no network with the RoCE profile"),
    ),
    case(
        "CLD-807",
        {"facts": {"driverOwner": "operator"}, "pool": azure(availabilityZones=["1"], gpuProfile={"driver": "None"})},
        ("pool props availabilityZones", ["1", "2"], "Standard_ND96isr_H100_v5 spans 2 zones"),
        ("pool props gpuProfile driver", "Install", "installs a driver and so does the GPU operator"),
        ("facts driverOwner", "cloud", "has the driver mode None and nothing else brings one"),
    ),
    case(
        "CLD-807",
        {"pool": v.cloud("azure-native:containerservice:AgentPool", "x", vmSize="D4", availabilityZones=["1", "2"])},
        ("pool props vmSize", "Standard_ND96asr_v4", "spans 2 zones"),
    ),
    case(
        "CLD-808",
        {
            "pool": v.cloud("oci:ContainerEngine/nodePool:NodePool", "gpu", "rdma", nodeShape="BM.GPU.H100.8"),
            "rdma": v.cloud("oci:Core/clusterNetwork:ClusterNetwork", "rdma"),
        },
        ("pool dependencies", [], "BM.GPU.H100.8 is in no cluster network"),
    ),
    case(
        "CLD-808",
        {"pool": v.cloud("oci:Core/instancePool:InstancePool", "x", shape="VM.Standard3")},
        ("pool props shape", "BM.GPU4.8", "BM.GPU4.8 is in no cluster network"),
    ),
    case(
        "CLD-809",
        {
            "nodes": nodes(
                instanceTypes=["p5.48xlarge"],
                scalingConfig={"minSize": 0},
                tags={
                    "k8s.io/cluster-autoscaler/node-template/label/a": "b",
                    "k8s.io/cluster-autoscaler/node-template/taint/a": "b",
                    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu": "8",
                },
            )
        },
        ("nodes props tags", {}, "minSize is 0 without the tag k8s.io/cluster-autoscaler/node-template/label/"),
    ),
    case(
        "CLD-809",
        {
            "nodes": nodes(
                instanceTypes=["p4d.24xlarge"],
                scalingConfig={"minSize": 0},
                tags={
                    "k8s.io/cluster-autoscaler/node-template/label/a": "b",
                    "k8s.io/cluster-autoscaler/node-template/taint/a": "b",
                    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/mig-1g.5gb": "56",
                },
            )
        },
    ),
    case(
        "CLD-809",
        {
            "nodes": nodes(instanceTypes=["g6e.48xlarge"], scalingConfig={"minSize": 1}),
            "cpu": nodes(scalingConfig={"minSize": 0}),
        },
        ("nodes props scalingConfig minSize", 0, "minSize is 0 without the tag"),
    ),
    case(
        "CLD-810",
        {"facts": {"pools": [v.pool(), v.pool(name="system", gpusPerNode=0, taints=[])]}},
        ("facts pools 1 taints", [{"key": "a"}], "all pools are tainted: h100, system"),
    ),
    case(
        "CLD-811",
        {"nodes": nodes(instanceTypes=["g6.xlarge"], diskSize=500), "cpu": nodes(diskSize=20)},
        ("nodes props diskSize", 100, "the root disk has 100 GB"),
    ),
    case(
        "CLD-811",
        {"nodes": nodes(), "template": template(blockDeviceMappings=[{"ebs": {"volumeSize": 300}}])},
        ("template props blockDeviceMappings 0 ebs volumeSize", 50, "the root disk has 50 GB"),
    ),
]
