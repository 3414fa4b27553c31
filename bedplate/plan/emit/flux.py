"""For Flux: a Kustomization a wave, which waits for its HelmReleases, objects and gates, and for the wave before.

HelmReleases stand in Flux's own namespace, and their Helm releases where Bedplate has them: whoever changes over finds
the same release there. Read in helm-controller v1.6.3, kustomize-controller v1.9.4 and source-controller v1.9.1.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.plan.emit.conditions import Gate
from bedplate.plan.emit.place import File, Place, below, kustomization
from bedplate.plan.emit.waves import Chart, Delivery, Wave, annotated, kept
from bedplate.plan.to_yaml import to_yaml

NAMESPACE = "flux-system"
BOOTSTRAPPED = {"kind": "GitRepository", "name": NAMESPACE}
"""What `flux bootstrap` makes of the repository that it was given."""
INTERVAL = "1h"
RETRY = "2m"
LAYER = {"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "operation": "copy"}
"""Of a chart in a registry."""
KEPT = {"kustomize.toolkit.fluxcd.io/prune": "disabled"}
MERGED = {"kustomize.toolkit.fluxcd.io/ssa": "Merge", **KEPT}
"""A part of somebody else's object: its other fields stay, and so does it."""


def files(delivery: Delivery, place: Place) -> Iterator[File]:
    """What is to stand in git; by `kustomization.yaml` whoever syncs the whole tree does not apply all at once."""
    source, documents = _source(delivery.graph.stack, place)
    before: list[str] = []
    for wave in delivery.waves:
        built = {f"{_title(delivery, wave)}-{node.name}": node for node in wave.kustomizations}
        for node in built.values():
            yield from kustomization(node)
        for name, document in _contents(wave):
            yield f"{wave.number:02}/{name}.yaml", to_yaml(document)
        folders = {name: below(node) for name, node in built.items()}
        if wave.charts or wave.objects or wave.patches:
            folders[_title(delivery, wave)] = f"{wave.number:02}"
        documents += [_kustomization(name, place.at("flux", at), source, wave, before) for name, at in folders.items()]
        before = list(folders)
    yield "waves.yaml", "---\n".join(map(to_yaml, documents))
    yield "kustomization.yaml", to_yaml({"resources": ["waves.yaml"]})


def lost(delivery: Delivery) -> Iterator[str]:
    """What is said of Flux alone: nothing."""
    del delivery
    yield from ()


def _title(delivery: Delivery, wave: Wave) -> str:
    return f"{delivery.graph.stack}-{wave.number:02}"


def _source(stack: str, place: Place) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    if not place.repository:
        return BOOTSTRAPPED, []
    spec = {"interval": "1m", "url": place.repository, "ref": {"branch": place.revision}}
    return {"kind": "GitRepository", "name": stack}, [
        _object("source.toolkit.fluxcd.io/v1", "GitRepository", stack, spec)
    ]


def _object(version: str, kind: str, name: str, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def _kustomization(name: str, path: str, source: Mapping[str, Any], wave: Wave, before: list[str]) -> Mapping[str, Any]:
    limits = (wave.timeout, *(chart.timeout for chart in wave.charts))
    spec = {
        "interval": INTERVAL,
        "retryInterval": RETRY,
        "timeout": f"{max(limits)}s",
        "path": f"./{path}",
        "prune": True,
        "wait": True,
        "sourceRef": source,
        "dependsOn": [{"name": one} for one in before],
        "healthCheckExprs": _checks(wave.gates),
    }
    stated = {key: value for key, value in spec.items() if value}
    return _object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", name, stated)


def _checks(gates: tuple[Gate, ...]) -> list[Mapping[str, Any]]:
    """One a kind, as Flux looks at all objects of a kind by one expression."""
    kinds = dict.fromkeys(gate.kind for gate in gates)
    return [
        {
            "apiVersion": version,
            "kind": kind,
            "current": " && ".join(_of(gate) for gate in gates if gate.kind == (version, kind)),
        }
        for version, kind in kinds
    ]


def _of(gate: Gate) -> str:
    metadata = gate.document["metadata"]
    names = [f"metadata.{key} != '{metadata[key]}'" for key in ("name", "namespace") if key in metadata]
    return f"({' || '.join(names)} || ({' && '.join(one.cel() for one in gate.conditions)}))"


def _contents(wave: Wave) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for chart in wave.charts:
        source = _chart_source(chart)
        yield f"chart-{chart.name}", source
        yield f"release-{chart.name}", kept(chart, _release(chart, source), KEPT)
    objects = (kept(one, one.document, KEPT) for one in wave.objects)
    parts = (annotated(patch.document, MERGED) for patch in wave.patches)
    for number, document in enumerate((*objects, *parts)):
        yield f"{number:03}-{document['kind']}".lower(), document


def _chart_source(chart: Chart) -> Mapping[str, Any]:
    if chart.repository:
        spec = {"interval": INTERVAL, "url": chart.repository}
        return _object("source.toolkit.fluxcd.io/v1", "HelmRepository", chart.name, spec)
    spec = {"interval": INTERVAL, "url": chart.chart, "ref": {"tag": chart.version}, "layerSelector": LAYER}
    return _object("source.toolkit.fluxcd.io/v1", "OCIRepository", chart.name, spec)


def _release(chart: Chart, source: Mapping[str, Any]) -> Mapping[str, Any]:
    named = {"kind": source["kind"], "name": chart.name}
    of = {"chart": {"spec": {"chart": chart.chart, "version": chart.version, "sourceRef": named}}}
    crds = "CreateReplace" if chart.brings_crds else "Skip"
    action = {"crds": crds, "strategy": {"name": "RetryOnFailure"}}
    spec = {
        "interval": INTERVAL,
        "timeout": f"{chart.timeout}s",
        "releaseName": chart.name,
        "targetNamespace": chart.namespace,
        "storageNamespace": chart.namespace,
        **(of if chart.repository else {"chartRef": named}),
        "maxHistory": 5,
        "install": action,
        "upgrade": {**action, "cleanupOnFail": True},
        "values": chart.values,
    }
    return _object("helm.toolkit.fluxcd.io/v2", "HelmRelease", chart.name, spec)
