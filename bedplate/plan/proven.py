"""What is said of releases and images in a plan: advisories that are open in them, and what nobody has read of them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from bedplate.catalog.advisories import SEVERITIES, open_in
from bedplate.catalog.engines import OLDEST_DRIVER, projects_own, vllm
from bedplate.components.chart_keys import chart_name, read_as

from .graph import Graph


def advisories(graph: Graph, releases: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Open ones, the gravest first: what is installed, which release, since when it is fixed and who says so."""
    advisories_of_charts = [
        {
            "id": advisory.id,
            "severity": advisory.severity,
            "product": advisory.product,
            "version": version,
            "fixed": str(advisory.fixed),
            "source": advisory.source,
            "text": f"{advisory.product} {version} has {advisory.id} ({advisory.severity}): {advisory.what};"
            f" fixed in {advisory.fixed} ({advisory.source})",
        }
        for installed in _installed(graph, releases)
        for advisory, version in open_in(installed)
    ]
    return sorted(advisories_of_charts, key=lambda advisory: SEVERITIES.index(advisory["severity"]))


def _installed(graph: Graph, releases: list[dict[str, Any]]) -> Iterator[Mapping[str, str]]:
    """Charts by their version, and each image by its tag: one image may be there in several."""
    yield {chart_name(release["chart"]): str(release["version"]) for release in releases}
    for image in sorted(images(graph)):
        name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
        yield {name: tag.partition("-")[0]}


def unread(graph: Graph, releases: list[dict[str, Any]]) -> list[str]:
    """One line for each thing that the plan takes without its exact release having been read."""
    return [*_charts(releases), *_engines(graph)]


def _charts(releases: list[dict[str, Any]]) -> Iterator[str]:
    """A patch release of a known line is taken with the line's keys."""
    for installed in releases:
        name, version = chart_name(installed["chart"]), str(installed["version"])
        if (release := read_as(name, version)) and release.lstrip("v") != version.lstrip("v"):
            yield f"{name} {version}, judged by the keys of {release}"


def _engines(graph: Graph) -> Iterator[str]:
    """An engine's arguments and CUDA are read release by release."""
    for image in sorted(filter(projects_own, images(graph))):
        engine = vllm(image)
        if engine is None:
            yield f"what {image} takes"
        elif _drivers_are_the_nodes_own(graph):
            yield f"the nodes' driver: {image} needs {OLDEST_DRIVER[engine.cuda]} or later"


def _drivers_are_the_nodes_own(graph: Graph) -> bool:
    return (graph.profile or {}).get("driverOwner") != "operator"


def images(graph: Graph) -> set[str]:
    """Of every container that the program writes itself."""
    return {image for node in graph.resources for image in _images(node.inputs)}


def _images(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value)
        if isinstance(pairs.get("repository"), str) and isinstance(pairs.get("tag"), str):
            yield f"{pairs['repository']}:{pairs['tag']}"
        if isinstance(image := pairs.get("image"), str):
            yield image
        yield from (image for inner in pairs.values() for image in _images(inner))
    elif isinstance(value, list):
        yield from (image for inner in cast("list[object]", value) for image in _images(inner))
