"""For Argo CD: an Application a release, and one a wave for its objects, in sync waves below one that holds them all.

What waits for a status is a health check of its kind, which Argo CD reads from its own ConfigMap (`argocd-cm.yaml`);
so is the health of an Application, without which its waves would not wait (docs/operator-manual/health.md of v3.5.1).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.plan.emit.conditions import Gate
from bedplate.plan.emit.place import File, Place, below, kustomization
from bedplate.plan.emit.waves import Chart, Delivery, kept
from bedplate.plan.to_yaml import to_yaml

NAMESPACE = "argocd"
HERE = "in-cluster"
"""What Argo CD calls the cluster that it runs on."""
WAVE = "argocd.argoproj.io/sync-wave"
KEPT = {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"}
CHECK = "resource.customizations.health."
SYNC = {
    "automated": {"prune": True, "selfHeal": True},
    "retry": {"limit": -1, "backoff": {"duration": "30s", "factor": 2, "maxDuration": "10m"}},
    "syncOptions": ["ServerSideApply=true"],
}
APPLICATION = """\
if obj.status ~= nil and obj.status.health ~= nil then
  return {status = obj.status.health.status, message = obj.status.health.message or ""}
end
return {status = "Progressing", message = "not looked at yet"}
"""
AT = """\
local function at(place, path)
  for _, step in ipairs(path) do
    if type(place) ~= "table" then return nil end
    local found = nil
    if type(step) == "table" then
      for _, each in ipairs(place) do
        if each[step.by] == step.of then found = each end
      end
    else
      found = place[step]
    end
    place = found
  end
  return place
end
"""
"""What stands at a path of an object, or nothing."""


def files(delivery: Delivery, place: Place) -> Iterator[File]:
    """All that is to stand in git."""
    stack = delivery.graph.stack
    for wave in delivery.waves:
        for chart in wave.charts:
            name = f"{stack}-{chart.name}"
            application = _application(name, _chart(chart), wave.number, chart.namespace)
            yield f"applications/{name}.yaml", to_yaml(kept(chart, application, KEPT))
        folders = {f"{stack}-{wave.number:02}-{node.name}": below(node) for node in wave.kustomizations}
        for node in wave.kustomizations:
            yield from kustomization(node)
        if wave.objects:
            folders[f"{stack}-{wave.number:02}"] = f"{wave.number:02}"
        for number, one in enumerate(wave.objects):
            name = f"{wave.number:02}/{number:03}-{one.document['kind']}.yaml"
            yield name.lower(), to_yaml(kept(one, one.document, KEPT))
        for name, folder in folders.items():
            application = _application(name, _git(place, folder), wave.number)
            yield f"applications/{name}.yaml", to_yaml(application)
    yield "root.yaml", to_yaml(_application(stack, _git(place, "applications")))
    yield "argocd-cm.yaml", to_yaml({"data": checks(delivery)})


def lost(delivery: Delivery) -> Iterator[str]:
    """An object has one Application: what we set of a chart's objects beside it would be taken back."""
    for wave in delivery.waves:
        gates = [gate.document for gate in wave.gates]
        for document in (patch.document for patch in wave.patches):
            if document not in gates:
                yield f"patch: {document['kind']} {document['metadata']['name']} stays as its chart makes it"


def checks(delivery: Delivery) -> Mapping[str, str]:
    """A health check for each kind that a gate waits for."""
    gates = [gate for wave in delivery.waves for gate in wave.gates]
    kinds = dict.fromkeys(gate.kind for gate in gates)
    own = {_key(*kind): _check([gate for gate in gates if gate.kind == kind]) for kind in kinds}
    return {f"{CHECK}argoproj.io_Application": APPLICATION, **own}


def _key(version: str, kind: str) -> str:
    group = version.rpartition("/")[0]
    return CHECK + (f"{group}_{kind}" if group else kind)


def _check(gates: list[Gate]) -> str:
    """Lua: objects that no gate names are healthy."""
    return AT + "".join(map(_step, gates)) + 'return {status = "Healthy"}\n'


def _step(gate: Gate) -> str:
    metadata = gate.document["metadata"]
    named = [f'obj.metadata.{key} == "{metadata[key]}"' for key in ("name", "namespace") if key in metadata]
    done = "\n  and ".join(condition.lua() for condition in gate.conditions)
    waiting = f'return {{status = "Progressing", message = "{gate.name} waits"}}'
    return f"if {' and '.join(named)} and not ({done}) then\n  {waiting}\nend\n"


def _application(name: str, source: Mapping[str, Any], wave: int = 0, namespace: str = "") -> Mapping[str, Any]:
    metadata = {"name": name, "namespace": NAMESPACE, "annotations": {WAVE: str(wave)}}
    destination = {"name": HERE, **({"namespace": namespace} if namespace else {})}
    spec = {"project": "default", "destination": destination, "source": source, "syncPolicy": SYNC}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}


def _git(place: Place, folder: str) -> Mapping[str, Any]:
    return {"repoURL": place.repository, "targetRevision": place.revision, "path": place.at("argocd", folder)}


def _chart(chart: Chart) -> Mapping[str, Any]:
    """Out of a repository by its name; out of a registry by its whole address (docs/user-guide/oci.md of v3.5.1)."""
    helm = {"releaseName": chart.name, "skipCrds": not chart.brings_crds, "valuesObject": chart.values}
    if chart.repository:
        place = {"repoURL": chart.repository, "chart": chart.chart}
    else:
        place = {"repoURL": chart.chart, "path": "."}
    return {**place, "targetRevision": chart.version, "helm": helm}
