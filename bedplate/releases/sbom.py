"""`bedplate releases sbom`: what a version set installs, or what this Bedplate is made of, in CycloneDX 1.6.

Plain JSON, in the order of the set, and the same for the same set: no time, and a serial number of the content.
"""

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from bedplate import __version__
from bedplate.charts import sets
from bedplate.components.chart import Chart
from bedplate.components.chart_images import pulled
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile

Component = dict[str, Any]
NAMESPACE = uuid.UUID("6f2c1a4e-9d0b-5c1f-8a53-1f0f0b1d7b5e")
"""Of our serial numbers."""
NEEDED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def of_set(name: str) -> dict[str, Any]:
    """Charts and kustomizations with the images that each pulls by default, and the images that servers run."""
    said, brings = sets.read(name), {one.name: one for one in installable(Profile).values()}
    images: dict[str, Component] = {}
    charts: list[Component] = []
    edges: dict[str, list[str]] = {}
    for chart, entry in said["charts"].items():
        one = _chart(chart, entry, brings[chart])
        mine = pulled(chart, entry["version"], {}) or pulled(chart, entry["version"].removeprefix("v"), {}) or ()
        needed = {image["bom-ref"]: image for image in map(_image, dict.fromkeys(each.image for each in mine))}
        images |= needed
        edges[one["bom-ref"]] = [*needed]
        charts.append(one)
    own = [_image(f"{repository}:{tag}") for repository, tag in said["images"].items()]
    images |= {image["bom-ref"]: image for image in own}
    of = {"type": "application", "bom-ref": f"set-{name}", "name": "bedplate-version-set", "version": name}
    edges[of["bom-ref"]] = [*(one["bom-ref"] for one in charts), *(one["bom-ref"] for one in own)]
    return _document(of, [*charts, *images.values()], edges)


def _chart(name: str, entry: Mapping[str, str], brings: object) -> Component:
    version, repo = entry["version"], brings.repo if isinstance(brings, Chart) else ""
    kind = "helm" if isinstance(brings, Chart) else "generic"
    purl = f"pkg:{kind}/{quote(name)}@{quote(version)}" + (f"?{urlencode({'repository_url': repo})}" if repo else "")
    hashes = {"hashes": [_sha(entry["digest"].removeprefix("sha256:"))]} if "digest" in entry else {}
    return {"type": "application", "bom-ref": purl, "name": name, "version": version, "purl": purl} | hashes


def _image(image: str) -> Component:
    """By its tag, or by the digest that the reference has."""
    name, _, digest = image.partition("@")
    path, _, tag = name.rpartition(":") if ":" in name.rpartition("/")[2] else (name, "", "")
    last = path.rpartition("/")[2]
    more = {"repository_url": path} | ({"tag": tag} if tag else {})
    purl = f"pkg:oci/{quote(last.lower())}" + (f"@{quote(digest, safe='')}" if digest else "") + f"?{urlencode(more)}"
    hashes = {"hashes": [_sha(digest.removeprefix("sha256:"))]} if digest.startswith("sha256:") else {}
    return {"type": "container", "bom-ref": purl, "name": path, "version": tag or digest, "purl": purl} | hashes


def of_bedplate(wheel: Path | None = None) -> dict[str, Any]:
    """This Bedplate with every Python package that it asks for, as they are installed here."""
    packages: dict[str, Component] = {}
    edges: dict[str, list[str]] = {}
    of: Component = _package("bedplate", __version__) | ({"hashes": [_sha(_digest(wheel))]} if wheel else {})
    left = [(of["bom-ref"], _asked("bedplate"))]
    while left:
        ref, names = left.pop()
        below = {name: _package(name, version) for name in names if (version := _installed(name))}
        edges[ref] = sorted(one["bom-ref"] for one in below.values())
        left += [(one["bom-ref"], _asked(name)) for name, one in below.items() if one["bom-ref"] not in edges]
        packages |= {one["bom-ref"]: one for one in below.values()}
    return _document(of, [packages[ref] for ref in sorted(packages)], edges)


def _package(name: str, version: str) -> Component:
    plain = re.sub(r"[-_.]+", "-", name).lower()
    purl = f"pkg:pypi/{plain}@{quote(version)}"
    return {"type": "library", "bom-ref": purl, "name": plain, "version": version, "purl": purl}


def _asked(name: str) -> Iterator[str]:
    """Names of what a package asks for, without its extras."""
    from bedplate.releases.check import required  # noqa: PLC0415 - of a set nobody needs it

    try:
        asked = required() if name == "bedplate" else metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return
    yield from (found[0] for one in asked if "extra ==" not in one and (found := NEEDED.match(one)))


def _installed(name: str) -> str:
    """Empty where it is not: what is asked for on another system or an older Python."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _sha(content: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": content}


def text(document: Mapping[str, Any]) -> str:
    """As a file has it: CycloneDX's own shape, and none of our answers'."""
    return json.dumps(document, indent=2) + "\n"


def _document(of: Component, components: Iterable[Component], edges: Mapping[str, list[str]]) -> dict[str, Any]:
    listed = list(components)
    content = json.dumps([of, listed, edges], sort_keys=True)
    tool = {"type": "application", "name": "bedplate", "version": __version__}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, content)}",
        "version": 1,
        "metadata": {"tools": {"components": [tool]}, "component": of},
        "components": listed,
        "dependencies": [{"ref": ref, "dependsOn": below} for ref, below in edges.items()],
    }
