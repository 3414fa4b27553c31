"""What OSV says of a package's release: asked of its API, or read from files that somebody exported (osv.dev/docs).

Records are in OSV's schema (ossf.github.io/osv-schema). A record concerns a release where its list names it, or one of
its ranges holds it.
"""

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.error import URLError
from urllib.request import Request

from semver import Version

from bedplate.components.download import opener
from bedplate.components.version import numbers
from bedplate.wrong import WrongError

URL = "https://api.osv.dev/v1/query"
WITHOUT = "name an exported file (--osv FILE), or ask our own list alone (--offline)"
SECONDS = 30
LARGEST = 64 * 2**20
"""Bytes of one answer or file."""
WORDS = {"moderate": "medium"}
Record: TypeAlias = Mapping[str, Any]
Ask: TypeAlias = Callable[[str], Iterable[Record]]
"""Records about a package, by `ecosystem/name`."""


def online(package: str, send: Callable[[bytes], bytes] | None = None) -> Iterator[Record]:
    """Every record that OSV has of it, page after page.

    `querybatch` asks about many at once, but its answers are ids alone, and each record is another request then.
    """
    ecosystem, _, name = package.partition("/")
    asked: dict[str, Any] = {"package": {"ecosystem": ecosystem, "name": name}}
    seen: set[str] = set()
    while True:
        answer = _answer((send or _send)(json.dumps(asked).encode()))
        yield from answer.get("vulns") or ()
        if not (token := answer.get("next_page_token")):
            return
        if token in seen:
            raise WrongError(f"{URL}: says the same page again of {package}; {WITHOUT}")
        seen.add(token)
        asked["page_token"] = token


def _send(body: bytes) -> bytes:
    request = Request(URL, body, {"Content-Type": "application/json"}, method="POST")
    try:
        with opener().open(request, timeout=SECONDS) as answer:
            return answer.read(LARGEST)
    except (URLError, OSError, HTTPException) as error:
        raise WrongError(f"{URL}: {' '.join(str(error).split())}; {WITHOUT}") from error


def exported(place: Path) -> Ask:
    """Those of a file (a record, a list, or OSV's `all.zip`) or of every file in a folder."""
    records = [record for text, source in _texts(place) for record in _records(text, source)]
    by_package: dict[str, list[Record]] = {}
    for record in records:
        for package in dict.fromkeys(_named(one) for one in record.get("affected") or ()):
            by_package.setdefault(package, []).append(record)
    return lambda package: by_package.get(_spelt(package), ())


def _texts(place: Path) -> Iterator[tuple[bytes, str]]:
    try:
        for path in sorted(place.rglob("*.json")) if place.is_dir() else [place]:
            if path.suffix == ".zip":
                with zipfile.ZipFile(path) as archive:
                    yield from ((archive.read(one), f"{path}: {one}") for one in archive.namelist())
            else:
                yield path.read_bytes(), str(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise WrongError(f"--osv {place}: cannot be read: {error}") from error


def _records(text: bytes, source: str) -> Iterator[Record]:
    try:
        found: object = json.loads(text)
    except ValueError as error:
        raise WrongError(f"{source}: is not JSON: {error}") from error
    for one in cast("list[object]", found) if isinstance(found, list) else [found]:
        if not isinstance(one, dict) or "id" not in one:
            raise WrongError(f"{source}: holds no record of OSV: `id` is missing (ossf.github.io/osv-schema)")
        yield cast("Record", one)


def _answer(text: bytes) -> dict[str, Any]:
    try:
        found: object = json.loads(text)
    except ValueError as error:
        raise WrongError(f"{URL}: answers no JSON: {error}; {WITHOUT}") from error
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _named(affected: Record) -> str:
    package: Mapping[str, str] = affected.get("package") or {}
    return _spelt(f"{package.get('ecosystem')}/{package.get('name')}")


def _spelt(package: str) -> str:
    """PyPI's names are one however they are spelt (PEP 503); those of other ecosystems are not."""
    return package.lower().replace("_", "-").replace(".", "-") if package.startswith("PyPI/") else package


def concerns(record: Record, package: str, release: str) -> tuple[bool, str]:
    """Whether a release has it, and the first release after it that has not; empty: nobody says."""
    if record.get("withdrawn"):
        return False, ""
    mine = [one for one in record.get("affected") or () if _named(one) == _spelt(package)]
    ranges = [each for one in mine for each in one.get("ranges") or () if each.get("type") in ("SEMVER", "ECOSYSTEM")]
    here = version(release)
    listed = any(version(each) == here for one in mine for each in one.get("versions") or ())
    fixes = [each["fixed"] for one in ranges for each in one.get("events") or () if "fixed" in each]
    later = sorted((version(one), one) for one in fixes if version(one) > here)
    return listed or any(_holds(one, here) for one in ranges), later[0][1] if later else ""


def _holds(one: Record, here: Version) -> bool:
    """The schema's own algorithm: the last event that is not after the release decides."""
    inside = False
    events: list[Mapping[str, str]] = one.get("events") or []
    for at, kind in sorted((version(at), kind) for event in events for kind, at in event.items()):
        if kind == "introduced" and here >= at:
            inside = True
        elif (kind == "fixed" and here >= at) or (kind == "last_affected" and here > at):
            inside = False
    return inside


def version(text: str) -> Version:
    """A release that can be compared; what is no semantic version by the numbers that it begins with."""
    plain = text.removeprefix("v")
    if Version.is_valid(plain):
        return Version.parse(plain)
    return Version(*(*numbers(plain), 0, 0, 0)[:3])


def severity(record: Record) -> str:
    """As its publisher says it, in our words; `unknown` where only a vector or nothing is there."""
    places: list[Record] = [record, *(record.get("affected") or ())]
    stated: Iterator[Record] = (one.get("database_specific") or {} for one in places)
    said = (str(one.get("severity") or "").lower() for one in stated)
    return next((WORDS.get(one, one) for one in said if one), "unknown")
