"""NET-2xx."""

import json

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

WORKER = "job spec pytorchReplicaSpecs Worker template"
CONTAINER = f"{WORKER} spec containers 0"
NETWORKS = "k8s.v1.cni.cncf.io/networks"
RAIL = v.network("rail0", "team", {"type": "macvlan", "master": "ens1f0", "mtu": 9000, "ipam": {"type": "nv-ipam"}})
MOVED = v.network("moved", "team", {"type": "host-device"}, "nvidia.com/hostdev")
ISOLATED = v.network("ib", "team", {"type": "ib-sriov", "ibKubernetesEnabled": False}, "nvidia.com/ib")
HOST_LOCAL = {"cniVersion": "0.3.1", "type": "macvlan", "master": "ens1f0", "ipam": {"type": "host-local"}}
ROCE = {"fabric": "roce", "mtu": 9000}
SRIOV = v.manifest(
    "sriovnetwork.openshift.io/v1",
    "SriovNetworkNodePolicy",
    "ports",
    "net",
    spec={"resourceName": "vf", "numVfs": 8, "linkType": "IB", "nicSelector": {"vendor": "15b3", "pfNames": ["ens9"]}},
)
NODE_POLICY = "policy spec"
MULTUS = v.manifest(
    "apps/v1",
    "DaemonSet",
    "kube-multus-ds",
    "kube-system",
    spec={
        "template": {"spec": {"containers": [{"name": "kube-multus", "resources": {"limits": {"memory": "200Mi"}}}]}}
    },
)


def attached(name: str, fabric: str = v.FABRIC) -> v.Doc:
    job = v.pytorch_job()
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        role["template"] = v.template(v.pod_spec(v.container(fabric=fabric)))
        role["template"]["metadata"]["annotations"][NETWORKS] = name
    return job


