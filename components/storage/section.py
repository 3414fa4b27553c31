"""The `storage` section: a driver, classes, shared volumes and the nodes' own disks."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bedplate.components.section import DnsLabel, Section, Size
from bedplate.components.storage.drivers import AnyDriver
from bedplate.components.workload.identity import AnyAccount

AccessMode = Literal["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"]


def straight(path: str) -> str:
    """A path that leads where its words say: `..` would leave the directory, the volume or the bucket's folder."""
    if {".", ".."} & set(path.split("/")):
        raise ValueError("its part . or .. leads elsewhere; write the path without it")
    return path


AbsolutePath = Annotated[str, Field(pattern=r"^/[A-Za-z0-9._/-]+$"), AfterValidator(straight)]
Directory = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$"), AfterValidator(straight)]
"""A path below the root of a file system, without a leading slash."""


class DynamicClass(Section):
    """A StorageClass of the driver: every claim on it makes a file system of its own."""

    name: DnsLabel
    parameters: Mapping[str, str] = Field(default_factory=dict)
    """What the driver documents; all values are strings."""
    reclaim: Literal["Retain", "Delete"] = "Retain"
    """Delete takes the file system away with its claim."""


class ExistingClass(Section):
    """A StorageClass that the cluster has already."""

    name: DnsLabel
    kind: Literal["nfs", "cephfs", "ceph-rbd", "block", "shared"]
    """What is behind it: nfs, cephfs and other shared file systems serve many nodes; ceph-rbd and other block one."""


class SharedVolume(Section):
    """A claim of one name in the namespaces that use it."""

    name: DnsLabel
    """Also the name of the claim."""
    namespaces: tuple[DnsLabel, ...] = Field(min_length=1)
    """Teams that mount it; each gets a persistent volume of its own, because one binds to one claim."""
    mode: AccessMode = "ReadWriteMany"
    size: Size
    """With a file system that exists this is for show, and quota; with a class, what is asked for."""
    path: AbsolutePath
    """Where pods mount it."""
    file_system: DnsLabel | None = None
    """One of `driver.fileSystems`."""
    directory: Directory | None = None
    """Below the root of that file system; absent: all of it."""
    storage_class: DnsLabel | None = None
    """A class of `classes` or `existingClasses`, instead of a file system; each namespace then has data of its own."""
    mount_options: tuple[str, ...] | None = None
    """Of a file system; classes have their own. Absent: what the driver's client knows (docs/storage.md), nothing where
    that is not known."""
    service_account: AnyAccount | None = None
    """Whose rights pods have that mount it, where the driver reads with theirs (Cloud Storage FUSE): the name of an
    account that each of the namespaces has already, or name and annotations of one to make there."""
    read_gbs: Annotated[float, Field(gt=0)] = 0.3
    """GB/s that one node reads; the time a server may take to load its weights is computed from it."""


class HostPathCache(Section):
    """A directory that node setup has put on local NVMe; it outlives pods, and every pod of the node shares it."""

    kind: Literal["host-path"]
    host_path: AbsolutePath
    """On the node."""
    path: AbsolutePath = "/cache"
    """Where pods mount it."""


class ClassCache(Section):
    """A volume of its own for each pod, from a class of local volumes."""

    kind: Literal["storage-class"]
    name: DnsLabel
    """The class; with `provisioner` we make it, else it exists."""
    provisioner: str | None = None
    """Such as `topolvm.io` or `rancher.io/local-path`."""
    size: Size
    """Of one pod's volume."""
    path: AbsolutePath = "/cache"
    """Where pods mount it."""


class StorageSection(Section):
    """Where datasets, checkpoints and weights live."""

    driver: AnyDriver | None = None
    """The Lustre driver; absent where only existing classes are used."""
    classes: tuple[DynamicClass, ...] = ()
    """Classes of the driver that are made here."""
    existing_classes: tuple[ExistingClass, ...] = ()
    """NFS, Ceph and other classes of the site that volumes may name."""
    volumes: tuple[SharedVolume, ...] = ()
    """Claims that jobs and servers mount by name."""
    retire: tuple[DnsLabel, ...] = ()
    """Volumes whose claims may be deleted: name them here and deploy, then remove them from `volumes` or a team from
    their `namespaces`. Without it no deployment deletes a claim."""
    cache: Annotated[HostPathCache | ClassCache, Field(discriminator="kind")] | None = None
    """The nodes' own NVMe."""

    @property
    def made_classes(self) -> tuple[str, ...]:
        """Names of the classes that are made here: those of the driver, and the node cache's."""
        local = (self.cache.name,) if isinstance(self.cache, ClassCache) and self.cache.provisioner else ()
        return *(item.name for item in self.classes if self.driver), *local
