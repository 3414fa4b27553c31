"""The archive of a chart, from where its release comes from: mirror, chart repository, or registry without login."""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import Request, parse_http_list, parse_keqv_list, urlopen

import yaml

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
SECONDS = 60


class NoArchiveError(Exception):
    """The chart is not where the profile says."""


def fetch(chart: str, repo: str, version: str) -> bytes:
    """The archive, by the arguments of a Helm release."""
    if chart.endswith(".tgz"):
        return Path(chart).read_bytes()
    if chart.startswith("oci://"):
        return _from_registry(chart.removeprefix("oci://"), version)
    index = yaml.load(_get(f"{repo.rstrip('/')}/index.yaml"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    for entry in index["entries"].get(chart, ()):
        if entry["version"].removeprefix("v") == version.removeprefix("v"):
            return _get(urljoin(f"{repo.rstrip('/')}/", entry["urls"][0]))
    raise NoArchiveError(f"{repo} has no chart {chart} {version}")


def definitions(archive: bytes) -> str:
    """The CustomResourceDefinitions of the chart's own `crds/` folder, as one YAML stream."""
    return "\n---\n".join(_files(archive))


def _files(archive: bytes) -> Iterator[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in sorted(files.getmembers(), key=lambda one: one.name):
            parts = member.name.split("/")
            if member.isfile() and parts[1:2] == ["crds"] and parts[-1].endswith((".yaml", ".yml")):
                content = files.extractfile(member)
                yield content.read().decode() if content else ""


def _from_registry(name: str, version: str) -> bytes:
    host, _, repository = name.partition("/")
    base = f"https://{host}/v2/{repository}"
    manifest = json.loads(_get(f"{base}/manifests/{version}", MANIFEST))
    layer = next(one["digest"] for one in manifest["layers"] if one["mediaType"] == LAYER)
    return _get(f"{base}/blobs/{layer}")


def _get(url: str, accept: str = "*/*", token: str = "") -> bytes:
    headers = {"Accept": accept} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urlopen(Request(url, headers=headers), timeout=SECONDS) as answer:  # noqa: S310 - the profile's own address
            return answer.read()
    except HTTPError as error:
        challenge = error.headers.get("WWW-Authenticate", "")
        if token or error.code != 401 or not challenge.startswith("Bearer "):  # noqa: PLR2004 - Unauthorized
            raise
    return _get(url, accept, _token(challenge.removeprefix("Bearer ")))


def _token(challenge: str) -> str:
    """What a registry gives to anybody who asks as it says."""
    asked = parse_keqv_list(parse_http_list(challenge))
    query = urlencode({key: value for key, value in asked.items() if key != "realm"})
    answer = json.loads(_get(f"{asked['realm']}?{query}"))
    return answer.get("token") or answer["access_token"]
