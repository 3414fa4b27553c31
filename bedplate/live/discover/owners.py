"""Who runs what already: operators, schedulers, training, monitoring, by the labels that charts write on workloads.

Helm's own records are Secrets, and so not read.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from bedplate.charts import stated
from bedplate.cluster.objects import entries, labels, part, place
from bedplate.components.chart import Chart
from bedplate.components.kustomization import Manifests
from bedplate.components.platforms import PLATFORMS
from bedplate.live.kinds import DAEMON_SET, DEPLOYMENT, NODE, PROMETHEUS, STATEFUL_SET, STORAGE_CLASS, TOPOLOGY
from bedplate.live.reading import Observed

HOSTNAME = "kubernetes.io/hostname"
TOPOGRAPH = re.compile(r"^(fabric\.topograph\.run/tier-\d+|network\.topology\.nvidia\.com/.+)$")
COLLECTORS = ("gmp-system", "gke-gmp-system")
"""Where Google's managed Prometheus has its collectors."""
GCE = re.compile("^gce://([^/]+)/")
OURS = ("monitoring", "monitoring")
"""Namespace and release of our own Prometheus."""


class Mark(NamedTuple):
    """How a component is told: by its chart's label, or by the names of its workloads."""

    key: str
    """In the profile."""
    brings: Chart | Manifests
    workloads: tuple[str, ...]
    """As the chart or the project's manifests name them."""

    @property
    def chart(self) -> Chart | None:
        """None: its project has none."""
        return self.brings if isinstance(self.brings, Chart) else None


@cache
def marks() -> tuple[Mark, ...]:
    """Of every chart and kustomization that a cluster may have once, in the profile's order."""
    from bedplate.stacks.profile.charts import places  # noqa: PLC0415 - the whole profile comes with it
    from bedplate.stacks.profile.profile import Profile  # noqa: PLC0415

    return tuple(
        Mark(key, chart, tuple(stated(chart.name, "release.toml").get("workloads", ())))
        for key, chart in places(Profile)
        if key.partition(".")[0] not in TOLD_BY_OTHERS
    )


TOLD_BY_OTHERS = ("monitoring", "serving", "storage")
"""Sections that are written from other marks, or left to people."""
WITH_KIND = ("scheduling", "autoscaling")
"""Sections of which there is one, with a kind."""


def owners(observed: Observed, platform: str) -> dict[str, Any]:
    """Every section of what runs, at the version that runs where we know it."""
    sections: dict[str, Any] = {}
    there = {mark: version for mark in marks() if (version := _version(mark, observed)) is not None}
    for mark, version in there.items():
        section, _, below = mark.key.partition(".")
        pin = _pinned(mark.chart, version)
        if section in WITH_KIND:
            sections.setdefault(section, {"kind": below, **pin, **(_topology(below, observed, platform))})
        elif below:
            sections.setdefault(section, {})[below] = pin
        elif not PLATFORMS[platform].own_operators:
            sections[section] = pin
    return sections | _monitoring(observed)


def _version(mark: Mark, observed: Observed) -> str | None:
    """Its chart's version; empty where it runs and does not say."""
    for kind in (DEPLOYMENT, STATEFUL_SET, DAEMON_SET):
        for obj in observed.of(kind):
            label = labels(obj).get("helm.sh/chart", "")
            rest = label.removeprefix(f"{mark.brings.name}-")
            if mark.chart and rest != label and rest.lstrip("v")[:1].isdigit():
                return rest.replace("_", "+")
            if place(obj)[1] in mark.workloads:
                return ""
    return None


def _pinned(chart: Chart | None, version: str) -> dict[str, str]:
    """The version that runs, where it is one that we know and not the pin: an `up` shall not upgrade by the way."""
    return {"version": version} if chart and version and version != chart.version and chart.knows(version) else {}


def _topology(kind: str, observed: Observed, platform: str) -> dict[str, Any]:
    """Levels by which Kueue packs: of its own objects, or of labels that nodes have; a cloud's follow by themselves."""
    if kind != "kueue" or PLATFORMS[platform].network_labels:
        return {}
    topology: list[list[str]] = [
        [level["nodeLabel"] for level in entries(obj, "spec", "levels")] for obj in observed.of(TOPOLOGY)
    ]
    levels = [name for name in max([[], *topology], key=len) if name != HOSTNAME]
    if not observed.of(TOPOLOGY):
        levels = sorted({label for node in observed.of(NODE) for label in labels(node) if TOPOGRAPH.match(label)})[::-1]
    return {"topology": {"levels": levels}} if levels else {}


def _monitoring(observed: Observed) -> dict[str, Any]:
    """A Prometheus with its operator: ours by its release, else the site's, with the labels that it selects."""
    for kind in (DEPLOYMENT, STATEFUL_SET):
        for obj in observed.of(kind):
            notes = part(obj, "metadata", "annotations")
            release = notes.get("meta.helm.sh/release-namespace"), notes.get("meta.helm.sh/release-name")
            if release == OURS and labels(obj).get("helm.sh/chart", "").startswith("kube-prometheus-stack-"):
                return {"monitoring": {"kind": "stack"}}
    for obj in observed.of(PROMETHEUS):
        home = place(obj)[0]
        chosen = dict(part(obj, "spec", "serviceMonitorSelector", "matchLabels"))
        url = f"http://prometheus-operated.{home}.svc:9090"
        section = {"kind": "existing", "namespace": home, "url": url}
        return {"monitoring": section | ({"labels": chosen} if chosen else {})}
    return _google(observed)


def _google(observed: Observed) -> dict[str, Any]:
    """Google's collectors, which are on most of GKE's clusters: taken for the Prometheus where there is no other."""
    homes = [place(obj)[0] for obj in observed.of(DAEMON_SET) if place(obj)[1] == "collector"]
    ids = (GCE.match(str(part(node, "spec").get("providerID", ""))) for node in observed.of(NODE))
    project = next((match[1] for match in ids if match), None)
    home = next((home for home in homes if home in COLLECTORS), None)
    return {"monitoring": {"kind": "google", "project": project, "namespace": home}} if home and project else {}


def unsure(sections: Mapping[str, Any], observed: Observed) -> Iterator[str]:
    """What is there, and is left to you."""
    if classes := [place(obj)[1] for obj in observed.of(STORAGE_CLASS)]:
        yield f"storage: the site's classes are {', '.join(sorted(classes))}; name those for volumes, with their kind"
    if observed.of(NODE) and "scheduling" not in sections:
        yield "scheduling: no Kueue, Volcano or KAI runs; jobs start pod by pod unless you choose one"
    for mark in marks():
        version, chart = _version(mark, observed), mark.chart
        if version and chart and version != chart.version and not chart.knows(version):
            yield f"{mark.key}.version: {version} runs, a line that we do not know; {chart.version} would be installed"
