"""Rules about storage: a volume has one source that exists, in namespaces that exist, with a mode that it allows."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from bedplate.components.platforms import CLOUDS
from bedplate.components.quantity import gib
from bedplate.components.storage.drivers import DRIVERS, AnyDriver, Driver, provisioner
from bedplate.components.storage.lustre import LustreServers
from bedplate.components.storage.managed import CustomDriver
from bedplate.components.storage.mounts import Mounts, mounts
from bedplate.components.storage.section import DynamicClass, SharedVolume, StorageSection
from bedplate.stacks.facts.storage import ONE_NODE
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile


def check_storage(profile: Profile) -> Iterator[Problem]:
    """Every fault of the storage section; only what is there can retire."""
    section = profile.storage
    if section is None:
        return
    yield from chain(_driver(profile, section), _classes(profile, section), _names(section))
    names = [volume.name for volume in section.volumes]
    for key, name in keyed("storage.retire", section.retire):
        if name not in names:
            yield problem("storage.nothing-to-retire", name, key)
    for key, volume in keyed("storage.volumes", section.volumes):
        yield from chain(_source(section, volume, key), _namespaces(profile, volume, key), _mode(section, volume, key))


def _driver(profile: Profile, section: StorageSection) -> Iterator[Problem]:
    """A cloud's driver on that cloud; a chart that only git has from the mirror; LNet that the network carries."""
    driver = section.driver
    if driver is None:
        return
    home = DRIVERS[driver.kind].platform
    if home and home != profile.platform:
        kinds = [kind for kind, row in DRIVERS.items() if row.platform in (None, profile.platform)]
        yield problem("storage.other-platform", driver.kind, home=home, profile=profile, kinds=kinds)
    if driver.kind == "exascaler" and profile.charts is None:
        yield problem("storage.chart-in-git-only")
    for name, system in driver.file_systems.items():
        over_verbs = isinstance(system, LustreServers) and system.lnet == "o2ib"
        if over_verbs and (profile.platform in CLOUDS or profile.fabric.kind == "none"):
            yield problem("storage.o2ib-without-fabric", "o2ib", name=name)


def _classes(profile: Profile, section: StorageSection) -> Iterator[Problem]:
    """Classes need a driver that provisions, and parameters that it knows: an unknown one fails every claim."""
    driver = DRIVERS[section.driver.kind] if section.driver else None
    for key, item in keyed("storage.classes", section.classes):
        if driver is None or driver.parameters == ():
            reason = "the driver makes no file systems" if driver else "there is no driver to provision it"
            yield problem("storage.class-without-driver", item.name, key, reason=reason)
            continue
        yield from _parameters(driver, item, key)
        if driver.zone_label and not any(pool.gpu and pool.in_zones for pool in profile.pools):
            yield problem("storage.any-zone", item.name, key)


def _parameters(driver: Driver, item: DynamicClass, key: str) -> Iterator[Problem]:
    """Those that the driver knows, and those that it cannot do without: a claim would stay pending."""
    for parameter, value in item.parameters.items():
        if driver.parameters is not None and parameter not in driver.parameters:
            yield problem("storage.unknown-parameter", value, key, parameter=parameter, driver=driver)
    for parameter in driver.required:
        if not item.parameters.get(parameter):
            yield problem("storage.parameter-missing", None, key, parameter=parameter, driver=driver)


def _names(section: StorageSection) -> Iterator[Problem]:
    """Names are keys, and two claims must neither share a path in a pod nor a handle in the kubelet."""
    classes = [item.name for item in (*section.classes, *section.existing_classes)]
    for name in _twice(classes):
        yield problem("storage.class-twice", name)
    for name in _twice(volume.name for volume in section.volumes):
        yield problem("storage.volume-twice", name)
    for home in sorted({home for volume in section.volumes for home in volume.namespaces}):
        here = [volume for volume in section.volumes if home in volume.namespaces]
        for path in _twice(volume.path for volume in here):
            yield problem("storage.path-twice", path, home=home)
        for handle in _twice(_handle(section.driver, volume) for volume in here if volume.file_system):
            yield problem("storage.handle-twice", handle, home=home)


def _twice(values: Iterable[str]) -> list[str]:
    return sorted(value for value, count in Counter(values).items() if count > 1)


def _handle(driver: AnyDriver | None, volume: SharedVolume) -> str:
    """What keeps two volumes of a namespace apart: the handle where the site writes it, else our own name of both."""
    if isinstance(driver, CustomDriver) and (system := driver.file_systems.get(volume.file_system or "")):
        return system.handle
    return f"{volume.file_system}/{volume.directory or ''}"


def _source(section: StorageSection, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """A file system or a class, one of the two, that is declared."""
    if (volume.file_system is None) == (volume.storage_class is None):
        yield problem("storage.one-source", volume.name, key)
        return
    if volume.file_system:
        systems = list(section.driver.file_systems) if section.driver else []
        if volume.file_system not in systems:
            choices = ", ".join(systems) or "none is declared"
            yield problem("storage.unknown-file-system", volume.file_system, key, known=choices)
        elif section.driver and section.driver.kind == "exascaler" and not volume.directory:
            yield problem("storage.directory-missing", None, key)
        return
    names = [item.name for item in (*section.classes, *section.existing_classes)]
    if volume.storage_class not in names:
        yield problem(
            "storage.unknown-class", volume.storage_class, key, classes=", ".join(names) or "none is declared"
        )
    if volume.directory:
        yield problem("storage.directory-of-a-class", volume.directory, key)
    if section.driver and volume.storage_class in [item.name for item in section.classes]:
        least = DRIVERS[section.driver.kind].minimum_gib
        if gib(volume.size) < least:
            yield problem("storage.too-small", volume.size, key, section=section, least=least)


def _taken(section: StorageSection, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """The driver takes the mode, and has the rights that it reads with."""
    capabilities = mounts(provisioner(section.driver)) if section.driver else Mounts()
    name = provisioner(section.driver) if section.driver else ""
    if volume.mode not in capabilities.modes:
        yield problem("storage.mode-refused", volume.mode, key, name=name, known=capabilities)
    if capabilities.account and volume.service_account is None:
        yield problem("storage.account-missing", None, key, name=name)


def _namespaces(profile: Profile, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """Claims live in namespaces that the profile makes."""
    teams = [team.name for team in profile.teams]
    for home in volume.namespaces:
        if home not in teams:
            yield problem("storage.no-such-team", home, key, teams=", ".join(teams) or "none is declared")
        if volume.namespaces.count(home) > 1:
            yield problem("storage.namespace-twice", home, key)
            return


def _mode(section: StorageSection, volume: SharedVolume, key: str) -> Iterator[Problem]:
    """What is behind the claim allows its mode."""
    if volume.file_system:
        if volume.mode == "ReadWriteOnce":
            yield problem("storage.lustre-is-shared", volume.mode, key)
        yield from _taken(section, volume, key)
        if volume.mode == "ReadOnlyMany" and section.driver and section.driver.kind == "oci-lustre":
            yield problem("storage.oracle-modes", volume.mode, key)
        return
    kinds = {item.name: item.kind for item in section.existing_classes}
    kind = kinds.get(volume.storage_class or "")
    if volume.mode == "ReadOnlyMany":
        yield problem("storage.empty-for-ever", volume.mode, key)
    elif volume.mode == "ReadWriteMany" and kind in ONE_NODE:
        yield problem("storage.mounted-by-one", volume.mode, key, kind=kind)
