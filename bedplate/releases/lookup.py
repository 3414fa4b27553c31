"""Every chart and image of a set, looked up where it is published, and its charts' archives, with digests checked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256

from bedplate.charts import sets
from bedplate.components.archive import about
from bedplate.components.chart import Chart
from bedplate.components.download import NoArchiveError
from bedplate.components.kustomization import Manifests
from bedplate.releases.newer import Look, newer, stays
from bedplate.releases.published import Published
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile

IN_GIT = "published in git alone"


def looked_up(name: str, places: Published, of_all: Iterable[str]) -> Iterator[tuple[Look, bytes]]:
    """Charts with their archives, then images; one that could not be looked up says why, and the others go on."""
    pins, ahead = sets.pins(name), frozenset(of_all)
    brought = {brings.name: brings for brings in installable(Profile).values()}
    for _, brings in sorted(brought.items()):
        yield of_chart(brings, pins[brings.name], places, of_all=brings.name in ahead)
    for image, tag in sets.read(name)["images"].items():
        try:
            yield newer(image, tag, places.tags(image), of_all=image in ahead), b""
        except NoArchiveError as error:
            yield stays(image, tag, problem=str(error)), b""


def of_chart(brings: Chart | Manifests, now: str, places: Published, *, of_all: bool) -> tuple[Look, bytes]:
    """How one chart was looked up, and its archive; of what is published in git alone there is none."""
    if not isinstance(brings, Chart) or not (brings.repo or places.mirror):
        return stays(brings.name, now, where=IN_GIT), b""
    try:
        look = newer(brings.name, now, places.releases(brings), of_all=of_all)
        archive = _checked(brings, look.to, places)
    except NoArchiveError as error:
        return stays(brings.name, now, problem=str(error)), b""
    return replace(look, digest=f"sha256:{sha256(archive).hexdigest()}"), archive


def _checked(chart: Chart, release: str, places: Published) -> bytes:
    """Whole, and of this chart at this release."""
    archive = places.archive(replace(chart, version=release), sets.digest(chart.name, release))
    said: Mapping[str, str] = about(archive, f"{chart.name} {release}")
    if (said.get("name"), str(said.get("version")).removeprefix("v")) != (chart.name, release.removeprefix("v")):
        has = f"{said.get('name')} {said.get('version')}"
        raise NoArchiveError(f"{chart.name} {release}: what came is {has}")
    return archive
