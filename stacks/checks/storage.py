"""Rules about storage: a volume has one source that exists, in namespaces that exist, with a mode that it allows."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.platforms import CLOUDS
from bedplate.components.quantity import gib
from bedplate.components.storage.drivers import DRIVERS, AnyDriver, Driver, provisioner
from bedplate.components.storage.lustre import LustreServers
from bedplate.components.storage.managed import CustomDriver
from bedplate.components.storage.mounts import Mounts, mounts
from bedplate.components.storage.section import DynamicClass, SharedVolume, StorageSection
from bedplate.stacks.facts.storage import ONE_NODE
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile


def check_storage(profile: Profile) -> Iterator[Problem]:
    """Every fault of the storage section."""
    section = profile.storage
    if section is None:
        return
    yield from chain(_driver(profile, section), _classes(profile, section), _names(section), _retired(section))
    for key, volume in keyed("storage.volumes", section.volumes):
        yield from chain(_source(section, volume, key), _namespaces(profile, volume, key), _mode(section, volume, key))


def _retired(section: StorageSection) -> Iterator[Problem]:
    """Only what is there can retire."""
    names = [volume.name for volume in section.volumes]
    for key, name in keyed("storage.retire", section.retire):
        if name not in names:
            fix = "remove it here too once the volume is gone; or correct the name"
            yield Problem(key, name, "no such volume", fix)


def _driver(profile: Profile, section: StorageSection) -> Iterator[Problem]:
    """A cloud's driver on that cloud; a chart that only git has from the mirror; LNet that the network carries."""
    driver = section.driver
    if driver is None:
        return
    home = DRIVERS[driver.kind].platform
    if home and home != profile.platform:
        reason = f"it serves {home} only, the platform is {profile.platform}"
        yield Problem("storage.driver.kind", driver.kind, reason, f"use {', '.join(_kinds_for(profile.platform))}")
    if driver.kind == "exascaler" and profile.charts is None:
        reason = "the driver's chart is in git only (DDNStorage/exa-csi-driver, deploy/helm-chart)"
        yield Problem("charts.mirror", None, reason, "package it (docs/storage.md) and name the folder")
    for name, system in driver.file_systems.items():
        over_verbs = isinstance(system, LustreServers) and system.lnet == "o2ib"
        if over_verbs and (profile.platform in CLOUDS or profile.fabric.kind == "none"):
            reason = "o2ib needs InfiniBand or RoCE between the nodes and the servers"
            yield Problem(f"storage.driver.fileSystems.{name}.lnet", "o2ib", reason, "use tcp")


def _kinds_for(platform: str) -> list[str]:
    return [kind for kind, driver in DRIVERS.items() if driver.platform in (None, platform)]


def _classes(profile: Profile, section: StorageSection) -> Iterator[Problem]:
    """Classes need a driver that provisions, and parameters that it knows: an unknown one fails every claim."""
    driver = DRIVERS[section.driver.kind] if section.driver else None
    for key, item in keyed("storage.classes", section.classes):
        if driver is None or driver.parameters == ():
            reason = "the driver makes no file systems" if driver else "there is no driver to provision it"
            yield Problem(key, item.name, reason, "remove it; name file systems that exist in storage.driver")
        else:
            yield from chain(_parameters(driver, item, key), _near(profile, driver, item, key))


def _parameters(driver: Driver, item: DynamicClass, key: str) -> Iterator[Problem]:
    """Those that the driver knows, and those that it cannot do without: a claim would stay pending."""
    for parameter, value in item.parameters.items():
        if driver.parameters is not None and parameter not in driver.parameters:
            reason = f"not a parameter of {driver.provisioner}"
            yield Problem(f"{key}.parameters.{parameter}", value, reason, f"use {', '.join(driver.parameters)}")
    for parameter in driver.required:
        if not item.parameters.get(parameter):
            reason = f"{driver.provisioner} provisions nothing without it"
            yield Problem(f"{key}.parameters.{parameter}", None, reason, "add it (docs/storage.md)")


def _near(profile: Profile, driver: Driver, item: DynamicClass, key: str) -> Iterator[Problem]:
    if driver.zone_label and not any(pool.gpu and pool.in_zones for pool in profile.pools):
        reason = "its file systems would be made in any zone that has a node, and no pool with GPUs says its own"
        yield Problem(key, item.name, reason, "give the pool its zone")


def _names(section: StorageSection) -> Iterator[Problem]:
    """Names are keys, and two claims must neither share a path in a pod nor a handle in the kubelet."""
    classes = [item.name for item in (*section.classes, *section.existing_classes)]
    yield from _repeated("storage.classes", classes, "another class has this name")
    yield from _repeated("storage.volumes", [volume.name for volume in section.volumes], "another volume has this name")
    for home in sorted({home for volume in section.volumes for home in volume.namespaces}):
        here = [volume for volume in section.volumes if home in volume.namespaces]
        paths = [volume.path for volume in here]
        yield from _repeated("storage.volumes.path", paths, f"two volumes of namespace {home} have this path")
        yield from _shared_handles(section.driver, here, home)


