"""Every container image that a plan can bring onto a cluster: for a mirror that must miss none.

Of a release, what its chart pulls with the plan's values (`components/chart_images.py`); of a kustomization, what its
manifests name; of everything else, what the plan itself declares. The list may hold an image that this cluster does
not start; it must not lack one that it does, and it says what it could not look at.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bedplate import charts
from bedplate.components.chart_images import FILE, pulled, read_by, spelt
from bedplate.components.chart_keys import chart_name
from bedplate.components.facts import Facts
from bedplate.components.image_digests import whole
from bedplate.components.workload.clouds import DAEMON
from bedplate.plan.answers import KUSTOMIZATION, RELEASE
from bedplate.plan.graph import Graph
from bedplate.plan.summary import resources
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile

from .reference import Named, named

SYSTEMS: Mapping[str, tuple[str, ...]] = {"ubuntu": ("ubuntu22.04", "ubuntu24.04")}
"""Ends of a driver container's tag by the nodes' system, where the profile's `nodeOs` leaves but a few
(NVIDIA/gpu-driver-container; controllers/state_manager.go of the GPU Operator: name and version)."""
PRECOMPILED = "its driver is precompiled, so each tag ends with the nodes' kernel and system"


@dataclass(frozen=True)
class Nodes:
    """What tags of drivers end with."""

    system: str
    """As the profile says it: `ubuntu`."""
    stated: tuple[str, ...] = ()
    """As the tags say it: `ubuntu24.04`; by default what the profile's leaves."""
    architectures: tuple[str, ...] = ("amd64",)

    @property
    def ends(self) -> tuple[str, ...]:
        """Every end that a driver's tag may have."""
        return self.stated or SYSTEMS.get(self.system, ())


@dataclass
class Images:
    """The list."""

    found: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Whole references, and who pulls each."""
    unknown: list[str] = field(default_factory=list[str])
    """What could not be looked at, and why."""

    def add(self, image: str, of: str) -> None:
        """Once, however many pull it."""
        if of not in (owners := self.found.setdefault(whole(image), [])):
            owners.append(of)


def images(graph: Graph, systems: tuple[str, ...]) -> Images:
    """Of everything that is planned; `systems` are those of the nodes that the user states."""
    profile = load(graph.profile or {})
    cluster = facts(profile)
    architectures = tuple(sorted({pool.arch for pool in cluster.gpu_pools})) or ("amd64",)
    nodes = Nodes(cluster.node_os, systems, architectures)
    return of_plan(resources(graph), nodes, _besides(profile, cluster))


def _besides(profile: Profile, cluster: Facts) -> dict[str, str]:
    """Images that jobs bring, by who brings them: the checks' own, and the daemon beside every pod of a fabric."""
    verification = {profile.verification.image: "bedplate verify"} if profile.verification else {}
    daemon = {DAEMON: "pods on the fabric: GPUDirect-TCPXO's daemon"} if cluster.fabric.kind == "tcpxo" else {}
    return {**verification, **daemon}


def of_plan(planned: Iterable[Mapping[str, Any]], nodes: Nodes, besides: Mapping[str, str] | None = None) -> Images:
    """Of resources as `graph.json` has them; `besides` is what only jobs bring, with who they are."""
    made = Images()
    for resource in planned:
        for image, of in _of(resource, made.unknown):
            _add(made, image, of, nodes)
    for image, of in (besides or {}).items():
        made.add(image, of)
    return Images(dict(sorted(made.found.items())), list(dict.fromkeys(made.unknown)))


def _of(container: Mapping[str, Any], unknown: list[str]) -> Iterator[tuple[Named, str]]:
    """Images of one resource with their owner."""
    kind = str(container["type"])
    if kind == RELEASE:
        yield from _of_release(container["inputs"], unknown)
    elif kind == KUSTOMIZATION:
        yield from _of_bundle(str(container["name"]), str(container["inputs"].get("directory", "")), unknown)
    else:
        of = f"{kind.rpartition(':')[2].removesuffix('Patch')} {container['name']}"
        yield from ((image, of) for image in named(container["inputs"]))


def _of_release(inputs: Mapping[str, Any], unknown: list[str]) -> Iterator[tuple[Named, str]]:
    version = str(inputs.get("version"))
    chart = chart_name(str(inputs.get("chart", "")))
    name, values = f"{chart}-{version}", cast("dict[str, Any]", inputs.get("values") or {})
    release = spelt(chart, version)
    kept = pulled(chart, release, values)
    if kept is None:
        unknown.append(f"chart {name}: no list of its images is kept here; `helm template` shows them")
    if values.get("driver", {}).get("usePrecompiled"):
        unknown.append(f"chart {name}: {PRECOMPILED}")
    of = f"chart {name}"
    yield from ((Named(image.image, "gpu" if image.system else ""), of) for image in kept or ())
    yield from ((image, of) for image in named(_rest(values, read_by(chart, release))))


def _rest(value: object, read: frozenset[str], above: str = "") -> object:
    """Values without those that the kept list has read: they have moved its images already."""
    if not isinstance(value, dict):
        return value
    held = cast("dict[str, object]", value)
    paths = {key: f"{above}.{key}" if above else key for key in held}
    return {key: _rest(held[key], read, path) for key, path in paths.items() if path not in read}


def _of_bundle(name: str, directory: str, unknown: list[str]) -> Iterator[tuple[Named, str]]:
    """By its name, and by the release that the folder's own name holds where several are known."""
    release = charts.of_folder(name, FILE, directory)
    if not release:
        unknown.append(f"{name}: no list of its images is kept here; `kubectl kustomize {directory}` shows them")
        return
    yield from ((Named(image.image), f"{name}-{release}") for image in pulled(name, release, {}) or ())


def _add(images: Images, named: Named, of: str, nodes: Nodes) -> None:
    """A driver's image is one for each system, and DOCA-OFED's for each architecture as well."""
    if not named.system or "@" in named.image:
        images.add(named.image, of)
        return
    if not nodes.ends:
        images.unknown.append(
            f"{named.image}: its tag ends with the nodes' system and its version, and nodeOs is {nodes.system}; "
            "--node-os says it, such as --node-os rhel9"
        )
    for end in nodes.ends:
        for arch in nodes.architectures if named.system == "nic" else ("",):
            images.add(f"{named.image}-{end}" + (f"-{arch}" if arch else ""), of)
