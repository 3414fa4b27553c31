"""What is published about what a set, a profile or a cluster runs: by our own list, and by OSV."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from bedplate.catalog.advisories import ADVISORIES, SEVERITIES, open_in
from bedplate.charts import DATA, sets
from bedplate.components.chart_keys import chart_name
from bedplate.folders import PROJECT
from bedplate.live.kinds import POD
from bedplate.live.reading import Observed, getter, look
from bedplate.releases import osv
from bedplate.releases.road import versions
from bedplate.stacks.profile.profile import Profile


@dataclass(frozen=True)
class Item:
    """Something that is installed or run."""

    name: str
    """A chart, the last part of an image's name, or a Python package."""
    version: str
    package: str
    """As OSV knows it, `ecosystem/name`; empty: nobody can ask."""


@dataclass(frozen=True)
class Finding:
    """One advisory of one item."""

    severity: str
    item: str
    version: str
    id: str
    what: str
    fixed: str
    source: str
    stays: str = ""
    """Why the set has it all the same; empty: nobody has said."""

    def as_json(self) -> dict[str, str]:
        """What a machine reads."""
        return asdict(self)


def of_set(name: str) -> list[Item]:
    """Charts and images of a set."""
    return of_pins(sets.pins(name))


def of_profile(profile: Profile) -> list[Item]:
    """What a profile installs, with images and versions of its own."""
    return of_pins(versions(profile))


def of_pins(pins: Mapping[str, str]) -> list[Item]:
    """Charts by name and images by repository."""
    charts = sets.read(sets.newest())["charts"]
    return [_item(name, release) if name in charts else _image(f"{name}:{release}") for name, release in pins.items()]


def of_cluster(context: str) -> tuple[list[Item], Observed]:
    """Images of the pods that run, and charts by the label that Helm's own template gives."""
    observed = look(getter(context), (POD,))
    found: dict[Item, None] = {}
    for pod in observed.of(POD):
        labels: Mapping[str, str] = pod["metadata"].get("labels") or {}
        chart = labels.get("helm.sh/chart", "")
        if (name := chart_name(chart)) != chart:
            found[_item(name, chart.removeprefix(f"{name}-"))] = None
        status: Mapping[str, Any] = pod.get("status") or {}
        containers: list[Mapping[str, str]] = status.get("containerStatuses") or []
        found |= dict.fromkeys(_image(one["image"]) for one in containers)
    return list(found), observed


def of_bedplate() -> list[Item]:
    """The Python packages that Bedplate itself asks for, as they are here."""
    names = [one.partition(";")[0] for one in required() if "extra ==" not in one]
    plain = ["".join(char if char.isalnum() or char in "-_" else " " for char in name).split()[0] for name in names]
    return [Item(name, metadata.version(name), f"PyPI/{name}") for name in plain]


def required() -> list[str]:
    """What Bedplate asks for, as its wheel or the checkout has it."""
    try:
        return metadata.requires("bedplate") or []
    except metadata.PackageNotFoundError:  # a checkout
        return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]


def packages() -> Mapping[str, Mapping[str, str]]:
    """What OSV knows charts and images by."""
    return tomllib.loads((DATA / "packages.toml").read_text(encoding="utf-8"))


def _item(name: str, version: str) -> Item:
    return Item(name, version, packages()["charts"].get(name, ""))


def _image(image: str) -> Item:
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return Item(name, tag.partition("-")[0], packages()["images"].get(name, ""))


def findings(items: Iterable[Item], ask: osv.Ask | None, name: str) -> list[Finding]:
    """The gravest first; what our list has already is not said again in OSV's words."""
    listed = list(items)
    own = list(_own(listed))
    said = {each for one in ADVISORIES for each in (one.id, one.aliases)}
    found = [*own, *(one for item in listed if ask and item.package for one in _osv(item, ask, said))]
    reasons = {chart: entry.get("newer", "") for chart, entry in sets.read(name)["charts"].items()}
    told = {Finding(**{**asdict(one), "stays": _reason(one, reasons)}): None for one in found}
    return sorted(told, key=lambda one: (_rank(one.severity), one.item, one.id))


def _own(items: Iterable[Item]) -> Iterator[Finding]:
    """Several releases of one thing may run at once; pairs are looked for among all of them."""
    listed = list(items)
    for item in listed:
        others = {other.name: other.version for other in listed} | {item.name: item.version}
        for one, release in open_in(others):
            if one.product == item.name:
                yield Finding(one.severity, one.product, release, one.id, one.what, str(one.fixed), one.source)


def _osv(item: Item, ask: osv.Ask, said: set[str]) -> Iterator[Finding]:
    for record in ask(item.package):
        names = {str(record["id"]), *map(str, record.get("aliases") or ())}
        has, fixed = osv.concerns(record, item.package, item.version)
        if has and not names & said:
            what = str(record.get("summary") or "no summary").split("\n")[0]
            source = f"osv.dev/vulnerability/{record['id']}"
            yield Finding(osv.severity(record), item.name, item.version, str(record["id"]), what, fixed, source)


def _reason(one: Finding, reasons: Mapping[str, str]) -> str:
    """Of the set: a chart's line about a newer release, where it names this very advisory."""
    text = reasons.get(one.item, "")
    return text if one.id in text else ""


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity if severity in SEVERITIES else "unknown")


def fails(found: Iterable[Finding], at_least: str) -> bool:
    """Whether one is as grave, and nobody has said why it stays."""
    return at_least in SEVERITIES and any(_rank(one.severity) <= _rank(at_least) and not one.stays for one in found)


def as_json(found: Iterable[Finding], items: Iterable[Item], *, asked: bool) -> dict[str, Any]:
    """What a machine reads; `unasked` is what OSV was not asked about."""
    unasked = [f"{one.name} {one.version}" for one in items if not (asked and one.package)]
    return {"findings": [one.as_json() for one in found], "unasked": unasked}
