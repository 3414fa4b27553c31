"""Charts and manifests that do what their text says: live keys, pinned versions."""

import re

from bedplate.charts import stated
from bedplate.components.chart_keys import dead_paths, known_versions
from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.release import Release
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, dig, flatten, text

Path = tuple[str, ...]

NIC_POLICY_KEYS = (
    *("deployCR", "ofedDriver", "rdmaSharedDevicePlugin", "sriovDevicePlugin", "secondaryNetwork", "nvIpam"),
    *("ibKubernetes", "nicFeatureDiscovery", "docaTelemetryService"),
)
NIC_POLICY_MOVED = (24, 10)
"""Since this version of the network operator its chart makes no NicClusterPolicy: Mellanox/network-operator 24.10.0."""

FLOATING_URL = re.compile(r"/(master|main|latest)(/|$)")
FLOATING_TAG = re.compile(r"latest|main|master|.*-devel")
RANGE = re.compile(r"[\^~*x<>|, ]")
GIT = re.compile(r"github\.com[/:].*")


def _dead(release: Release) -> list[Path]:
    found = list(dead_paths(release.chart, release.version, release.values))
    if release.chart == "network-operator" and release.numbers >= NIC_POLICY_MOVED and not found:
        found = [(key,) for key in NIC_POLICY_KEYS if key in release.values]
    return [path for path in found if dig(release.values, *path) is not UNKNOWN]


def _instead(chart: str, path: Path) -> str:
    if chart == "network-operator" and path[0] in NIC_POLICY_KEYS:
        return "Delete it and create the NicClusterPolicy nic-cluster-policy yourself"
    keys = [".".join(path[:end]) for end in range(len(path), 0, -1)]
    known = stated(chart, "instead.toml")
    hint = next((known[key] for key in keys if key in known), "")
    return f"Delete it and {hint}" if hint else f"Delete it; the keys that count are in {chart}'s values.yaml"


@rule("GPU-101", MANDATORY, on=Release)
def dead_chart_keys(release: Release, _: Facts) -> Complaints:
    """A value whose path the pinned chart's templates never read is a mistake: misspelt, moved or outdated.

    Subchart sections whose keys we have not checked and chart versions that we do not know are left alone.
    """
    for path in _dead(release):
        key = ".".join(path)
        yield Complaint(f"{key} has no effect in {release.chart} {release.version}", _instead(release.chart, path))


@rule("GPU-102", ADVISORY, on=("Release", "Chart", "ConfigFile", "ConfigGroup", "Directory", Pod))
def floating_sources(view: Resource | Pod, _: Facts) -> Complaints:
    """A chart names an exact version, a remote manifest a tag or commit, an image of a pod with GPUs a tag that stays.

    Charts from a folder or an archive carry their version with them. Images of other pods are for a general linter.
    """
    if isinstance(view, Pod):
        yield from _floating_images(view) if view.gpus else ()
    elif view.kind in {"Release", "Chart"}:
        yield from _floating_chart(Release(view))
    else:
        yield from _floating_manifests(view)


def _floating_manifests(resource: Resource) -> Complaints:
    for source in flatten([resource.at(key) for key in ("file", "files", "directory", "url")]):
        if FLOATING_URL.search(source) or (
            GIT.search(source) and resource.kind == "Directory" and "ref=" not in source
        ):
            yield f"{source} follows a branch"


def _floating_chart(release: Release) -> Complaints:
    reference = text(release.resource.at("chart"))
    version = release.resource.at("version")
    if not reference or reference.endswith(".tgz") or reference.startswith((".", "/")):
        return
    if version is None:
        yield f"chart {release.chart} has no version"
    elif RANGE.search(release.version):
        known = known_versions(release.chart)
        fix = f"Name an exact version, for example {known[-1]}" if known else ""
        yield Complaint(f"chart {release.chart} has the version range {release.version}", fix)


def _floating_images(pod: Pod) -> Complaints:
    for container in pod.all_containers:
        image = text(container.get("image"))
        tag = image.rsplit("/", 1)[-1].partition(":")[2]
        if image and "@" not in image and (not tag or FLOATING_TAG.fullmatch(tag)):
            what = (
                f"image {image} of container {text(container.get('name'))} has {f'the tag {tag}' if tag else 'no tag'}"
            )
            yield Complaint(what, "Pin a release tag, better a digest")
