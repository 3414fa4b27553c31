"""Volumes bind: by the real volume controller where they are static, by the played provisioner where they are not."""

from typing import Any

from bedplate.lab.cluster import Cluster
from tests.cluster.objects import claim, namespace

HOME = "volumes"


def volume(name: str) -> dict[str, Any]:
    spec = {
        "capacity": {"storage": "1200Gi"},
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "",
        "persistentVolumeReclaimPolicy": "Retain",
        "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": "fs-0123"},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def test_a_static_lustre_volume_binds_to_its_claim(cluster: Cluster) -> None:
    cluster.apply([namespace(HOME), volume("lustre"), claim("data", HOME, storageClassName="", volumeName="lustre")])
    bound(cluster, "data")
    assert cluster.kubectl("get", "pv/lustre", "-o", "jsonpath={.spec.claimRef.name}") == "data"


def test_a_claim_on_a_class_gets_a_volume_of_its_driver_and_gives_it_back(cluster: Cluster) -> None:
    made = {"provisioner": "lustre.csi.storage.gke.io", "reclaimPolicy": "Delete"}
    cluster.apply([namespace(HOME), {**STORAGE_CLASS, **made}, claim("scratch", HOME, storageClassName="lustre")])
    bound(cluster, "scratch")
    name = cluster.kubectl("get", "pvc/scratch", "-n", HOME, "-o", "jsonpath={.spec.volumeName}")
    driver = cluster.kubectl("get", f"pv/{name}", "-o", "jsonpath={.spec.csi.driver}")
    assert driver == "lustre.csi.storage.gke.io"
    cluster.kubectl("delete", "pvc/scratch", "-n", HOME)
    cluster.kubectl("wait", "--for=delete", f"pv/{name}", "--timeout=60s")


STORAGE_CLASS = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "lustre"}}


def bound(cluster: Cluster, name: str) -> None:
    condition = "--for=jsonpath={.status.phase}=Bound"
    cluster.kubectl("wait", condition, f"pvc/{name}", "-n", HOME, "--timeout=60s")
