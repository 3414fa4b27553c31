"""Claims that got no volume, volumes that lost theirs, and what the site should have."""

from collections.abc import Iterator

from bedplate.live.finding import Finding
from bedplate.live.kinds import CLAIM, CSI_DRIVER, DEFINITION, NAMESPACE, STORAGE_CLASS, VOLUME, Kind
from bedplate.live.reading import Object, Seen, part, place
from bedplate.live.wanted import Wanted

WAITS = "pods that mount it stay Pending"
LOST = "data is there and nobody can mount it"
SITE = "the profile says that the site has it"
LATER = "WaitForFirstConsumer"
KINDS = {
    "StorageClass": STORAGE_CLASS,
    "CSIDriver": CSI_DRIVER,
    "Namespace": NAMESPACE,
    "CustomResourceDefinition": DEFINITION,
}


def storage(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Claims in our namespaces and the teams', our volumes, the site's classes."""
    later = {place(one)[1] for one in seen.of(STORAGE_CLASS) if one.get("volumeBindingMode") == LATER}
    for one in seen.of(CLAIM):
        if place(one)[0] in wanted.homes | wanted.teams:
            yield from _claim(one, later, seen)
    ours = {declared.place for declared in wanted.of(VOLUME)}
    for one in seen.of(VOLUME):
        phase = part(one, "status").get("phase")
        if place(one) in ours and phase in ("Released", "Failed"):
            yield Finding("storage", _called(VOLUME, one), f"is {phase}: its claim was deleted", LOST)
    for one in wanted.facts.existing:
        if seen.knows(KINDS[one.kind]) and seen.one(KINDS[one.kind], one.name) is None:
            yield Finding("storage", f"{one.kind} {one.name}", f"is not there, as {one.key} says", SITE)


def _claim(one: Object, later: set[str], seen: Seen) -> Iterator[Finding]:
    phase = part(one, "status").get("phase", "Pending")
    named = one["spec"].get("storageClassName")
    if phase == "Lost":
        yield Finding("storage", _called(CLAIM, one), "is Lost: its volume is gone", LOST)
    if phase != "Pending" or named in later:
        return
    missing = named and seen.knows(STORAGE_CLASS) and seen.one(STORAGE_CLASS, named) is None
    volume = one["spec"].get("volumeName")
    because = f"StorageClass {named} is not there" if missing else f"volume {volume}" if volume else f"class {named}"
    yield Finding("storage", _called(CLAIM, one), f"is Pending ({because})", WAITS)


def _called(kind: Kind, one: Object) -> str:
    return f"{kind.kind} {'/'.join(filter(None, place(one)))}"