CASES = [
    case(
        "NET-201",
        {"nics": v.network_operator(), "policy": v.nic_policy()},
        ("policy metadata name", "policy", "is named policy. The operator ignores any other name"),
        ("policy", GONE, "network-operator 26.4.1 has no NicClusterPolicy"),
        ("second", v.nic_policy(nvIpam={}), "2 NicClusterPolicies are declared"),
    ),
    case(
        "NET-201",
        {"nics": v.release("network-operator", "24.7.0", "net")},
        ("nics helmRelease version", "24.10.0", "has no NicClusterPolicy"),
    ),
    case(
        "NET-202",
        {"policy": v.nic_policy(secondaryNetwork={"multus": {"image": "multus"}}, nvIpam={"image": "nv-ipam"})},
        ("policy spec secondaryNetwork ipamPlugin", {"image": "x"}, "spec.secondaryNetwork.ipamPlugin is gone"),
        ("policy spec psp", {"enabled": True}, "spec.psp is gone from the CRD"),
        ("policy spec nvIpam deploy", True, "spec.nvIpam.deploy is not in the CRD"),
        ("policy spec multus", {}, "spec.multus is not in the CRD"),
    ),
    case(
        "NET-203",
        {
            "policy": v.nic_policy(
                rdmaSharedDevicePlugin=v.shared_plugin(ifNames=["ens1f0"]),
                sriovDevicePlugin=v.exclusive_plugin(pfNames=["ens2f0"]),
            ),
            "ports": SRIOV,
        },
        ("policy spec sriovDevicePlugin", v.exclusive_plugin(pfNames=["ens1f0"]), "(nvidia.com/hostdev) select the"),
        ("ports spec nicSelector pfNames", ["ens1f0"], "SriovNetworkNodePolicy (nvidia.com/vf) select the same NICs"),
    ),
    case(
        "NET-204",
        {"job": v.pytorch_job(), "policy": v.nic_policy(rdmaSharedDevicePlugin=v.shared_plugin())},
        (
            "policy spec rdmaSharedDevicePlugin",
            v.shared_plugin("other"),
            "asks for rdma/fabric, which nothing produces",
        ),
        (f"{CONTAINER} resources limits nvidia.com/mlnxics", 1, "Worker asks for nvidia.com/mlnxics"),
        (f"{CONTAINER} resources limits example.com/fpga", 1, "Request one of rdma/fabric"),
    ),
    case(
        "NET-204",
        {"job": v.pytorch_job(), "facts": {"rdmaResources": {v.FABRIC: 1}}},
        ("facts rdmaResources", {"rdma/a": 1}, "asks for rdma/fabric"),
        complete=False,
    ),
    case(
        "NET-204",
        {
            "job": attached("x", "vpc.amazonaws.com/efa"),
            "plugin": v.release("aws-efa-k8s-device-plugin", "v0.5.30", "x"),
        },
        ("plugin", GONE, "asks for vpc.amazonaws.com/efa, which nothing produces"),
    ),
    case(
        "NET-205",
        {"job": attached("rail0, other/rail1@net9"), "rail": RAIL, "far": v.network("rail1", "other", {"type": "x"})},
        ("rail metadata namespace", "default", "the network team/rail0, which does not exist"),
        ("far", GONE, "Worker names the network other/rail1"),
        (f"{WORKER} metadata annotations {NETWORKS}", '[{"name": "rail0"}, {"name": "x"}]', "the network team/x"),
        ("rail metadata name", "rail", "team/rail0"),
    ),
    case(
        "NET-205",
        {
            "job": attached("hosts"),
            "made": v.manifest(
                "mellanox.com/v1alpha1", "HostDeviceNetwork", "hosts", spec={"networkNamespace": "team"}
            ),
        },
        ("made spec networkNamespace", "other", "Write other/hosts, where it is"),
    ),
    case(
        "NET-206",
        {"job": attached("moved", "nvidia.com/hostdev"), "net": MOVED},
        ("net metadata annotations", {}, "is host-device and names no resource"),
        ("net metadata annotations k8s.v1.cni.cncf.io/resourceName", "rdma/a", "names rdma/a, which many pods share"),
        (
            f"{CONTAINER} resources limits nvidia.com/hostdev",
            8,
            "attaches 1 networks of nvidia.com/hostdev but requests 8",
        ),
        (f"{WORKER} metadata annotations {NETWORKS}", "moved,moved", "attaches 2 networks"),
    ),
    case(
        "NET-207",
        {"net": RAIL},
        ("net spec config", json.dumps(HOST_LOCAL), "macvlan takes its addresses from host-local"),
        (
            "net spec config",
            json.dumps({"cniVersion": "1", "plugins": [HOST_LOCAL]}),
            "from host-local; right only where one node has this network. Each node hands",
        ),
    ),
    case(
        "NET-207",
        {
            "net": v.manifest(
                "mellanox.com/v1alpha1", "MacvlanNetwork", "rail", spec={"ipam": '{"type": "whereabouts"}'}
            ),
            "templated": v.network(
                "t", "team", {"type": "macvlan", "ipam": {"type": "host-local", "subnet": "10.{{ .Node }}.0.0/24"}}
            ),
            "bridge": v.network("b", "team", {"type": "bridge", "ipam": {"type": "host-local"}}),
        },
        ("net spec ipam", '{"type": "host-local"}', "macvlan takes its addresses from host-local"),
    ),
    case(
        "NET-208",
        {
            "net": v.network("a", "team", {"type": "macvlan", "ipam": {"type": "nv-ipam", "poolName": "rail0"}}),
            "pool": v.ip_pool("rail0", "10.0.0.0/16"),
            "policy": v.nic_policy(nvIpam={"image": "nvidia-k8s-ipam"}),
            "other": v.network(
                "b", "team", {"type": "macvlan", "ipam": {"type": "whereabouts", "range": "10.9.0.0/16"}}
            ),
            "whereabouts": v.release("whereabouts-chart", "0.9.4", "kube-system"),
        },
        ("policy spec nvIpam", GONE, "takes addresses from nv-ipam, which nothing installs"),
        ("pool metadata name", "rail1", "names the pool rail0, which does not exist"),
        ("whereabouts", GONE, "takes addresses from whereabouts, which nothing installs"),
    ),
    case(
        "NET-208",
        {
            "facts": {"platform": "openshift"},
            "net": v.network("b", "team", {"type": "macvlan", "ipam": {"type": "whereabouts", "range": "10.9.0.0/16"}}),
        },
        (
            "net spec config",
            '{"cniVersion": "1", "type": "macvlan", "ipam": {"type": "nv-ipam"}}',
            "from nv-ipam, which",
        ),
    ),
    case(
        "NET-208",
        {
            "facts": {"platform": "rke2", "siteRuns": ["whereabouts"]},
            "net": v.network("b", "team", {"type": "macvlan", "ipam": {"type": "whereabouts", "range": "10.9.0.0/16"}}),
        },
        (
            "net spec config",
            '{"cniVersion": "1", "type": "macvlan", "ipam": {"type": "nv-ipam"}}',
            "from nv-ipam, which",
        ),
    ),
    case(
        "NET-209",
        {
            "facts": {
                "pools": [v.pool(nodes=4), v.pool(nodes=40, nicsPerNode=0)],
                "podCidrs": ["10.244.0.0/16"],
            },
            "pool": v.ip_pool("rail0", "192.168.0.0/26"),
            "other": v.ip_pool("rail1", "192.168.1.0/26"),
            "net": v.network("b", "team", {"type": "macvlan", "ipam": {"type": "whereabouts", "range": "10.9.0.0/24"}}),
        },
        ("pool spec perNodeBlockSize", 50, "192.168.0.0/26 in blocks of 50 serves 1 nodes, the cluster has 4"),
        ("facts pools", [v.pool(nodes=44)], "in blocks of 8 serves 7 nodes, the cluster has 44"),
        ("other spec subnet", "192.168.0.0/24", "192.168.0.0/26 overlaps 192.168.0.0/24 of another network"),
        ("facts podCidrs", ["192.168.0.0/16"], "overlaps 192.168.0.0/16 of pods or services"),
        (
            "net spec config",
            '{"type": "macvlan", "ipam": {"type": "whereabouts", "range": "10.9.0.0/30"}}',
            "10.9.0.0/30 has fewer addresses than the cluster's 4 nodes",
        ),
    ),
    case(
        "NET-210",
        {"net": RAIL, "host": v.network("h", "team", {"type": "host-device", "device": "ib0"}), "facts": {}},
        (
            "host spec config",
            '{"cniVersion": "1", "type": "host-device", "device": "mlx5_0"}',
            "takes mlx5_0, which is an",
        ),
        ("net spec config", '{"cniVersion": "1", "type": "macvlan"}', "macvlan has no master"),
        ("net spec config", '{"type": "macvlan", "master": "x"}', "spec.config has no cniVersion"),
        ("net spec config", '{"cniVersion": "1"}', "spec.config has no plugin type"),
        ("net spec config", "{", "spec.config is no JSON"),
    ),
    case(
        "NET-210",
        {"facts": {"platform": "kubeadm"}, "net": v.network("a", "t", {"type": "macvlan", "master": "eth0"})},
        ("facts platform", "eks", "macvlan on eth0 in a cloud"),
    ),
    case(
        "NET-211",
        {"net": ISOLATED, "policy": v.nic_policy()},
        (
            "net spec config",
            '{"type": "ib-sriov", "ibKubernetesEnabled": true}',
            "ibKubernetesEnabled is true but nothing deploys ib-kubernetes",
        ),
        (
            "net spec config",
            '{"plugins": [{"type": "ib-sriov", "rdmaIsolation": true}, {"type": "rdma"}]}',
            "rdmaIsolation is true and the rdma plugin is chained as well",
        ),
    ),
    case(
        "NET-211",
        {
            "net": v.network("ib", "t", {"type": "ib-sriov", "ibKubernetesEnabled": True, "pkey": "0x8001"}),
            "policy": v.nic_policy(ibKubernetes={"ufmSecret": "ufm"}),
        },
        ("policy spec ibKubernetes", GONE, "nothing deploys ib-kubernetes"),
    ),
    case(
        "NET-212",
        {
            "policy": v.nic_policy(rdmaSharedDevicePlugin=v.shared_plugin()),
            "net": RAIL,
            "mode": v.manifest("x/v1", "SriovNetworkPoolConfig", "m", spec={"rdmaMode": "shared"}),
        },
        ("mode spec rdmaMode", "exclusive", "uses the shared plugin but nodes are set to rdmaMode exclusive"),
        (
            "net spec config",
            '{"plugins": [{"type": "macvlan"}, {"type": "rdma"}]}',
            "chains the rdma plugin but devices",
        ),
    ),
    case(
        "NET-212",
        {
            "policy": v.nic_policy(sriovDevicePlugin=v.exclusive_plugin()),
            "net": v.network("r", "t", {"plugins": [{"type": "sriov"}, {"type": "rdma"}]}),
        },
        ("policy spec rdmaSharedDevicePlugin", v.shared_plugin(), "chains the rdma plugin"),
    ),
    case(
        "NET-213",
        {"policy": SRIOV},
        ("policy spec numVfs", 32, "numVfs is 32 on InfiniBand"),
    ),
    case(
        "NET-213",
        {"policy": {**SRIOV, "spec": {"numVfs": 64, "linkType": "eth"}}},
        ("policy spec linkType", "ib", "numVfs is 64"),
    ),
    case(
        "NET-214",
        {
            "policy": v.nic_policy(secondaryNetwork={"multus": {"image": "multus-cni"}}),
            "set": v.manifest("apps/v1", "DaemonSet", "other", "x", spec={}),
            "facts": {"platform": "kubeadm"},
        },
        ("set metadata name", "kube-multus-ds", "Multus comes from NicClusterPolicy nic-cluster-policy, DaemonSet"),
        ("facts platform", "openshift", "Multus comes from NicClusterPolicy nic-cluster-policy, openshift itself"),
    ),
    case(
        "NET-214",
        {
            "policy": v.nic_policy(secondaryNetwork={"cniPlugins": {"image": "plugins"}}),
            "facts": {"platform": "rke2", "siteRuns": ["multus"]},
        },
        ("policy spec secondaryNetwork multus", {"image": "multus-cni"}, "nic-cluster-policy, the site itself"),
    ),
    case(
        "NET-214",
        {
            "chart": v.release("other", "1.0.0", "x"),
            "file": v.cloud("kubernetes:yaml/v2:ConfigFile", "m", file="multus.yaml"),
        },
        ("chart helmRelease chart", "multus", "Multus comes from Release x/multus, ConfigFile m"),
    ),
    case(
        "NET-215",
        {"set": MULTUS},
        ("set spec template spec containers 0 resources limits memory", "50Mi", "kube-multus has 50Mi of memory"),
    ),
    case(
        "NET-215",
        {"set": {**MULTUS, "metadata": {"name": "other"}, "spec": {"template": {"spec": {"containers": [{}]}}}}},
        (
            "set",
            {**MULTUS, "spec": {"template": {"spec": {"containers": [{"resources": {"limits": {"memory": 9}}}]}}}},
            "0Mi",
        ),
    ),
    case(
        "NET-216",
        {"facts": ROCE, "net": RAIL},
        ("facts mtu", 4200, "has mtu 9000, the fabric has 4200"),
        ("net spec config", '{"type": "macvlan", "master": "a"}', "has no mtu"),
        ("second", v.network("b", "t", {"type": "macvlan", "mtu": 1500}), "networks have the MTUs [1500, 9000]"),
    ),
    case(
        "NET-216",
        {"facts": {"fabric": "infiniband", "mtu": 4000}, "net": v.network("a", "t", {"type": "macvlan"})},
        ("facts fabric", "roce", "has no mtu"),
    ),
    case(
        "NET-216",
        {"facts": {"fabric": "roce"}, "net": v.network("a", "t", {"type": "macvlan"})},
        ("facts mtu", 9000, "has no mtu"),
    ),
    case(
        "NET-216",
        {"facts": {"fabric": "roce", "mtu": 9000}, "net": v.network("a", "t", {"type": "sriov"})},
        ("net spec config", '{"type": "macvlan", "master": "a"}', "has no mtu"),
    ),
    case(
        "NET-217",
        {"job": v.pytorch_job(), "facts": {"memlockUnlimited": False}},
        (f"{CONTAINER} securityContext", GONE, "container pytorch asks for rdma/fabric without IPC_LOCK"),
        (f"{CONTAINER} securityContext capabilities add", ["SYS_PTRACE"], "without IPC_LOCK"),
    ),
    case(
        "NET-217",
        {
            "facts": {"memlockUnlimited": True},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={"Worker": {"template": v.template(v.pod_spec(v.container(securityContext={})))}}
            ),
        },
        ("facts memlockUnlimited", False, "without IPC_LOCK"),
    ),
    case(
        "NET-217",
        {
            "facts": {"memlockUnlimited": False},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {"template": v.template(v.pod_spec(v.container(securityContext={"privileged": True})))}
                }
            ),
        },
        (f"{CONTAINER} securityContext privileged", False, "without IPC_LOCK"),
    ),
    case(
        "NET-218",
        {"job": v.pytorch_job(), "facts": {"memlockUnlimited": False}},
        (f"{CONTAINER} securityContext runAsUser", 1000, "container pytorch uses RDMA and does not run as root"),
        (f"{WORKER} spec securityContext", {"runAsNonRoot": True}, "does not run as root"),
    ),
    case(
        "NET-218",
        {
            "facts": {"memlockUnlimited": True},
            "pod": v.manifest(
                "v1", "Pod", "x", spec={"containers": [v.container()], "securityContext": {"runAsUser": 1000}}
            ),
        },
        ("facts memlockUnlimited", False, "does not run as root"),
    ),
    case(
        "NET-219",
        {"job": v.pytorch_job(), "namespace": v.namespace("team")},
        (
            "namespace metadata labels pod-security.kubernetes.io/enforce",
            "baseline",
            "RDMA in namespace team: baseline",
        ),
    ),
    case(
        "NET-219",
        {"server": v.deployment(), "namespace": v.namespace("serve", "restricted")},
        (
            "server spec template spec containers 0 resources limits rdma/a",
            1,
            "asks for RDMA in namespace serve: restricted",
        ),
    ),
    case(
        "NET-220",
        {"job": v.pytorch_job()},
        (
            f"{WORKER} spec volumes 0",
            {"name": "verbs", "hostPath": {"path": "/dev/infiniband"}},
            "volume verbs mounts /dev/infiniband beside rdma/fabric",
        ),
    ),
    case(
        "NET-220",
        {
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                spec={
                    "containers": [{"name": "a", "securityContext": {"privileged": True}}],
                    "volumes": [{"name": "verbs", "hostPath": {"path": "/dev/infiniband"}}],
                },
            )
        },
        ("pod spec containers 0 securityContext privileged", False, "but no container is privileged"),
    ),
    case(
        "NET-221",
        {"job": attached("rail0")},
        (f"{WORKER} spec hostNetwork", True, "hostNetwork is true and 1 networks are annotated"),
    ),
    case(
        "NET-222",
        {"job": attached("x", "nvidia.com/hostdev"), "facts": {"pools": [v.pool(nicsPerNode=1)]}},
        ("facts pools 0 nicsPerNode", 8, "Worker takes 8 GPUs but 1 of 8 NICs"),
    ),
    case(
        "NET-222",
        {"job": v.pytorch_job(), "facts": {"pools": [v.pool(nicsPerNode=8)]}},
        (f"{CONTAINER} resources", {"limits": {"nvidia.com/gpu": 8, "nvidia.com/hostdev": 2}}, "but 2 of 8 NICs"),
    ),
    case(
        "NET-223",
        {
            "policy": v.nic_policy(
                ofedDriver={
                    "env": [{"name": "UNLOAD_STORAGE_MODULES", "value": "true"}],
                    "upgradePolicy": {"autoUpgrade": True, "drain": {"enable": False}},
                }
            )
        },
        ("policy spec ofedDriver", {"image": "doca"}, "has neither UNLOAD_STORAGE_MODULES nor an upgradePolicy"),
        ("policy spec ofedDriver upgradePolicy drain enable", True, "upgradePolicy drains nodes by itself"),
    ),
    case(
        "NET-223",
        {
            "policy": v.nic_policy(
                ofedDriver={"upgradePolicy": {"autoUpgrade": False}},
                nodeAffinity={"requiredDuringSchedulingIgnoredDuringExecution": {}},
            ),
            "facts": {"pools": [v.pool(nicsPerNode=8), v.pool(name="system", nicsPerNode=0)]},
        },
        ("policy spec nodeAffinity", GONE, "the driver is replaced on nodes of pool system too"),
    ),
    case(
        "NET-223",
        {
            "policy": v.nic_policy(ofedDriver={"upgradePolicy": {"autoUpgrade": False}}),
            "facts": {"pools": [v.pool(nicsPerNode=8)]},
        },
    ),
    case(
        "NET-224",
        {"facts": ROCE, "job": attached("rail0")},
        (f"{WORKER} metadata annotations", {}, "asks for rdma/fabric but is attached to no secondary network"),
    ),
    case(
        "NET-224",
        {"facts": {"fabric": "infiniband"}, "job": v.pytorch_job()},
        ("facts fabric", "roce", "attached to no secondary network"),
    ),
    case(
        "NET-225",
        {"job": v.pytorch_job(), "facts": {"pools": [v.pool()]}},
        (
            CONTAINER,
            {"name": "a", "securityContext": {"privileged": True}, "resources": {"limits": {"nvidia.com/gpu": 2}}},
            "is privileged with 2 of a node's 8 GPUs",
        ),
    ),
    case(
        "NET-225",
        {
            "facts": {"pools": [v.pool()]},
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                spec={
                    "containers": [
                        {"securityContext": {"privileged": True}, "resources": {"limits": {"nvidia.com/gpu": 8}}}
                    ]
                },
            ),
        },
        ("pod spec containers 0 resources limits nvidia.com/gpu", 1, "is privileged with 1"),
    ),
]
