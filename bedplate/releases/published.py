"""Which releases of charts and images are published, and their archives: by repositories, registries, and mirrors.

Everything that comes over the network comes by `components/download.py`, with its logins, bounds and redirects.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from bedplate.components.archive import Index, fetch, index
from bedplate.components.chart import Chart
from bedplate.components.credentials import login
from bedplate.components.download import NoArchiveError, RefusedError, download
from bedplate.components.facts.cluster import ChartSource
from bedplate.components.signatures import signers, verified

DOCKER_HUB = "registry-1.docker.io"
PAGE = 1000
"""Tags asked for at once."""


@dataclass
class Published:
    """What one run has asked of them; an index is asked for once."""

    mirror: str = ""
    """Of charts: a folder or an `oci://` prefix, as in a profile; empty: where each chart is published."""
    images: str = ""
    """Of images: the host, and a path if it has one, below which a mirror has each by its own path; empty: its own."""
    signed: bool = False
    """Whether a chart of a registry is taken only with the signature of its signer (`charts/signers.toml`)."""
    indexes: dict[str, Index] = field(default_factory=dict[str, Index])

    def releases(self, chart: Chart) -> list[str]:
        """Every release of it, in no order."""
        where = self._where(chart)
        if where.startswith("oci://"):
            return tags(where.removeprefix("oci://"))
        if self.mirror:
            files = Path(self.mirror).glob(f"{chart.name}-*.tgz")
            return [file.stem.removeprefix(f"{chart.name}-") for file in files]
        return [str(entry["version"]) for entry in self._index(chart.repo).get(chart.name, ())]

    def archive(self, chart: Chart, digest: str) -> bytes:
        """The chart's archive; with a digest that a set has, no other is taken."""
        where = self._where(chart)
        if where.endswith(".tgz") and not Path(where).is_file():
            raise NoArchiveError(f"{where}: the mirror has no such file")
        if self.signed and where.startswith("oci://"):
            self._verify(f"{where.removeprefix('oci://')}:{chart.version}")
        inside = bool(self.mirror) or where.startswith("oci://")
        return fetch(where, chart.repo, chart.version, digest, None if inside else self._index(chart.repo))

    def tags(self, repository: str) -> list[str]:
        """Every tag of an image's repository."""
        if not self.images:
            return tags(repository)
        return tags(f"{self.images.removeprefix('oci://').rstrip('/')}/{_path(repository)}")

    def _verify(self, name: str) -> None:
        (one,) = verified([name], signers())
        if one.state == "refused":
            raise NoArchiveError(f"{name}: {one.text}")

    def _where(self, chart: Chart) -> str:
        return str(chart.location(ChartSource(self.mirror or None))["chart"])

    def _index(self, repo: str) -> Index:
        if repo not in self.indexes:
            self.indexes[repo] = index(repo)
        return self.indexes[repo]


def tags(name: str) -> list[str]:
    """Every tag of a registry's repository, page after page (opencontainers/distribution-spec, "Listing Tags").

    The next page is asked for by the last tag; a registry that pages otherwise says the same again, which ends it.
    """
    host, _, path = _whole(name).partition("/")
    found: dict[str, None] = {}
    last = ""
    while page := [tag for tag in _page(host, path, last) if tag not in found]:
        found |= dict.fromkeys(page)
        last = page[-1]
    return list(found)


def _page(host: str, path: str, last: str) -> list[str]:
    url = f"https://{host}/v2/{path}/tags/list?n={PAGE}" + (f"&last={quote(last)}" if last else "")
    try:
        return json.loads(download(url, login=login(host))).get("tags") or []
    except RefusedError as error:
        raise NoArchiveError(f"{error}; log in: `helm registry login {host}`, or `docker login {host}`") from error
    except (ValueError, AttributeError) as error:
        raise NoArchiveError(f"{url.partition('?')[0]}: answers no list of tags: {error}") from error


def _whole(name: str) -> str:
    """With its host: a name without one is Docker Hub's."""
    host = name.partition("/")[0]
    return name if "." in host or ":" in host else f"{DOCKER_HUB}/{name}"


def _path(repository: str) -> str:
    return _whole(repository).partition("/")[2]
