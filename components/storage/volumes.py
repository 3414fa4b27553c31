"""Shared volumes: static pairs of volume and claim, claims on classes, and the classes that are ours.

One persistent volume for each namespace that uses the data, because a volume binds to exactly one claim; both name
each other, so that no other claim can take it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.names import in_cluster, scoped
from bedplate.components.readiness import timeouts
from bedplate.components.storage.drivers import DRIVERS, AnyDriver, provisioner
from bedplate.components.storage.mounts import mounts
from bedplate.components.storage.request import VolumeRequest
from bedplate.components.storage.section import ClassCache, SharedVolume, StorageSection
from bedplate.components.workload.accounts import declare_accounts
from bedplate.components.workload.identity import AnyAccount

PROVISIONING = 3600
"""Seconds for a new Lustre file system; the provider would give its claim 300 (pulumi/pulumi-kubernetes#4179)."""
NO_CLASS = ""
"""Disables dynamic provisioning; leaving the class out would ask the default class for an empty disk."""

KEEPS_HANDLE = pulumi.ResourceOptions(ignore_changes=["spec.csi.volumeHandle"])
"""A volume keeps the handle that it was made with: the API server lets nobody change it, and what is bound stays."""


class Volumes(Component[StorageSection], token="bedplate:storage:Volumes"):
    """Makes claims exist and bind before anything mounts them."""

    def _declare(self, args: Args[StorageSection], child: pulumi.ResourceOptions) -> None:
        made: dict[str | None, pulumi.Input[str]] = {
            manifest["metadata"]["name"]: k8s.storage.v1.StorageClass(
                manifest["metadata"]["name"], **manifest, opts=child
            ).metadata.name
            for manifest in class_manifests(args.section, zones(args.facts))
        }
        declare_accounts(used(args.section), self)
        for volume, home in claims(args.section):
            mine = pulumi.ResourceOptions(parent=self, protect=not retires(args, volume, home))
            claim(volume, home, args, made.get(volume.storage_class, volume.storage_class or NO_CLASS), mine)
        for retired in args.section.retire:
            pulumi.log.warn(losses(args.section, retired))


def retires(args: Args[StorageSection], volume: SharedVolume, home: str) -> bool:
    """Whether a deployment may delete the volume's claim in that namespace."""
    return volume.name in args.section.retire or home in args.facts.retired


def losses(section: StorageSection, name: str) -> str:
    """What a deployment without the volume will delete."""
    (volume,) = (volume_there for volume_there in section.volumes if volume_there.name == name)
    kept = "; the file system keeps the data" if volume.file_system else ", and the data with them as its class says"
    return (
        f"volume {name} retires: a deployment without it in storage.volumes deletes its claims in "
        f"{', '.join(volume.namespaces)}{kept}"
    )


def claims(section: StorageSection) -> Iterator[tuple[SharedVolume, str]]:
    """Every volume in each of its namespaces."""
    return ((volume, home) for volume in section.volumes for home in volume.namespaces)


def claim(
    volume: SharedVolume,
    home: str,
    args: Args[StorageSection],
    storage_class: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> None:
    """The claim, after the class or the persistent volume that it names."""
    name = scoped(home, volume.name)
    spec: Any = claim_spec(volume, storage_class)
    if volume.file_system:
        static: Any = volume_spec(volume, home, args.section, args.facts)
        backing = k8s.core.v1.PersistentVolume(
            name,
            metadata={"name": in_cluster(home, volume.name)},
            spec=static,
            opts=pulumi.ResourceOptions.merge(opts, KEEPS_HANDLE),
        )
        spec["volumeName"] = backing.metadata.name
    if volume.storage_class in [item.name for item in args.section.classes]:
        opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(custom_timeouts=timeouts(PROVISIONING)))
    k8s.core.v1.PersistentVolumeClaim(name, metadata={"name": volume.name, "namespace": home}, spec=spec, opts=opts)


def claim_spec(volume: SharedVolume, storage_class: pulumi.Input[str]) -> dict[str, Any]:
    """The claim, apart from the volume that it binds to."""
    return {
        "accessModes": [volume.mode],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": volume.size}},
    }


def volume_spec(volume: SharedVolume, home: str, section: StorageSection, facts: Facts) -> dict[str, Any]:
    """A file system that exists, reserved for one claim, and kept when the claim goes."""
    driver = section.driver
    assert driver is not None  # noqa: S101 - stacks/checks/storage.py refuses a fileSystem without a driver
    assert volume.file_system is not None  # noqa: S101 - the caller asks only for these
    request = VolumeRequest(volume.name, home, volume.file_system, volume.directory or "", facts)
    read_only = {"readOnly": True} if volume.mode == "ReadOnlyMany" else {}
    return {
        "capacity": {"storage": volume.size},
        "accessModes": [volume.mode],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": NO_CLASS,
        "mountOptions": list(options(driver) if volume.mount_options is None else volume.mount_options),
        "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": home, "name": volume.name},
        "csi": {"driver": provisioner(driver), **DRIVERS[driver.kind].csi(driver, request), **read_only},
    }


def options(driver: AnyDriver) -> tuple[str, ...]:
    """That its client knows."""
    return mounts(provisioner(driver)).options


def used(section: StorageSection) -> Iterator[tuple[str, AnyAccount | None]]:
    """Namespace and service account of everybody who mounts a volume."""
    return ((home, volume.service_account) for volume, home in claims(section))


def zones(facts: Facts) -> list[str]:
    """Where the nodes are that read the most: those with GPUs."""
    return sorted({zone for pool in facts.gpu_pools for zone in pool.zones})


def class_manifests(section: StorageSection, near: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Classes of the driver, in the zones of the nodes where the class says that, and the one of the node cache."""
    ours = [
        {
            "metadata": {"name": item.name},
            "provisioner": provisioner(section.driver),
            "parameters": dict(item.parameters),
            **({"mount_options": mount_options} if (mount_options := list(options(section.driver))) else {}),
            "reclaim_policy": item.reclaim,
            "volume_binding_mode": "Immediate",
            "allow_volume_expansion": True,
            **topologies(section.driver, near),
        }
        for item in section.classes
        if section.driver
    ]
    cache = section.cache
    if isinstance(cache, ClassCache) and cache.provisioner:
        # Local disks: only the scheduler knows on which node the pod, and so the volume, has to be.
        local = {"provisioner": cache.provisioner, "volume_binding_mode": "WaitForFirstConsumer"}
        ours.append({"metadata": {"name": cache.name}, "reclaim_policy": "Delete", **local})
    return ours


def topologies(driver: AnyDriver, near: Sequence[str]) -> dict[str, Any]:
    """Without it a file system is made in any zone that has a node, such as one of the system pool."""
    if not near or not (label := DRIVERS[driver.kind].zone_label):
        return {}
    return {"allowed_topologies": [{"match_label_expressions": [{"key": label, "values": list(near)}]}]}
