"""Claims that got no volume, volumes that lost their claim, and what the profile expects of the site."""

from collections.abc import Iterator

from bedplate.cluster.objects import Object, part, place
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import CLAIM, CSI_DRIVER, DEFINITION, NAMESPACE, SERVICE_ACCOUNT, STORAGE_CLASS, VOLUME
from bedplate.live.reading import Observed

KINDS = {kind.kind: kind for kind in (STORAGE_CLASS, CSI_DRIVER, NAMESPACE, DEFINITION, SERVICE_ACCOUNT)}
"""What a profile may say that the site has."""


def storage(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Claims in our namespaces and the teams', our volumes, the site's classes."""
    for obj in observed.of(CLAIM):
        if place(obj)[0] in desired.homes | desired.teams:
            yield from _claim(obj, observed)
    for obj in desired.own(VOLUME, observed):
        if (phase := part(obj, "status").get("phase")) in ("Released", "Failed"):
            yield finding("storage.released", VOLUME.title(obj), phase=phase)
    for existing in desired.facts.existing:
        kind = KINDS[existing.kind]
        if observed.knows(kind) and observed.find(kind, existing.name, existing.namespace) is None:
            where = f"{existing.kind} {'/'.join(filter(None, (existing.namespace, existing.name)))}"
            yield finding("storage.site", where, key=existing.key)


def _claim(obj: Object, observed: Observed) -> Iterator[Finding]:
    phase, spec = part(obj, "status").get("phase", "Pending"), obj["spec"]
    if phase == "Lost":
        yield finding("storage.lost", CLAIM.title(obj))
    name, volume = spec.get("storageClassName"), spec.get("volumeName")
    storage_class = observed.find(STORAGE_CLASS, name) if name else None
    if phase != "Pending" or (storage_class or {}).get("volumeBindingMode") == "WaitForFirstConsumer":
        return
    missing = name and observed.knows(STORAGE_CLASS) and storage_class is None
    because = f"StorageClass {name} is not there" if missing else f"volume {volume}" if volume else f"class {name}"
    yield finding("storage.pending", CLAIM.title(obj), because=because)
