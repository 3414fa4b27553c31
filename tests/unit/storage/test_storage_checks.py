"""A storage section that cannot work is refused with the key, the value, the reason and a fix."""

from typing import Any

import pytest

from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.refusals import says
from tests.stack_files import document

ROCE, EKS, GKE, L40S = "onprem-h100-roce", "eks-p5", "gke-a3-mega", "inference-l40s"
VOLUME = {"name": "more", "namespaces": ["research"], "size": "1Ti", "path": "/more"}
LUSTRE = {"kind": "hpe-lustre", "fileSystems": {"lustre": {"mgs": ["10.20.0.11"], "name": "ai01"}}}

# The stack, what is added to its storage section, and what the message must say.
BAD: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "driver of another cloud": (
        ROCE,
        {"driver": {"kind": "fsx"}},
        ("storage.driver.kind", "fsx", "eks only", "exascaler, hpe-lustre, custom"),
    ),
    "unknown driver": (ROCE, {"driver": {"kind": "lustre.csi.io"}}, ("storage.driver.kind", "lustre.csi.io", "'fsx'")),
    "chart without a mirror": (
        ROCE,
        {"driver": {**LUSTRE, "kind": "exascaler"}},
        ("charts.mirror = absent", "DDNStorage/exa-csi-driver"),
    ),
    "o2ib without a fabric": (
        L40S,
        {"driver": {**LUSTRE, "fileSystems": {"lustre": {"mgs": ["10.0.0.1"], "name": "a", "lnet": "o2ib"}}}},
        ("storage.driver.fileSystems.lustre.lnet", "o2ib", "use tcp"),
    ),
    "class of a static driver": (
        ROCE,
        {"classes": [{"name": "fast"}]},
        ("storage.classes[0]", "fast", "makes no file systems"),
    ),
    "unknown parameter": (
        EKS,
        {"classes": [{"name": "fast", "parameters": {"subnet": "subnet-1"}}]},
        ("storage.classes[0].parameters.subnet", "subnet-1", "not a parameter of fsx", "subnetId"),
    ),
    **{
        f"a class of {kind} without {parameter}": (
            EKS,
            {"driver": {"kind": kind}, "classes": [{"name": "fast"}], "volumes": []},
            (f"storage.classes[0].parameters.{parameter} = absent", "provisions nothing without it"),
        )
        for kind, parameter in (
            ("azure-lustre", "maintenance-day-of-week"),
            ("azure-lustre", "maintenance-time-of-day-utc"),
            ("oci-lustre", "availabilityDomain"),
            ("fsx", "subnetId"),
        )
    },
    "no source": (ROCE, {"volumes": [VOLUME]}, ("storage.volumes[0]", "exactly one source")),
    "two sources": (
        ROCE,
        {"volumes": [{**VOLUME, "fileSystem": "lustre", "storageClass": "nfs-csi"}]},
        ("storage.volumes[0]", "exactly one source"),
    ),
    "unknown file system": (
        ROCE,
        {"volumes": [{**VOLUME, "fileSystem": "gpfs"}]},
        ("storage.volumes[0].fileSystem", "gpfs", "lustre"),
    ),
    "unknown class": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "default"}]},
        ("storage.volumes[0].storageClass", "default", "nfs-csi"),
    ),
    "unknown namespace": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "nfs-csi", "namespaces": ["nobody"]}]},
        ("storage.volumes[0].namespaces", "nobody", "research, serving"),
    ),
    "namespace twice": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "nfs-csi", "namespaces": ["research", "research"]}]},
        ("storage.volumes[0].namespaces", "research", "named twice"),
    ),
    "Lustre for one node": (
        ROCE,
        {"volumes": [{**VOLUME, "fileSystem": "lustre", "mode": "ReadWriteOnce"}]},
        ("storage.volumes[0].mode", "ReadWriteOnce", "keeps a job to one node"),
    ),
    "block storage for many nodes": (
        ROCE,
        {
            "existingClasses": [{"name": "rbd", "kind": "ceph-rbd"}],
            "volumes": [{**VOLUME, "storageClass": "rbd", "mode": "ReadWriteMany"}],
        },
        ("storage.volumes[0].mode", "ReadWriteMany", "ceph-rbd", "ReadWriteOnce"),
    ),
    "an empty volume that nobody may fill": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "nfs-csi", "mode": "ReadOnlyMany"}]},
        ("storage.volumes[0].mode", "ReadOnlyMany", "starts empty"),
    ),
    "directory of an empty volume": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "nfs-csi", "directory": "data"}]},
        ("storage.volumes[0].directory", "data", "empty"),
    ),
    "one name for two volumes": (
        ROCE,
        {
            "volumes": [
                {**VOLUME, "storageClass": "nfs-csi"},
                {**VOLUME, "storageClass": "nfs-csi", "path": "/other"},
            ]
        },
        ("storage.volumes", "more", "another volume has this name"),
    ),
    "one path for two volumes": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "nfs-csi"}, {**VOLUME, "storageClass": "nfs-csi", "name": "other"}]},
        ("storage.volumes.path", "/more", "namespace research"),
    ),
    "one source for two volumes": (
        ROCE,
        {
            "volumes": [
                {**VOLUME, "fileSystem": "lustre", "directory": "a"},
                {**VOLUME, "fileSystem": "lustre", "directory": "a", "name": "other", "path": "/other"},
            ]
        },
        ("storage.volumes.fileSystem", "lustre/a", "the same to the kubelet"),
    ),
    **{
        f"one handle of a site's own driver for two volumes, {how}": (
            ROCE,
            {
                "driver": {
                    "kind": "custom",
                    "driver": "efs.csi.aws.com",
                    "fileSystems": {"a": {"handle": "fs-1"}, "b": {"handle": "fs-1"}},
                },
                "volumes": [
                    {**VOLUME, "fileSystem": "a", "directory": "a"},
                    {**VOLUME, "fileSystem": other, "directory": "b", "name": "other", "path": "/other"},
                ],
            },
            ("storage.volumes.fileSystem", "fs-1", "the same to the kubelet"),
        )
        for how, other in (("by one name", "a"), ("by two", "b"))
    },
    "file system below the cloud's smallest": (
        GKE,
        {"classes": [{"name": "fast"}], "volumes": [{**VOLUME, "storageClass": "fast"}]},
        ("storage.volumes[0].size", "1Ti", "9000Gi"),
    ),
    "path that is not one": (
        ROCE,
        {"volumes": [{**VOLUME, "storageClass": "nfs-csi", "path": "data"}]},
        ("storage.volumes[0].path", "data", "not an absolute path; write /data"),
    ),
}


def bad(name: str) -> dict[str, Any]:
    stack, change, _ = BAD[name]
    profile = document(stack)
    profile["storage"] |= change
    return profile


@pytest.mark.parametrize("name", BAD)
def test_storage_that_cannot_work_is_refused(name: str) -> None:
    with pytest.raises(ProfileError) as error:
        load(bad(name))
    said = str(error.value).splitlines()
    assert any(says(line, BAD[name][2]) for line in said), said


def test_the_packaged_chart_of_a_mirror_is_taken() -> None:
    profile = document(ROCE)
    profile["charts"] = {"mirror": "/srv/charts"}
    profile["storage"]["driver"]["kind"] = "exascaler"
    assert load(profile).storage
