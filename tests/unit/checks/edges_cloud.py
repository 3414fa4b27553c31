"""Nodes of clouds: profiles on either side of a limit, and just beside what is refused."""

from typing import Any

from tests.cloud_profiles import AWS_CAPACITIES, BLOCKS_ALONE, GB200, eks, gke
from tests.unit.checks.case import GONE, edited, refused, taken
from tests.unit.cloud.test_cloud_checks import CLUSTER, CPU, MEGA, P5, aks, aws, oke

ULTRA = {"name": "ultra", "shape": "a3-ultragpu-8g"}
BESIDE: dict[str, Any] = {**CPU, "instanceType": "n2-standard-16", "nodes": 4, "zone": None}
BLOCK = AWS_CAPACITIES["capacity-block"]
ZONES = {"zones": ["us-central1-a", "us-central1-b"]}
ARN, GKE = "arn:aws:eks:us-east-2:111122223333:cluster/", "gke_example-project_us-central1"
DRIVEN: dict[str, Any] = {"draDriver": {}, "kubernetesVersion": "1.34"}
LONE = {**CPU["shape"], "fabrics": ["tcpxo"], "nics": 1}
L4: dict[str, Any] = {"gpu": "L4", "gpus": 1, "cpus": 8, "memoryGib": 32, "fabrics": ["efa"], "nics": 1, "nicGbps": 25}


def networks(address_range: str, prefix: int = 24) -> dict[str, Any]:
    """The project's cloud section with GPU networks of this size."""
    sizes = {"addressRange": address_range, "subnetPrefix": prefix}
    return {"cloud": {"kind": "gcp", "project": "example-project", "region": "us-central1", "networks": sizes}}


def azure_linux(**operator: Any) -> dict[str, Any]:
    """ND H100 with the Network Operator on Azure Linux."""
    shared = {"kind": "infiniband", "exposure": "shared"}
    given = {"ofed": {"primaryNic": "other-vendor"}, **operator}
    return edited(
        aks(),
        {
            "nodeOs": "azurelinux",
            "fabric": shared,
            "nfd": {},
            "networkOperator": {k: v for k, v in given.items() if v is not GONE},
        },
    )


FLEX: dict[str, Any] = {"name": "l4", "shape": "g2-standard-48", "nodes": 0, "capacity": {"kind": "flex-start"}}


QUEUED, KUEUE = {"kind": "flex-start", "queued": True}, {"kind": "kueue"}


def flex(**more: Any) -> dict[str, Any]:
    """A pool of flex-start alone, one of whose facts differs."""
    version: dict[str, Any] = {"kubernetesVersion": more.pop("version")} if "version" in more else {}
    if "scheduling" in more:
        version |= {"scheduling": more.pop("scheduling"), "tenancy": {"teams": [{"name": "research"}]}}
    return gke({**FLEX, "autoscale": {"max": 4}, **more}, fabric="none", **version)


EFA_IMAGE = {"image": "registry.example.com/node_exporter_efa:v1.10.2"}
SITE = {"kind": "existing", "namespace": "observability", "url": "http://p.observability.svc:9090"}


def with_test(pool: str | None = None, image: str = "x:1", **more: Any) -> dict[str, Any]:
    """H200 that come as they are free beside some that are there, with a test of the fabric, and other changes."""
    queued = {"name": "queued", "shape": "a3-ultragpu-8g", "nodes": 0, "autoscale": {"max": 4}}
    verification = {"team": "research", "image": image, **({"pool": pool} if pool else {})}
    return gke(
        {**queued, "capacity": {"kind": "flex-start"}},
        *([{"name": "there", "shape": "a3-ultragpu-8g"}] if pool else []),
        fabric="gib",
        gpuDirect="dmabuf",
        **{
            "nfd": {},
            "gpuOperator": {},
            "scheduling": KUEUE,
            "tenancy": {"teams": [{"name": "research"}]},
            "verification": verification,
            **more,
        },
    )


