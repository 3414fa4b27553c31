"""What follows from the storage section: the volumes and the cache that jobs and servers mount."""

from bedplate.components.facts import NodeCache, Volume
from bedplate.components.storage.drivers import DRIVERS, provisioner
from bedplate.components.storage.mounts import mounts
from bedplate.components.storage.section import ClassCache, SharedVolume, StorageSection
from bedplate.components.workload.identity import name_of, pod_labels
from bedplate.stacks.profile.profile import Profile

ONE_NODE = frozenset({"ceph-rbd", "block"})
"""Kinds of class whose volumes one node at a time can mount."""


def volumes(profile: Profile) -> dict[str, Volume]:
    """Shared volumes by name."""
    section = profile.storage
    return {volume.name: _volume(section, volume) for volume in section.volumes} if section else {}


def _volume(section: StorageSection, volume: SharedVolume) -> Volume:
    native = section.driver is not None and DRIVERS[section.driver.kind].directories
    return Volume(
        name=volume.name,
        namespaces=volume.namespaces,
        mode=volume.mode,
        path=volume.path,
        sub_path="" if native else volume.directory or "",
        read_gbs=volume.read_gbs,
        size=volume.size,
        service_account=name_of(volume.service_account),
        annotations=mounts(provisioner(section.driver)).annotations if section.driver and volume.file_system else {},
        labels=pod_labels(volume.service_account),
    )


def classes(profile: Profile) -> dict[str, bool]:
    """Those of the driver, whose file systems are shared, and the site's."""
    section = profile.storage
    if section is None:
        return {}
    ours = {item.name: True for item in section.classes}
    return ours | {item.name: item.kind not in ONE_NODE for item in section.existing_classes}


def cache(profile: Profile) -> NodeCache | None:
    """The nodes' own disks as a pod volume."""
    section = profile.storage.cache if profile.storage else None
    if section is None:
        return None
    if isinstance(section, ClassCache):
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": section.name,
            "resources": {"requests": {"storage": section.size}},
        }
        return NodeCache(section.path, {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}, size=section.size)
    source = {"hostPath": {"path": section.host_path, "type": "DirectoryOrCreate"}}
    return NodeCache(section.path, source, section.host_path)
