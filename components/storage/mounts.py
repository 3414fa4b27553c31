"""How each driver mounts: options that its client knows, access modes that it takes, and what it asks of pods.

An option that a client does not know fails the mount, and pods stay in ContainerCreating: `flock` is Lustre's alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bedplate.components.storage.lustre import MOUNT_OPTIONS

ALL = ("ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce")


@dataclass(frozen=True)
class Mounts:
    """Of one driver."""

    options: tuple[str, ...] = ()
    modes: tuple[str, ...] = ALL
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    """That pods must carry."""
    account: bool = False
    """It reads with the rights of the pod's service account."""
    sidecar: tuple[int, int] = (0, 0)
    """Millicores and MiB of what a webhook puts beside each pod."""


GCSFUSE = "gcsfuse.csi.storage.gke.io"
KNOWN: Mapping[str, Mounts] = {
    # GoogleCloudPlatform/gcs-fuse-csi-driver@v1.24.0 pkg/webhook: without the annotation there is no sidecar, which
    # asks for 250m and 256Mi. Objects of a bucket have folders only by their names, hence implicit-dirs.
    GCSFUSE: Mounts(("implicit-dirs",), ALL, {"gke-gcsfuse/volumes": "true"}, account=True, sidecar=(250, 256)),
    # kubernetes-sigs/aws-efs-csi-driver@a4fc6760 pkg/driver/node.go volumeCapAccessModes; TLS is its own default.
    "efs.csi.aws.com": Mounts(modes=("ReadWriteMany", "ReadWriteOnce")),
    # awslabs/mountpoint-s3-csi-driver@57c6bed pkg/driver/node/node.go.
    "s3.csi.aws.com": Mounts(modes=("ReadWriteMany", "ReadOnlyMany")),
    # kubernetes-sigs/blob-csi-driver@0744a60b pkg/blob: every mode; NFS and blobfuse know no option in common.
    "blob.csi.azure.com": Mounts(),
    # NFS: `hard` is the kernel's default, and the version is agreed with the server.
    "fss.csi.oraclecloud.com": Mounts(),
    "nfs.csi.k8s.io": Mounts(),
    "file.csi.azure.com": Mounts(),
    "filestore.csi.storage.gke.io": Mounts(),
}
"""Drivers by the name of their CSIDriver object that are not Lustre's."""
LUSTRE = Mounts(MOUNT_OPTIONS)
OURS = ("exa.csi.ddn.com", "fsx.csi.aws.com")
"""Lustre by another name."""


def mounts(provisioner: str) -> Mounts:
    """Of a driver that nobody knows nothing is asked: no option is one that it might not have."""
    if provisioner in OURS or "lustre" in provisioner:
        return LUSTRE
    return KNOWN.get(provisioner, Mounts())
