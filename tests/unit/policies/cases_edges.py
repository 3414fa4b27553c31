"""Nodes, operators and networks just beside what a rule refuses, and exactly at its limits."""

from bedplate.policies.values import UNKNOWN
from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case, put
from tests.unit.policies.cases_driver import COS, QUOTA
from tests.unit.policies.cases_infrastructure import AWS, EVERYTHING, google, nodes, placement, security, template
from tests.unit.policies.cases_network import RAIL, ROCE, SRIOV, attached

VALUES = "operator helmRelease values"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ANYWHERE = {"protocol": "-1", "cidrBlocks": ["0.0.0.0/0"]}
FIRST_CARD = [
    {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
    {"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"},
    *({"networkCardIndex": card, "deviceIndex": 1, "interfaceType": "efa-only"} for card in range(1, 8)),
]
RACK = [
    {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
    *({"networkCardIndex": card, "deviceIndex": 0, "interfaceType": "efa-only"} for card in (1, 5, 9, 13)),
]
"""As EC2's documentation has it for P6e-GB200."""
GOOGLE_APART = google(rails=0)
GOOGLE_APART["props"]["name"] = "gpu"
PRODUCT = "nvidia.com/gpu.product"


def named(group: str) -> v.Doc:
    """A template with EFA that names its placement group."""
    return v.cloud(TEMPLATE, "t", networkInterfaces=[{"interfaceType": "efa"}], placement={"groupName": group})


def affine(key: str, operator: str) -> v.Doc:
    """A pod that wants nodes by an expression."""
    terms = [{"matchExpressions": [{"key": key, "operator": operator, "values": ["H200"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return v.manifest("v1", "Pod", "x", spec={"affinity": {"nodeAffinity": required}, "containers": []})


def whereabouts(name: str, **ipam: str) -> v.Doc:
    return v.network(name, "team", {"type": "macvlan", "ipam": {"type": "whereabouts", **ipam}})


def nv_ipam(**ipam: str) -> v.Doc:
    return v.network("a", "team", {"type": "macvlan", "ipam": {"type": "nv-ipam", **ipam}})


CLOUD = [
    case(
        "CLD-801",
        {
            "template": template(),
            "group": placement(),
            "nodes": v.cloud(NODE_GROUP, "n", subnetIds=["a", "b"], launchTemplate={"name": "cpu"}),
        },
        ("nodes props launchTemplate name", "gpu", "has 2 subnets and a cluster placement group or EFA"),
    ),
    case(
        "CLD-802",
        {"template": named("gpu"), "group": placement(), "other": {**placement(strategy="spread"), "name": "other"}},
        ("group props strategy", "spread", "strategy is spread for nodes with EFA"),
        ("template props placement groupName", "other", "strategy is spread for nodes with EFA"),
    ),
    case("CLD-803", {**AWS, "template": put({"t": template()}, ("t", "props", "networkInterfaces"), FIRST_CARD)["t"]}),
    case(
        "CLD-803",
        {
            **AWS,
            "security": {**security(), "props": {"ingress": [], "egress": []}},
            "rule": v.cloud("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "r", "security"),
        },
        ("rule dependencies", [], "ingress does not admit all traffic of the group itself"),
    ),
    case(
        "CLD-803",
        {**AWS, "security": {**security(), "props": {"ingress": [EVERYTHING], "egress": [ANYWHERE]}}},
        ("security props ingress", [ANYWHERE], "ingress does not admit all traffic of the group itself"),
    ),
    case(
        "CLD-803",
        {
            "facts": {"pools": [v.pool(name="gpu", nicsPerNode=0)]},
            "template": template("p4de.24xlarge", 0),
            "nodes": nodes(nodeGroupName="gpu"),
        },
        ("facts pools 0 nicsPerNode", 4, "has 0 EFA interfaces, p4de.24xlarge has 4"),
        ("facts pools 0 name", "other", "has 0 EFA interfaces, p4de.24xlarge has 4"),
        ("nodes props nodeGroupName", "other", "has 0 EFA interfaces, p4de.24xlarge has 4"),
        ("nodes dependencies", [], "has 0 EFA interfaces, p4de.24xlarge has 4"),
        ("template props networkInterfaces", FIRST_CARD, "has 8 EFA interfaces, p4de.24xlarge has 4"),
    ),
    case(
        "CLD-803",
        {
            "template": v.cloud(TEMPLATE, "t", networkInterfaces=RACK),
            "nodes": nodes(instanceTypes=["p6e-gb200.36xlarge"]),
        },
        ("template props networkInterfaces 0 interfaceType", "efa", "has EFA on network card 0"),
        ("template props networkInterfaces 4", GONE, "has 3 EFA interfaces, p6e-gb200.36xlarge has 4"),
    ),
    case(
        "CLD-806",
        {"facts": {"pools": [v.pool(name="gpu", nicsPerNode=0)]}, "pool": GOOGLE_APART},
        ("facts pools 0 nicsPerNode", 8, "a3-ultragpu-8g has 0 additional node networks of 8"),
        ("pool props name", "other", "a3-ultragpu-8g has 0 additional node networks of 8"),
        ("pool props networkConfig additionalNodeNetworkConfigs", [{}], "has 1 additional node networks of 8"),
    ),
    case(
        "CLD-808",
        {"pool": v.cloud("oci:Core/instancePool:InstancePool", "x", shape="BM.GPU4.8")},
        ("pool", v.cloud("oci:ContainerEngine/nodePool:NodePool", "x", nodeShape="BM.GPU4.8"), "BM.GPU4.8 is in no"),
        complete=False,
    ),
    case(
        "CLD-811",
        {"nodes": nodes(instanceTypes=["g6.xlarge"], diskSize=200)},
        ("nodes props diskSize", 199, "the root disk has 199 GB"),
    ),
]
DRIVER = [
    case(
        "GPU-101",
        {"nics": v.network_operator()},
        ("nics helmRelease values nonsense", 1, "the keys that count are in network-operator's values.yaml"),
    ),
    case(
        "GPU-105",
        {
            "facts": {"platform": "eks", "driverOwner": "operator"},
            "operator": v.gpu_operator(toolkit={"enabled": True}),
        },
        ("facts driverOwner", "image", "toolkit.enabled is true but eks brings the toolkit"),
    ),
    case(
        "GPU-105",
        {
            "facts": {"platform": "kubeadm", "driverOwner": "image"},
            "operator": v.gpu_operator(toolkit={"enabled": True}),
        },
        ("facts platform", "talos", "toolkit.enabled is true but talos brings the toolkit"),
    ),
    case(
        "GPU-106",
        {"facts": {"platform": "kubeadm"}, "operator": v.gpu_operator(toolkit={"enabled": True, "env": []})},
        ("facts platform", "rke2", "toolkit.env does not name"),
    ),
    case(
        "GPU-109",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-B200")]},
            "operator": v.gpu_operator(driver={"version": "570.133.20"}),
        },
        (f"{VALUES} driver version", "570.133.19", "older than 570.133.20, which NVIDIA-B200"),
    ),
    case(
        "GPU-109",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-GB200")]},
            "operator": v.gpu_operator(driver={"version": "570.86.15"}),
        },
        (f"{VALUES} driver version", "565.57.01", "older than 570, which NVIDIA-GB200 needs"),
    ),
    case(
        "GPU-109",
        {"operator": v.gpu_operator(driver={"version": "570.124.5"}, mig={"strategy": "mixed"})},
        (f"{VALUES} driver version", "570.124.6", "breaks MIG nodes"),
        (f"{VALUES} driver version", "570.158.1", "breaks MIG nodes"),
    ),
    case(
        "GPU-110",
        {"facts": {"fabric": "efa"}, "operator": v.gpu_operator(driver={"rdma": {"enabled": True}})},
        ("facts fabric", "roce", "driver.rdma.enabled is true"),
    ),
    case(
        "GPU-112",
        {
            "facts": {"kernel": "5.11"},
            "operator": v.gpu_operator(driver={"rdma": {"enabled": True}, "kernelModuleType": "open"}),
        },
        ("facts kernel", "5.12", "driver.rdma.enabled is true on kernel 5.12"),
    ),
    case(
        "GPU-115",
        {"job": v.pytorch_job(), "facts": {"pools": [v.pool()]}},
        ("facts pools 0 timeSlicing", 2, "asks for 8 GPUs on pool h100, which is time-sliced"),
    ),
    case(
        "GPU-119",
        {
            "facts": {"platform": "gke", "nodeOs": "cos", "kubernetesVersion": "1.32"},
            "operator": v.gpu_operator(**{**COS, "toolkit": {**COS["toolkit"], "env": []}}),
            "quota": QUOTA,
        },
        ("facts kubernetesVersion", "1.33", "toolkit.env does not name RUNTIME_CONFIG_SOURCE on Kubernetes 1.33"),
    ),
    case(
        "GPU-124",
        {"pod": affine(PRODUCT, "NotIn"), "other": affine("example.com/gpu", "In")},
        ("pod", affine(PRODUCT, "In"), "H200 is no product label"),
    ),
]
NETWORK = [
    case(
        "NET-203",
        {
            "policy": v.nic_policy(rdmaSharedDevicePlugin=v.shared_plugin(ifNames=["ens9"]), nvIpam={"image": UNKNOWN}),
            "ports": SRIOV,
        },
        ("policy spec nvIpam image", "nv-ipam", "select the same NICs"),
    ),
    case(
        "NET-205",
        {"job": attached("rail0"), "rail": RAIL},
        ("rail", GONE, "names the network team/rail0, which does not exist"),
    ),
    case(
        "NET-205",
        {"job": attached("rail0"), "far": v.network("rail1", "other", {"type": "macvlan"})},
        ("far metadata namespace", "team", "names the network team/rail0, which does not exist"),
        complete=False,
    ),
    case(
        "NET-208",
        {
            "net": nv_ipam(poolName="rail0"),
            "pool": v.ip_pool("rail0", "10.0.0.0/16"),
            "policy": v.nic_policy(nvIpam={"image": "nvidia-k8s-ipam"}),
        },
        ("policy", GONE, "takes addresses from nv-ipam, which nothing installs"),
        ("pool", GONE, "names the pool rail0, which does not exist"),
    ),
    case(
        "NET-208",
        {
            "net": whereabouts("a"),
            "set": v.manifest("apps/v1", "DaemonSet", "whereabouts", spec={"template": {"spec": {"containers": []}}}),
        },
        ("set metadata name", "other", "takes addresses from whereabouts, which nothing installs"),
    ),
    case(
        "NET-209",
        {
            "facts": {"pools": [v.pool(nodes=7)], "podCidrs": ["10.244.0.0/16"]},
            "pool": v.ip_pool("rail0", "192.168.0.0/26"),
            "other": nv_ipam(range="10.244.0.0/16"),
        },
        ("facts pools 0 nodes", 8, "192.168.0.0/26 in blocks of 8 serves 7 nodes, the cluster has 8"),
    ),
    case(
        "NET-209",
        {
            "facts": {"pools": [v.pool(nodes=2)]},
            "net": whereabouts("a", range="10.9.0.0/30"),
            "same": whereabouts("b", range="10.9.0.0/30"),
        },
        ("facts pools 0 nodes", 3, "10.9.0.0/30 has fewer addresses than the cluster's 3 nodes"),
    ),
    case(
        "NET-209",
        {
            "one": v.ip_pool("a", "10.0.0.0/24"),
            "two": v.ip_pool("b", "10.1.0.0/24"),
            "three": v.ip_pool("c", "10.2.0.0/24"),
        },
        ("one spec subnet", "10.0.0.0/8", "10.2.0.0/24 overlaps 10.0.0.0/8 of another network"),
    ),
    case("NET-211", {"net": RAIL}),
    case("NET-211", {"net": v.network("a", "t", {"type": "ib-sriov", "rdmaIsolation": True})}),
    case("NET-211", {"net": v.network("a", "t", {"plugins": [{"type": "ib-sriov"}, {"type": "rdma"}]})}),
    case(
        "NET-211",
        {
            "net": v.network("ib", "t", {"type": "ib-sriov", "ibKubernetesEnabled": True}),
            "policy": v.nic_policy(ibKubernetes={"ufmSecret": "ufm"}),
        },
        ("policy", GONE, "nothing deploys ib-kubernetes"),
    ),
    case(
        "NET-213", {"policy": {**SRIOV, "spec": {"numVfs": 16, "linkType": "ib"}}}, ("policy spec numVfs", 17, "is 17")
    ),
    case(
        "NET-215",
        {
            "set": v.manifest(
                "apps/v1",
                "DaemonSet",
                "kube-multus-ds",
                spec={"template": {"spec": {"containers": [{"resources": {"limits": {"memory": "150Mi"}}}]}}},
            )
        },
        ("set spec template spec containers 0 resources limits memory", "149Mi", "has 149Mi of memory"),
    ),
    case(
        "NET-216",
        {
            "facts": {**ROCE, "mtu": 4200},
            "net": v.network("a", "t", {"type": "macvlan", "master": "a", "mtu": 4200}),
            "bridge": v.network("b", "t", {"type": "bridge"}),
        },
        ("net spec config", '{"type": "macvlan", "master": "a"}', "Set mtu: 4200"),
    ),
    case("NET-223", {"policy": v.nic_policy()}),
    case(
        "NET-223", {"policy": v.nic_policy(ofedDriver={"image": "doca", "env": [{"name": "UNLOAD_STORAGE_MODULES"}]})}
    ),
    case("NET-223", {"policy": v.nic_policy(ofedDriver={"image": "doca", "upgradePolicy": {"autoUpgrade": False}})}),
    case(
        "NET-223",
        {"policy": v.nic_policy(ofedDriver={"image": UNKNOWN})},
        ("policy spec ofedDriver image", "doca", "neither UNLOAD_STORAGE_MODULES"),
    ),
    case("NET-224", {"facts": ROCE, "job": attached("", "nvidia.com/hostdev")}),
]
CASES = [*CLOUD, *DRIVER, *NETWORK]