EDGES = {
    "a test of machines that are there": taken(with_test("there")),
    "a test of machines that come some day": refused(
        with_test("queued"), ("verification = present", "pool queued begins empty", "bedplate verify")
    ),
    "a test of the only machines, which come some day": refused(
        with_test(), ("verification = present", "pool queued begins empty")
    ),
    "a test without PyTorch": refused(
        with_test("there", "ghcr.io/coreweave/nccl-tests:12.9.1"),
        ("verification.image = ghcr.io/coreweave/nccl-tests:12.9.1", "a program of PyTorch"),
    ),
    "EFA that our Prometheus reads": taken(
        edited("eks-p5", {"monitoring": {"kind": "stack", "efaExporter": EFA_IMAGE}})
    ),
    "EFA that nobody has, by our Prometheus": refused(
        edited("onprem-h100-roce", {"monitoring": {"kind": "stack", "efaExporter": EFA_IMAGE}}),
        ("monitoring.efaExporter = registry.example.com", "the fabric is roce"),
    ),
    "EFA that nobody has, by the site's": refused(
        edited("onprem-h100-roce", {"monitoring": {**SITE, "exporters": ["node-exporter", "efa"]}}),
        ("monitoring.exporters = efa", "the fabric is roce"),
    ),
    "volumes that the site's Prometheus reads": taken(
        edited("onprem-h100-roce", {"monitoring": {**SITE, "exporters": ["kubelet"]}})
    ),
    "machines that come as they are free": taken(flex()),
    "machines that come as they are free, on the first GKE that has them": taken(flex(version="1.33")),
    "machines that come as they are free, on a GKE without": refused(
        flex(version="1.32"), ("kubernetesVersion = 1.32", "from 1.33 on", "use 1.33 or later")
    ),
    "machines that come as they are free, and are there": refused(
        flex(nodes=2), ("pools[0].nodes = 2", "when pods ask for them", "autoscale with its max and no min")
    ),
    "machines that come as they are free, and stay": refused(
        flex(autoscale={"min": 1, "max": 4}),
        ("pools[0].nodes = 0", "when pods ask for them"),
        ("pools[0].autoscale = 1 to 4", "nodes is 0"),
    ),
    "machines that come as they are free, and nobody asks": refused(
        gke(FLEX, fabric="none"), ("pools[0].nodes = 0", "when pods ask for them")
    ),
    "machines that come for a job, on the first GKE that has them": taken(
        flex(version="1.32", capacity=QUEUED, scheduling=KUEUE)
    ),
    "machines that come for a job, on a GKE without": refused(
        flex(version="1.31", capacity=QUEUED, scheduling=KUEUE),
        ("kubernetesVersion = 1.31", "with a queue from 1.32 on"),
    ),
    "machines that come for a job, and no queue": refused(
        flex(capacity=QUEUED), ("pools[0].capacity.queued = true", "only Kueue asks for machines")
    ),
    "machines that come for a job, and a scheduler that asks for none": refused(
        flex(capacity=QUEUED, scheduling={"kind": "volcano"}), ("pools[0].capacity.queued = true", "only Kueue asks")
    ),
    "machines that come for a job, and have no GPUs": refused(
        flex(capacity=QUEUED, scheduling=KUEUE, shape={"cpus": 16, "memoryGib": 64}, instanceType="n2-standard-16"),
        ("pools[0].capacity.queued = true", "this pool has none"),
    ),
    "spare machines in a group of their own": taken(
        eks({"name": "p5", "shape": "p5.48xlarge", "capacity": {"kind": "spot"}, "placement": {"strategy": "cluster"}})
    ),
    "flex-start on AWS": refused(
        eks({"name": "p5", "shape": "p5.48xlarge", "capacity": {"kind": "flex-start"}}),
        ("pools[0].capacity.kind = flex-start", "aws has no such thing"),
    ),
    "a cache on disks that a pool made elsewhere mounts": taken(
        edited("eks-p5", {"cloud": GONE, "pools.1.capacity": GONE, "pools.1.autoscale": GONE})
    ),
    "a cache elsewhere on disks that nobody mounts": taken(
        edited("eks-p5", {"cloud.localDisks": GONE, "storage.cache.hostPath": "/var/cache"})
    ),
    "a cache on disks that nobody mounts": refused(
        edited("eks-p5", {"cloud.localDisks": GONE}), ("storage.cache.hostPath", "folder of the root disk")
    ),
    "no cache and no disks": taken(edited("eks-p5", {"cloud.localDisks": GONE, "storage.cache": GONE})),
    "a machine named twice": refused(
        eks({**P5, "instanceType": "p5.48xlarge"}),
        ("pools[0].instanceType", "p5.48xlarge is the machine's name already"),
    ),
    "a shape that nobody knows": refused(
        eks(P5, {"name": "other", "shape": "Nonsense"}), ("pools[1].shape = Nonsense", "unknown shape")
    ),
    "the facts of a machine that we know": refused(
        eks({"name": "p5", "shape": GB200, "instanceType": "p5.48xlarge"}),
        ("pools[0].shape", "write shape: p5.48xlarge"),
    ),
    "the facts of a machine that we do not know": taken(
        eks({"name": "gb300", "shape": GB200, "instanceType": "p6e-gb300r.36xlarge", "capacity": BLOCK})
    ),
    "a Local Zone": taken(eks({"name": "rack", "shape": BLOCKS_ALONE, "capacity": BLOCK, "zone": "us-east-2-dfw-2a"})),
    "a Local Zone of another region": refused(
        eks({"name": "rack", "shape": BLOCKS_ALONE, "capacity": BLOCK, "zone": "us-east-1-dfw-2a"}),
        ("pools[0].zone = us-east-1-dfw-2a", "not a zone of region us-east-2"),
    ),
    "an UltraServer with another image": refused(
        eks({"name": "rack", "shape": BLOCKS_ALONE, "capacity": BLOCK}, nodeOs="bottlerocket-nvidia"),
        ("nodeOs = bottlerocket-nvidia", "AWS supports p6e-gb200.36xlarge with AL2023"),
    ),
    "an UltraServer's machine on demand": refused(
        eks({"name": "rack", "shape": BLOCKS_ALONE}),
        ("pools[0].capacity.kind = on-demand", "sold by the UltraServer, in Capacity Blocks alone"),
    ),
    "servers of machines with EFA in two zones": taken(
        eks(
            {"name": "p5", "shape": "p5.48xlarge"},
            {"name": "l4", "shape": "g6.12xlarge", "zone": None, "zones": ["us-east-2a", "us-east-2b"], "rails": []},
        )
    ),
    "GPU machines with different numbers of networks": refused(
        gke(ULTRA, {"name": "rack", "shape": "a4x-highgpu-4g"}, fabric="gib"),
        ("pools = ultra 8, rack 4", "different numbers of NICs"),
    ),
    "EFA on a large size": taken(eks({"name": "l4", "shape": L4, "instanceType": "g7.8xlarge"})),
    "a small size that claims no EFA": taken(
        eks(P5, {"name": "l4", "shape": {**L4, "fabrics": []}, "instanceType": "g7.2xlarge"})
    ),
    "a zone as AWS writes it": refused(
        eks({**P5, "zone": "us-west-2a"}), ("pools[0].zone", "use one like us-east-2a,")
    ),
    "a zone as Google writes it": refused(
        gke({**MEGA, "zone": "us-west1-a"}), ("pools[0].zone", "use one like us-central1-a,")
    ),
    "one zone in a list": taken(eks({**P5, "zone": None, "zones": ["us-east-2a"]})),
    "the fewest nodes of an autoscaler": taken(eks({**P5, "autoscale": {"min": 2, "max": 3}})),
    "the most nodes of an autoscaler": taken(eks({**P5, "autoscale": {"min": 1, "max": 2}})),
    "a context of the cluster": taken(eks(P5, context=f"{ARN}test")),
    "a context of another cluster": refused(
        eks(P5, context=f"{ARN}other"), ("cloud.cluster = test", "the context names other")
    ),
    "a cluster with a name of its own": taken(eks(P5, context=f"{ARN}other", **aws(cluster={"name": "other"}))),
    "a context of Google's cluster": taken(gke(MEGA, context=f"{GKE}_test")),
    "a context of a zone": refused(
        gke(MEGA, context=f"{GKE}-a_test"), ("cloud.location = us-central1", "the context names us-central1-a")
    ),
    "a zonal cluster with a name of its own": taken(
        edited(gke(MEGA, context=f"{GKE}-a_other"), {"cloud.location": "us-central1-a", "cloud.cluster": "other"})
    ),
    "NVIDIA's driver on Azure Linux": taken(azure_linux()),
    "NVIDIA's driver on Azure Linux, of the first release": taken(azure_linux(version="26.1.0")),
    "NVIDIA's driver on Azure Linux, too old": refused(
        azure_linux(version="25.10.0"), ("networkOperator.ofed = present", "25.10.0 has no DOCA-OFED for Azure Linux")
    ),
    "the inbox driver on Azure Linux, however old": taken(azure_linux(version="25.10.0", ofed=GONE)),
    "NVIDIA's driver on Azure's Ubuntu, however old": taken(
        edited(azure_linux(version="25.10.0"), {"nodeOs": "ubuntu"})
    ),
    "InfiniBand in one zone": taken(edited(aks(), {"pools.0.zones": ["1"]})),
    "EFA in two zones, of nodes that are made elsewhere": refused(
        edited(eks({**P5, "capacity": None, "zone": None, "zones": ["us-east-2a", "us-east-2b"]}), {"cloud": GONE}),
        ("pools[0].zones = us-east-2a, us-east-2b", "efa does not reach"),
    ),
    "InfiniBand in two zones": refused(
        edited(aks(), {"pools.0.zones": ["1", "2"]}),
        ("pools[0].zones = 1, 2", "a scale set's InfiniBand is in one zone"),
        ("pools[0].zones = 1, 2", "infiniband does not reach"),
    ),
    "two shares with OKE's add-on": refused(
        edited(oke(), {"pools.0.timeSlicing": 2}), ("pools[0].timeSlicing = present", "whole GPUs")
    ),
    "two zones without InfiniBand": taken(
        edited(
            aks(), {"pools.1": {"name": "cpu", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 2, "zones": ["1", "2"]}}
        )
    ),
    "a shape within one machine": taken(oke()),
    "a rack outside a GPU memory cluster": refused(
        edited(oke("BM.GPU.GB200.4"), {"fabric.rails": [f"rdma{i}" for i in range(4)], **DRIVEN}),
        ("cloud.rdma = cluster-network", "spans one NVLink domain", "another shape in pools[0]"),
    ),
    "a rack in a GPU memory cluster": taken(
        edited(
            oke("BM.GPU.GB200.4", rdma="gpu-memory-cluster"), {"fabric.rails": [f"rdma{i}" for i in range(4)], **DRIVEN}
        )
    ),
    "local disks on AL2023": taken(eks(P5, **aws(localDisks="raid0"))),
    "local disks on Bottlerocket": refused(
        eks(P5, nodeOs="bottlerocket-nvidia", **aws(localDisks="raid0")), ("cloud.localDisks", "only nodeadm of AL2023")
    ),
    "a cluster's own stack": taken(
        edited(eks({**P5, "capacity": None}, **aws(cluster=CLUSTER)), {"charts": {"mirror": "/srv/charts"}})
        | {"efaDevicePlugin": None}
    ),
    "operators in the cluster's own stack": refused(
        eks(P5, existingDevicePlugin=False, efaDevicePlugin=None, nfd={}, gpuOperator={}, **aws(cluster=CLUSTER)),
        ("nfd = present", "another lifetime"),
        ("gpuOperator = present", "another lifetime"),
    ),
    "a scheduler in the cluster's own stack": refused(
        eks(
            P5, efaDevicePlugin=None, autoscaling={"kind": "keda"}, monitoring={"kind": "stack"}, **aws(cluster=CLUSTER)
        ),
        ("autoscaling = present", "another lifetime"),
        ("monitoring = present", "another lifetime"),
    ),
    "just enough GPU networks": taken(gke(MEGA, **networks("192.168.0.0/21"))),
    "one GPU network more for RoCE's host": refused(
        gke(ULTRA, fabric="gib", **networks("192.168.0.0/21")), ("cloud.networks.addressRange", "9 subnets of /24")
    ),
    "GPU networks as large as their range": refused(
        gke(MEGA, **networks("192.168.0.0/24")), ("cloud.networks.addressRange", "8 subnets of /24")
    ),
    "addresses for every node and no more": taken(gke({**MEGA, "nodes": 12}, **networks("192.168.0.0/21", 28))),
    "addresses for one node less": refused(
        gke({**MEGA, "nodes": 13}, **networks("192.168.0.0/21", 28)),
        ("cloud.networks.subnetPrefix = 28", "too few", "13 nodes"),
    ),
    "a single GPU network": taken(
        gke({**BESIDE, "zone": "us-central1-a", "shape": LONE}, **networks("192.168.0.0/24"))
    ),
    "GPU nodes that were made elsewhere": taken(gke({**MEGA, "capacity": None}, BESIDE | {"zone": "us-central1-a"})),
    "small networks without a fabric": taken(gke(MEGA, fabric="none", **networks("192.168.0.0/24"))),
    "a pool of other machines in other zones": taken(gke(ULTRA, {**BESIDE, **ZONES}, fabric="gib")),
    "RoCE in one zone": taken(gke(ULTRA, fabric="gib")),
    "TCPXO in two zones": taken(gke(MEGA, {**MEGA, "name": "more", "zone": "us-central1-b"})),
    "RoCE in two zones": refused(
        gke(ULTRA, {**ULTRA, "name": "more", "zone": "us-central1-b"}, fabric="gib"),
        ("pools = us-central1-a, us-central1-b", "belongs to one zone"),
    ),
    "a group of machines that were bought together": taken(eks({**P5, "capacity": AWS_CAPACITIES["odcr-in-group"]})),
}
