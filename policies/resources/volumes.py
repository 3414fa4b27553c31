"""Volumes, claims and classes as a stack declares them."""

import re

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.values import text, texts

SINGLE = {"ReadWriteOnce", "ReadWriteOncePod"}
FILES = re.compile(
    r"nfs|efs|fsx|lustre|filestore|ceph-?fs|azure-?file|file\.csi|juicefs|weka|vast|gpfs|beegfs|fuse|shared"
)
"""Classes and drivers of file systems, which any number of nodes mount whatever the mode says."""
MANY = {"ReadWriteMany", "ReadOnlyMany"}
BLOCK_DRIVERS = (
    *("ebs.csi.aws.com", "kubernetes.io/aws-ebs", "pd.csi.storage.gke.io", "kubernetes.io/gce-pd"),
    *("disk.csi.azure.com", "kubernetes.io/azure-disk", "blockvolume.csi.oraclecloud.com"),
)
BLOCK_CLASSES = {
    *("gp2", "gp3", "io2", "standard-rwo", "premium-rwo", "managed-csi", "managed-csi-premium", "managed-premium"),
    *("oci-bv",),
}
"""Classes that the clouds make themselves, whose volumes attach to one node."""


def claim(stack: Stack, namespace: str, name: str) -> Resource | None:
    """The claim of that name."""
    return stack.find("PersistentVolumeClaim", name, namespace)


def of_a_node(found: Resource) -> bool:
    """Whether pods of one node share a claim's volume, as ReadWriteOnce lets them."""
    return set(texts(found.spec.get("accessModes"))) == {"ReadWriteOnce"}


def storage_class(stack: Stack, name: str) -> Resource | None:
    """The class of that name."""
    return stack.find("StorageClass", name)


def on_one_node(stack: Stack, found: Resource) -> str:
    """Why a claim's volume serves one node only; empty where it may serve many."""
    modes = set(texts(found.spec.get("accessModes")))
    name = text(found.spec.get("storageClassName"))
    kind = storage_class(stack, name)
    driver = text(kind.props.get("provisioner")) if kind else ""
    if modes and modes <= SINGLE and ("ReadWriteOncePod" in modes or not FILES.search(f"{name} {driver}".lower())):
        return f"claim {found.object_name} is {', '.join(sorted(modes))}"
    files = found.spec.get("volumeMode") != "Block"
    if files and "ReadWriteMany" in modes and (driver in BLOCK_DRIVERS or (kind is None and name in BLOCK_CLASSES)):
        return f"claim {found.object_name} asks for ReadWriteMany of class {name}, which has block volumes"
    return ""
