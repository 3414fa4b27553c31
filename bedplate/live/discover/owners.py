"""Who runs what already: operators, schedulers, training, monitoring, by the labels that charts write on workloads.

Helm's own records are Secrets, and so not read.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bedplate.components.chart import Chart
from bedplate.components.platforms import PLATFORMS
from bedplate.live.discover.asked import PROMETHEUS, TOPOLOGY
from bedplate.live.kinds import DAEMON_SET, DEPLOYMENT, NODE, STATEFUL_SET, STORAGE_CLASS
from bedplate.live.reading import Seen, entries, labels, part, place

HOSTNAME = "kubernetes.io/hostname"
TOPOGRAPH = re.compile(r"^(fabric\.topograph\.run/tier-\d+|network\.topology\.nvidia\.com/.+)$")
COLLECTORS = ("gmp-system", "gke-gmp-system")
"""Where Google's managed Prometheus has its collectors."""
GCE = re.compile("^gce://([^/]+)/")
OURS = ("monitoring", "monitoring")
"""Namespace and release of our own Prometheus."""


class Mark(NamedTuple):
    """How a component is told: its chart's name, or the names of its workloads where it has no chart."""

    key: str
    chart: str
    names: tuple[str, ...] = ()


MARKS = (
    Mark("nfd", "node-feature-discovery", ("nfd-master", "nfd-worker", "node-feature-discovery-master")),
    Mark("networkOperator", "network-operator", ("nvidia-network-operator-controller-manager",)),
    Mark("gpuOperator", "gpu-operator", ("gpu-operator",)),
    Mark("efaDevicePlugin", "aws-efa-k8s-device-plugin"),
    Mark("whereabouts", "whereabouts-chart", ("whereabouts",)),
    Mark("multus", "", ("kube-multus-ds",)),
    Mark("draDriver", "nvidia-dra-driver-gpu"),
    Mark("training.jobset", "jobset", ("jobset-controller-manager",)),
    Mark("training.trainer", "kubeflow-trainer", ("kubeflow-trainer-controller-manager",)),
    Mark("training.trainingOperator", "", ("training-operator",)),
    Mark("training.mpiOperator", "", ("mpi-operator",)),
    Mark("training.kuberay", "kuberay-operator", ("kuberay-operator",)),
    Mark("training.leaderWorkerSet", "lws", ("lws-controller-manager",)),
    Mark("scheduling.kueue", "kueue", ("kueue-controller-manager",)),
    Mark("scheduling.volcano", "volcano", ("volcano-scheduler",)),
    Mark("scheduling.kai", "kai-scheduler", ("kai-operator", "kai-scheduler")),
    Mark("autoscaling.keda", "keda", ("keda-operator",)),
    Mark("autoscaling.prometheus-adapter", "prometheus-adapter", ("prometheus-adapter",)),
)
"""Names of workloads as the charts and the projects' manifests give them."""
WITH_KIND = ("scheduling", "autoscaling")
"""Sections of which there is one, with a kind."""


def owners(seen: Seen, platform: str) -> dict[str, Any]:
    """Every section of what runs, at the version that runs where we know it."""
    found: dict[str, Any] = {}
    there = {mark.key: version for mark in MARKS if (version := _version(mark, seen)) is not None}
    for key, version in there.items():
        section, _, below = key.partition(".")
        stated = _pinned(key, version)
        if section in WITH_KIND:
            found.setdefault(section, {"kind": below, **stated, **(_topology(below, seen, platform))})
        elif below:
            found.setdefault(section, {})[below] = stated
        elif not PLATFORMS[platform].own_operators:
            found[section] = stated
    return found | _monitoring(seen)


def _version(mark: Mark, seen: Seen) -> str | None:
    """Its chart's version; empty where it runs and does not say."""
    for kind in (DEPLOYMENT, STATEFUL_SET, DAEMON_SET):
        for one in seen.of(kind):
            label = labels(one).get("helm.sh/chart", "")
            rest = label.removeprefix(f"{mark.chart}-")
            if mark.chart and rest != label and rest.lstrip("v")[:1].isdigit():
                return rest.replace("_", "+")
            if place(one)[1] in mark.names:
                return ""
    return None


