"""The archive of a chart, from where its release comes from: mirror, chart repository, or registry.

What comes over the network must have the digest that the repository's index, or the registry's manifest, says it has:
what is in it is applied to the cluster with force.
"""

import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urljoin

import yaml

from bedplate.components.credentials import login
from bedplate.components.download import NoArchiveError, RefusedError, download, unpacked

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
CRD = re.compile(r"((?:[^/]+/charts/)*[^/]+)/crds/.+\.ya?ml")
"""A definition in the chart, or in a chart within it."""
Index: TypeAlias = Mapping[str, list[dict[str, Any]]]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def fetch(chart: str, repo: str, version: str, digest: str = "", listed: Index | None = None) -> bytes:
    """The archive, by the arguments of a Helm release; with a digest of ours, what has another is refused.

    `listed` is the repository's index for whoever has it already.
    """
    return _checked(_fetched(chart, repo, version, listed), digest, f"{chart} {version}, by its version set")


def _fetched(chart: str, repo: str, version: str, listed: Index | None) -> bytes:
    if chart.endswith(".tgz"):
        return Path(chart).read_bytes()
    if chart.startswith("oci://"):
        return _from_registry(chart.removeprefix("oci://"), version)
    for entry in (index(repo) if listed is None else listed).get(chart, ()):
        if entry["version"].removeprefix("v") == version.removeprefix("v"):
            url = urljoin(f"{repo.rstrip('/')}/", entry["urls"][0])
            # An index may leave the digest out; Helm takes that, too.
            return _checked(download(url), entry.get("digest"), url)
    raise NoArchiveError(f"{repo} has no chart {chart} {version}")


def index(repo: str) -> Index:
    """What a chart repository has: of each chart its releases."""
    address = f"{repo.rstrip('/')}/index.yaml"
    try:
        return yaml.load(download(address), LOADER)["entries"]  # noqa: S506 - both are safe
    except (yaml.YAMLError, LookupError, TypeError) as error:
        raise NoArchiveError(f"{address}: is no index of charts: {' '.join(str(error).split())}") from error


def about(archive: bytes, name: str) -> Mapping[str, Any]:
    """Its Chart.yaml; NoArchiveError where the archive is cut short, or is no chart's."""
    return yaml.load(_at_top(archive, "Chart.yaml", name), LOADER)  # noqa: S506 - both are safe


def values(archive: bytes, name: str) -> str:
    """The text of its default values."""
    return _at_top(archive, "values.yaml", name)


def _at_top(archive: bytes, file: str, name: str) -> str:
    """A file of the chart; those of the charts in it lie deeper."""
    try:
        with tarfile.open(fileobj=io.BytesIO(unpacked(archive, name))) as files:
            mine = next(one for one in files.getmembers() if one.name.split("/")[1:] == [file])
            return _text(files, mine)
    except (tarfile.TarError, StopIteration) as error:
        raise NoArchiveError(f"{name}: is no chart's archive: it has no {file}") from error


def definitions(archive: bytes) -> str:
    """The CustomResourceDefinitions in `crds/` of the chart, and of charts in it that are always on, as a YAML stream.

    Helm installs both. What a value switches on, a dependency with `condition` or `tags`, has an owner of its own here.
    """
    with tarfile.open(fileobj=io.BytesIO(unpacked(archive, "chart"))) as files:
        texts = {one.name: one for one in files.getmembers() if one.isfile()}
        off = set(_switched(files, texts))
        found = [name for name in sorted(texts) if (crd := CRD.fullmatch(name)) and not _within(crd[1], off)]
        return "\n---\n".join(_text(files, texts[name]) for name in found)


def _switched(files: tarfile.TarFile, texts: Mapping[str, tarfile.TarInfo]) -> Iterator[str]:
    """Folders of the charts within that not every release has."""
    for name, member in texts.items():
        folder, _, file = name.rpartition("/")
        if file != "Chart.yaml":
            continue
        about: dict[str, Any] = yaml.load(_text(files, member), LOADER) or {}  # noqa: S506 - both are safe
        for needed in about.get("dependencies") or ():
            if needed.get("condition") or needed.get("tags"):
                yield f"{folder}/charts/{needed['name']}"


def _within(chart: str, folders: set[str]) -> bool:
    return any(f"{chart}/".startswith(f"{folder}/") for folder in folders)


def _text(files: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    content = files.extractfile(member)
    return content.read().decode() if content else ""


def _from_registry(name: str, version: str) -> bytes:
    host, _, repository = name.partition("/")
    base = f"https://{host}/v2/{repository}"
    let_in = login(host)
    try:
        layers = json.loads(download(f"{base}/manifests/{version}", MANIFEST, let_in)).get("layers") or ()
    except RefusedError as error:
        raise NoArchiveError(f"{error}; log in: `helm registry login {host}`, or `docker login {host}`") from error
    digests = [str(layer["digest"]) for layer in layers if layer["mediaType"] == LAYER]
    if not digests:
        kinds = ", ".join(sorted({one["mediaType"] for one in layers})) or "no layers at all"
        raise NoArchiveError(f"{name}:{version} is no Helm chart: it has {kinds}")
    return _checked(download(f"{base}/blobs/{digests[0]}", login=let_in), digests[0], f"{name}:{version}")


def _checked(data: bytes, digest: str | None, name: str) -> bytes:
    """The data, if it is what the digest says: `sha256:…`, or its hexadecimal digits alone, as in an index."""
    came = sha256(data).hexdigest()
    if digest and digest.removeprefix("sha256:") != came:
        raise NoArchiveError(f"{name}: is not what its publisher lists: digest {digest}, and what came has {came}")
    return data
