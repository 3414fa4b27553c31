"""`bedplate init --from-cluster`: clusters of many kinds, brought up in memory, come back as the profiles that they are."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.components.observability.google import GooglePrometheusSection
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.platforms import PLATFORMS
from bedplate.live.discover.draft import LISTED, Draft, draft
from bedplate.live.kinds import NODE, PROMETHEUS
from bedplate.live.reading import Observed, look, version
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.graph import test_profiles
from tests.live_cluster import FakeCluster, settled, workload
from tests.stack_files import STACKS, document, graph
from tests.tools.golden_objects import declared

VARIANTS = [
    name for name in test_profiles.SOUND if all(pool.get("nodes") for pool in test_profiles.document(name)["pools"])
]
"""Of machines that come only when somebody asks for them, nothing is there to be seen."""
KUBELETS = {"rke2": "+rke2r1", "k3s": "+k3s1", "eks": "-eks-3f5dc9b", "gke": "-gke.1200"}
MARKS = {
    "aks": "kubernetes.azure.com/cluster",
    "oke": "oci.oraclecloud.com/fault-domain",
    "openshift": "node.openshift.io/os_id",
}
IMAGES = {
    "ubuntu": "Ubuntu 24.04.3 LTS",
    "rhel": "Red Hat Enterprise Linux 9.6 (Plow)",
    "rhcos": "Red Hat Enterprise Linux CoreOS 9.6",
    "talos": "Talos (v1.11.2)",
    "al2023-nvidia": "Amazon Linux 2023.9.20251117",
    "bottlerocket-nvidia": "Bottlerocket OS 1.50.0 (aws-k8s-1.34-nvidia)",
    "cos": "Container-Optimized OS from Google",
    "azurelinux": "Microsoft Azure Linux 3.0",
    "oraclelinux": "Oracle Linux Server 8.10",
    "dgxos": "DGX OS 7.1.0",
    "sles": "SUSE Linux Enterprise Server 15 SP6",
    "rocky": "Rocky Linux 9.6 (Blue Onyx)",
}
"""As kubelets of these images report them in `osImage`."""
UNCHARTED = {
    "training-operator": workload("Deployment", "kubeflow", "training-operator"),
    "mpi-operator": workload("Deployment", "mpi-operator", "mpi-operator"),
    "multus": workload("DaemonSet", "kube-system", "kube-multus-ds"),
}
"""What kustomizations bring, by the names of their upstream manifests."""


def planned(name: str) -> tuple[Graph, dict[str, Any]]:
    if name in STACKS:
        return graph(name), document(name)
    return declared(name), test_profiles.document(name)


def brought_up(name: str) -> tuple[Profile, FakeCluster]:
    """The cluster of a profile, with nodes as its platform and its image make them."""
    declared, stated = planned(name)
    profile = load(stated)
    _, cluster = settled(declared, profile)
    for node in cluster.objects[NODE]:
        dress(node, profile)
    if isinstance(profile.monitoring, ExistingPrometheusSection):
        selector = {"serviceMonitorSelector": {"matchLabels": dict(profile.monitoring.labels)}}
        metadata = {"name": "site", "namespace": profile.monitoring.namespace}
        cluster.add({"apiVersion": PROMETHEUS.version, "kind": PROMETHEUS.kind, "metadata": metadata, "spec": selector})
    if isinstance(profile.monitoring, GooglePrometheusSection):
        cluster.add(workload("DaemonSet", profile.monitoring.namespace, "collector"))
    for one in declared.resources:
        if one.type == "kubernetes:kustomize/v2:Directory" and one.name in UNCHARTED:
            cluster.add(UNCHARTED[one.name])
    return profile, cluster


def dress(node: dict[str, Any], profile: Profile) -> None:
    release = f"v{profile.kubernetes_version}.3{KUBELETS.get(profile.platform, '')}"
    node["status"]["nodeInfo"] |= {"kubeletVersion": release, "osImage": IMAGES[profile.node_os]}
    if profile.platform == "gke":
        node["spec"]["providerID"] = f"gce://example-project/us-central1-a/{node['metadata']['name']}"
    if mark := MARKS.get(profile.platform):
        node["metadata"]["labels"][mark] = "1"
    pool = next(p for p in profile.pools if node["metadata"]["name"].rpartition("-")[0] == p.name)
    if pool.in_zones:
        index = int(node["metadata"]["name"].rpartition("-")[2])
        node["metadata"]["labels"]["topology.kubernetes.io/zone"] = pool.in_zones[index % len(pool.in_zones)]


def observed(cluster: FakeCluster) -> Observed:
    return Observed(version=version(cluster.get)).with_more(look(cluster.get, LISTED))


def derivable(profile: Profile) -> Iterator[tuple[str, Any]]:
    """Keys of a profile that objects, labels and resources of its cluster tell, each with its value."""
    known = facts(profile)
    for key in ("platform", "node_os", "kubernetes_version", "context", "driver_owner"):
        yield key, getattr(profile, key)
    if known.fabric_pools:
        yield "gpu_direct", profile.gpu_direct
    for key in ("nfd", "network_operator", "gpu_operator", "efa_device_plugin", "multus", "whereabouts", "dra_driver"):
        yield key, getattr(profile, key) is not None
    yield "existing_device_plugin", profile.existing_device_plugin
    for key in ("jobset", "trainer", "training_operator", "mpi_operator", "kuberay", "leader_worker_set"):
        yield f"training.{key}", bool(profile.training and getattr(profile.training, key) is not None)
    for key in ("scheduling", "monitoring", "autoscaling"):
        yield f"{key}.kind", getattr(getattr(profile, key), "kind", None)
    yield from of_fabric(profile, known)
    for pool in sorted(known.pools, key=pool_key):
        yield from of_pool(profile, pool, str(pool_key(pool)))


def pool_key(pool: Any) -> tuple[Any, ...]:
    return pool.gpus > 0, str(pool.gpu_product), pool.gpus, pool.cpus, sorted(pool.mig.items()), pool.time_slices


def of_pool(profile: Profile, pool: Any, where: str) -> Iterator[tuple[str, Any]]:
    for key in ("nodes", "cpus", "memory_gib", "arch", "gpus", "gpu_product", "time_slices"):
        yield f"{where}.{key}", getattr(pool, key)
    yield f"{where}.mig", dict(pool.mig)
    yield f"{where}.slices", sorted(str(sorted(one.items())) for one in pool.slices)
    yield f"{where}.taints", [(taint["key"], taint["effect"]) for taint in pool.taints]
    if PLATFORMS[profile.platform].cloud:
        yield f"{where}.name", pool.name
        yield f"{where}.zones", pool.zones if pool.gpus else ()
    if pool.gpus:
        yield f"{where}.selector", dict(pool.selector)


def of_fabric(profile: Profile, known: Facts) -> Iterator[tuple[str, Any]]:
    yield "fabric.kind", profile.fabric.kind
    yield "fabric.exposure", getattr(profile.fabric, "exposure", None)
    wired = {rail for pool in known.pools for rail in pool.interfaces}
    yield "fabric.rails", sorted(wired)
    yield "fabric.devices", sorted(known.fabric.devices)
    yield "fabric.existing_devices", dict(getattr(profile.fabric, "existing_devices", {}))
    yield "fabric.mtu", known.fabric.mtu
    if known.fabric.ipam != "whereabouts":
        yield "fabric.addresses", [(str(r.subnet), r.addresses and r.addresses.node_prefix) for r in known.fabric.rails]
    topology = known.scheduler.topology if known.scheduler.kind == "kueue" else None
    yield "scheduling.topology", list(topology.levels) if topology else []


def filled(profile: Profile, found: Draft, cluster: FakeCluster) -> dict[str, Any]:
    """With what nobody can see filled in, as the draft asks for it."""
    whole: dict[str, Any] = dict(found.profile)
    assert any(line.startswith("clusterNetwork") for line in found.unseen)
    whole["clusterNetwork"] = profile.cluster_network
    if "tenancy" not in whole:
        whole["tenancy"] = profile.tenancy
    if not whole.get("nfd") and "nfd" in getattr(profile.existing, "model_fields_set", ()):
        whole["existing"] = profile.existing
    if hcas := getattr(profile.fabric, "hcas", None):
        assert any(line.startswith("fabric: hcas") for line in found.unseen)
        whole["fabric"] = {**whole["fabric"], "hcas": list(hcas)}
    stated = getattr(profile.fabric, "rails", ())
    if stated and "rails" not in whole["fabric"] and whole["fabric"]["kind"] != "none" and not names(cluster, stated):
        assert any("fabric.rails" in line for line in found.unseen)
        whole["fabric"] = {**whole["fabric"], "rails": list(stated)}
    return whole


def names(cluster: FakeCluster, rails: tuple[str, ...]) -> bool:
    """Whether any object that is listed says how the devices are called."""
    return f'"{rails[0]}"' in json.dumps([cluster.objects[kind] for kind in LISTED]).replace("\\", "")


def compared(profile: Profile, found: Draft, cluster: FakeCluster) -> tuple[int, list[str]]:
    """How many keys there are, and those that came back as another."""
    before = dict(derivable(profile))
    after = dict(derivable(load(filled(profile, found, cluster))))
    wrong = [
        f"{key}: {value} came back as {after.get(key)}" for key, value in before.items() if after.get(key) != value
    ]
    return len(before), wrong


@cache
def drafted(name: str) -> tuple[Profile, FakeCluster, Draft]:
    profile, cluster = brought_up(name)
    return profile, cluster, draft(observed(cluster), profile.name, profile.context)


@pytest.mark.parametrize("name", [*STACKS, *VARIANTS])
def test_what_is_not_open_can_be_loaded(name: str) -> None:
    profile, cluster, found = drafted(name)
    count, wrong = compared(profile, found, cluster)
    assert count >= 40
    assert len(wrong) <= count * 0.2, wrong


def test_98_of_100_derivable_keys_of_26_clusters_come_back() -> None:
    results = [compared(profile, found, cluster) for profile, cluster, found in map(drafted, (*STACKS, *VARIANTS))]
    total, wrong = sum(count for count, _ in results), [one for _, others in results for one in others]
    assert len(results) >= 26
    assert len(wrong) <= total * 0.02, "\n".join([f"{len(wrong)} of {total}", *wrong])