def _charts() -> Mapping[str, Chart]:
    from bedplate.stacks.profile.charts import installable  # noqa: PLC0415 - the whole profile comes with it
    from bedplate.stacks.profile.profile import Profile  # noqa: PLC0415

    return {one.name: one for one in installable(Profile).values() if isinstance(one, Chart)}


def _pinned(key: str, version: str) -> dict[str, str]:
    """The version that runs, where it is one that we know and not the pin: an `up` shall not upgrade by the way."""
    chart = _charts().get(next(mark.chart for mark in MARKS if mark.key == key))
    return {"version": version} if chart and version and version != chart.version and chart.knows(version) else {}


def _topology(kind: str, seen: Seen, platform: str) -> dict[str, Any]:
    """Levels by which Kueue packs: of its own objects, or of labels that nodes have; a cloud's follow by themselves."""
    if kind != "kueue" or PLATFORMS[platform].network_labels:
        return {}
    stated: list[list[str]] = [
        [level["nodeLabel"] for level in entries(one, "spec", "levels")] for one in seen.of(TOPOLOGY)
    ]
    levels = [name for name in max([[], *stated], key=len) if name != HOSTNAME]
    if not seen.of(TOPOLOGY):
        levels = sorted({label for node in seen.of(NODE) for label in labels(node) if TOPOGRAPH.match(label)})[::-1]
    return {"topology": {"levels": levels}} if levels else {}


def _monitoring(seen: Seen) -> dict[str, Any]:
    """A Prometheus with its operator: ours by its release, else the site's, with the labels that it selects."""
    for kind in (DEPLOYMENT, STATEFUL_SET):
        for one in seen.of(kind):
            notes = part(one, "metadata", "annotations")
            release = notes.get("meta.helm.sh/release-namespace"), notes.get("meta.helm.sh/release-name")
            if release == OURS and labels(one).get("helm.sh/chart", "").startswith("kube-prometheus-stack-"):
                return {"monitoring": {"kind": "stack"}}
    for one in seen.of(PROMETHEUS):
        home = place(one)[0]
        chosen = dict(part(one, "spec", "serviceMonitorSelector", "matchLabels"))
        url = f"http://prometheus-operated.{home}.svc:9090"
        stated = {"kind": "existing", "namespace": home, "url": url}
        return {"monitoring": stated | ({"labels": chosen} if chosen else {})}
    return _google(seen)


def _google(seen: Seen) -> dict[str, Any]:
    """Google's collectors, which are on most of GKE's clusters: taken for the Prometheus where there is no other."""
    homes = [place(one)[0] for one in seen.of(DAEMON_SET) if place(one)[1] == "collector"]
    ids = (GCE.match(str(part(node, "spec").get("providerID", ""))) for node in seen.of(NODE))
    project = next((found[1] for found in ids if found), None)
    home = next((home for home in homes if home in COLLECTORS), None)
    return {"monitoring": {"kind": "google", "project": project, "namespace": home}} if home and project else {}


def unsure(found: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    """What is there, and is left to you."""
    if classes := [place(one)[1] for one in seen.of(STORAGE_CLASS)]:
        yield f"storage: the site's classes are {', '.join(sorted(classes))}; name those for volumes, with their kind"
    if any(one for one in seen.of(NODE)) and "scheduling" not in found:
        yield "scheduling: no Kueue, Volcano or KAI runs; jobs start pod by pod unless you choose one"
    for mark in MARKS:
        version, chart = _version(mark, seen), _charts().get(mark.chart)
        if version and chart and version != chart.version and not chart.knows(version):
            yield f"{mark.key}.version: {version} runs, a line that we do not know; {chart.version} would be installed"
