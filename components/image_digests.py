"""Images by digest in what is deployed: what names an image by its tag gets the digest that the profile has for it.

A tag stays beside its digest, for people: `v0.19.2@sha256:…` is what nodes pull by the digest alone. Of a release the
values move that its list of images reads (`chart_images.py`); of objects whatever names an image.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, cast

from bedplate.components.chart_images import PLACE, choices, rows, spelt

Digests = Mapping[str, str]
"""By whole reference, such as `docker.io/library/busybox:1.38.0`."""
Kind = TypeVar("Kind")


class Parts(NamedTuple):
    """A whole reference."""

    registry: str
    path: str
    tag: str
    digest: str


def parts(image: str) -> Parts:
    """Docker's short names written out: whoever mirrors them needs the registry."""
    name, _, digest = image.partition("@")
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    path = f"{head}{slash}{last}"
    registry, _, rest = path.partition("/")
    if not rest or not ("." in registry or ":" in registry or registry == "localhost"):
        registry, rest = "docker.io", path if "/" in path else f"library/{path}"
    return Parts(registry, rest, tag or ("" if digest else "latest"), digest)


def whole(image: str) -> str:
    """With its registry, and with a tag or a digest."""
    named = parts(image)
    return (
        f"{named.registry}/{named.path}"
        + (f":{named.tag}" if named.tag else "")
        + (f"@{named.digest}" if named.digest else "")
    )


def of_release(chart: str, version: str, values: Mapping[str, Any], digests: Digests) -> dict[str, Any]:
    """The values of a release with the digests of its images; where one value names two images, it stays."""
    wanted: dict[str, set[str]] = {}
    for path, value in _moved(chart, version, values, digests) if digests else ():
        wanted.setdefault(path, set()).add(value)
    made = dict(values)
    for path, (value, *others) in wanted.items():
        if not others:
            _put(made, path.split("."), value)
    return made


def _moved(chart: str, version: str, values: Mapping[str, Any], digests: Digests) -> Iterator[tuple[str, str]]:
    """Paths of values and what they should be, an image each; the nodes' system follows a driver's tag, which stays."""
    for row, image, value in rows(chart, spelt(chart, version), values):
        place = PLACE.findall(row["image"])[-1]
        path = next((choice for choice in choices(place) if not choice.startswith("=")), None)
        digest = digests.get(whole(image)) if path and not row.get("system") else None
        if digest is None:
            continue
        before = row["image"].rpartition("{")[0]
        if before.endswith("@sha256:"):
            yield str(path), digest.removeprefix("sha256:")
        else:
            yield str(path), digest if before.endswith("@") else f"{value(place)}@{digest}"


def _put(values: dict[str, Any], path: list[str], value: str) -> None:
    """Each mapping on the way is a copy: what the caller has stays as it is."""
    *above, last = path
    for key in above:
        inner = values.get(key)
        values[key] = values = dict(cast("Mapping[str, Any]", inner)) if isinstance(inner, Mapping) else {}
    values[last] = value


def of_object(value: Kind, digests: Digests) -> Kind:
    """A manifest with the digests of what it names: a container's image, or a triple of NVIDIA's policies."""
    return cast("Kind", _of(value, digests)) if digests else value


def _of(value: object, digests: Digests) -> object:
    if isinstance(value, list):
        return [_of(item, digests) for item in cast("list[object]", value)]
    if not isinstance(value, Mapping):
        return value
    held = {key: _of(inner, digests) for key, inner in cast("Mapping[str, object]", value).items()}
    image, repository, version = (held.get(key) for key in ("image", "repository", "version"))
    if isinstance(image, str) and isinstance(repository, str) and isinstance(version, str):
        if digest := digests.get(whole(f"{repository}/{image}:{version}")):
            held["version"] = f"{version}@{digest}"
    elif isinstance(image, str) and (digest := digests.get(whole(image))):
        held["image"] = f"{image}@{digest}"
    return held