def _shared_handles(driver: AnyDriver | None, here: list[SharedVolume], home: str) -> Iterator[Problem]:
    sources = [_handle(driver, volume) for volume in here if volume.file_system]
    reason = f"two volumes of namespace {home} are the same to the kubelet, and a pod with both would never start"
    yield from _repeated("storage.volumes.fileSystem", sources, reason)


def _handle(driver: AnyDriver | None, volume: SharedVolume) -> str:
    """What keeps two volumes of a namespace apart: the handle where the site writes it, else our own name of both."""
    if isinstance(driver, CustomDriver) and (system := driver.file_systems.get(volume.file_system or "")):
        return system.handle
    return f"{volume.file_system}/{volume.directory or ''}"


def _repeated(key: str, values: list[str], reason: str) -> Iterator[Problem]:
    for value in sorted({value for value in values if values.count(value) > 1}):
        yield Problem(key, value, reason, "give each its own, or use one volume for both")


def _source(section: StorageSection, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """A file system or a class, one of the two, that is declared."""
    if (volume.file_system is None) == (volume.storage_class is None):
        yield Problem(key, volume.name, "it needs exactly one source", "set fileSystem or storageClass")
        return
    if volume.file_system:
        systems = list(section.driver.file_systems) if section.driver else []
        if volume.file_system not in systems:
            known = ", ".join(systems) or "none is declared"
            fix = f"declare it in storage.driver.fileSystems ({known})"
            yield Problem(f"{key}.fileSystem", volume.file_system, "unknown file system", fix)
        elif section.driver and section.driver.kind == "exascaler" and not volume.directory:
            yield Problem(f"{key}.directory", None, "the driver mounts directories of a file system", "name one")
        return
    names = [item.name for item in (*section.classes, *section.existing_classes)]
    if volume.storage_class not in names:
        fix = f"declare it in storage.classes or storage.existingClasses ({', '.join(names) or 'none is declared'})"
        yield Problem(f"{key}.storageClass", volume.storage_class, "unknown class", fix)
    if volume.directory:
        yield Problem(f"{key}.directory", volume.directory, "a new volume is empty", "remove it")
    if section.driver and volume.storage_class in [item.name for item in section.classes]:
        least = DRIVERS[section.driver.kind].minimum_gib
        if gib(volume.size) < least:
            reason = f"the smallest file system of {section.driver.kind} is {least}Gi"
            yield Problem(f"{key}.size", volume.size, reason, f"use {least}Gi or more")


def _taken(section: StorageSection, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """The driver takes the mode, and has the rights that it reads with."""
    known = mounts(provisioner(section.driver)) if section.driver else Mounts()
    name = provisioner(section.driver) if section.driver else ""
    if volume.mode not in known.modes:
        reason = f"{name} refuses to mount it"
        yield Problem(f"{key}.mode", volume.mode, reason, f"use {known.modes[0]}; servers read it only in any case")
    if known.account and volume.service_account is None:
        reason = f"{name} reads with the rights of the pod's service account, and pods have none"
        yield Problem(f"{key}.serviceAccount", None, reason, "add {name: …} of one to make, or the name of one")


def _namespaces(profile: Profile, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """Claims live in namespaces that the profile makes."""
    teams = [team.name for team in profile.teams]
    for home in volume.namespaces:
        if home not in teams:
            fix = f"use a team of tenancy.teams ({', '.join(teams) or 'none is declared'})"
            yield Problem(f"{key}.namespaces", home, "no team has this namespace", fix)
        if volume.namespaces.count(home) > 1:
            yield Problem(f"{key}.namespaces", home, "named twice", "name it once")
            return


def _mode(section: StorageSection, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """What is behind the claim allows its mode."""
    if volume.file_system:
        if volume.mode == "ReadWriteOnce":
            reason = "Lustre is shared, and ReadWriteOnce keeps a job to one node"
            yield Problem(f"{key}.mode", volume.mode, reason, "use ReadWriteMany or ReadOnlyMany")
        yield from _taken(section, volume, key)
        if volume.mode == "ReadOnlyMany" and section.driver and section.driver.kind == "oci-lustre":
            reason = "Oracle's driver knows ReadWriteMany only (OKE, Provisioning PVCs on Lustre)"
            yield Problem(f"{key}.mode", volume.mode, reason, "use ReadWriteMany")
        return
    kinds = {item.name: item.kind for item in section.existing_classes}
    kind = kinds.get(volume.storage_class or "")
    if volume.mode == "ReadOnlyMany":
        reason = "a claim on a class starts empty, and nobody could fill it"
        yield Problem(f"{key}.mode", volume.mode, reason, "use ReadWriteMany, or a fileSystem that has the data")
    elif volume.mode == "ReadWriteMany" and kind in ONE_NODE:
        yield Problem(f"{key}.mode", volume.mode, f"a {kind} volume is mounted by one node", "use ReadWriteOnce")
