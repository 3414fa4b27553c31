"""What a file of `tests/attacks/` asks of an API server: its acts as requests, in the words of a cluster."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from bedplate.components.facts import Facts
from bedplate.components.tenancy.network_guards import rail_names
from bedplate.components.workload.contract import QUEUE_KEYS
from tests.api_server import Request
from tests.cluster.attacks import HOME, SMALL, app, batch, cron, job_set, pod, template

Object = Mapping[str, Any]
GPU = "nvidia.com/gpu"
ACTS = ("create", "patch", "delete")
USERS = {
    "member": ("ada", HOME, "system:authenticated"),
    "controller": ("system:serviceaccount:operators:controller", "system:masters"),
    "own account": (f"system:serviceaccount:{HOME}:default", f"system:serviceaccounts:{HOME}", "system:masters"),
    "argo": ("system:serviceaccount:argocd:argocd-application-controller", "system:masters"),
    "openshift": ("system:serviceaccount:gitops:openshift-gitops-argocd-application-controller", "system:masters"),
    "flux": ("system:serviceaccount:flux-system:kustomize-controller", "system:masters"),
}
"""Name and groups by what a file says in `as`."""


def requests(document: Object, team: str, gpu: str) -> Iterator[Request]:
    """One, or for each of the objects that an act on all of a kind meets; team and GPUs in the place of the lab's.

    GPUs as a resource alone: the taint of their nodes has the same key whatever they are cut into.
    """
    asks = json.dumps({**document, "who": USERS[document.get("as", "member")]})
    one: dict[str, Any] = json.loads(asks.replace(HOME, team).replace(f'"{GPU}":', f'"{gpu}":'))
    given = {(_plural(each["kind"]), each["metadata"]["name"]): each for each in one.get("given", ())}
    who = {"username": one["who"][0], "groups": one["who"][1:]}
    if new := one.get("create"):
        yield _request("create", new, team, who, new=new)
    elif asked := one.get("patch"):
        plural = asked["resource"].partition(".")[0]
        old = given[plural, asked["name"]]
        below = f"/{asked['subresource']}" if "subresource" in asked else ""
        yield _request("patch", old, team, who, below, new=patched(old, asked["with"]), old=old)
    else:
        yield from _deletions(one["delete"], given, team, who)


def _deletions(asked: Object, given: Mapping[tuple[str, str], Object], team: str, who: Object) -> Iterator[Request]:
    plural, _, name = asked["path"].partition(f"/namespaces/{team}/")[2].partition("/")
    options = {key: _value(text) for key, text in parse_qsl(asked.get("options", ""))}
    for (kind, called), old in given.items():
        if kind == plural and name in {called, ""}:
            yield _request("delete" if name else "deletecollection", old, team, who, old=old, options=options)


def _request(verb: str, of: Object, team: str, who: Object, below: str = "", **more: Any) -> Request:
    group, _, version = of["apiVersion"].rpartition("/")
    return Request(verb, group, version, f"{_plural(of['kind'])}{below}", team, user=who, **more)


def patched(one: Any, change: Any) -> Any:
    """By a merge patch (RFC 7386)."""
    if not isinstance(change, Mapping):
        return copy.deepcopy(change)
    made = dict(one) if isinstance(one, Mapping) else {}
    for key, value in change.items():
        made[key] = None if value is None else patched(made.get(key), value)
    return {key: value for key, value in made.items() if value is not None}


NEEDS: Mapping[str, Callable[[Facts], bool]] = {
    "": bool,
    "rails": lambda facts: bool(rail_names(facts)),
    "node networks": lambda facts: bool(facts.fabric.node_networks),
    "taint": lambda facts: all([taint["key"] for taint in pool.taints] == [GPU] for pool in facts.gpu_pools),
}


def makes_sense(document: Object, facts: Facts) -> bool:
    """On such a cluster."""
    return NEEDS[document.get("needs", "")](facts)


def fitted(document: Object, facts: Facts) -> Object:
    """As it is written for a cluster: its names, and what it asks of whatever takes GPUs where a file says `queued`."""
    for network in facts.fabric.node_networks[:1]:
        document = json.loads(json.dumps(document).replace("$network", network))
    if "queued" not in document:
        return document
    made = copy.deepcopy(document["create"])
    pool = next(iter(facts.gpu_pools), None)
    for spec in _pod_specs(made):
        spec["tolerations"] = [{"key": one["key"], "operator": "Exists"} for one in (pool.taints if pool else ())]
        if facts.scheduler.name:
            spec["schedulerName"] = facts.scheduler.name
    key = QUEUE_KEYS.get(facts.scheduler.kind)
    labels = {**made["metadata"].get("labels", {}), **({key: facts.teams[0].queue} if key else {})}
    return {**document, "create": {**made, "metadata": {**made["metadata"], "labels": labels}}}


def _pod_specs(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield value
        for one in value.values():
            yield from _pod_specs(one)
    elif isinstance(value, list):
        for one in value:
            yield from _pod_specs(one)


def spread(entry: Object) -> Iterator[tuple[str, Object]]:
    """An entry that says only what of a pod is its own: a whole document for each kind of `in`, by the kind."""
    if "pod" not in entry:
        yield entry[next(act for act in ACTS if act in entry)].get("kind", "changed"), entry
        return
    rest = {key: value for key, value in entry.items() if key not in ("pod", "in")}
    for kind in entry.get("in", ["Pod"]):
        yield kind, {**rest, "create": _within(kind, _template(entry["pod"]))}


def _template(own: Object) -> dict[str, Any]:
    made = patched(template(), own)
    for one in (*made["spec"]["containers"], *made["spec"].get("initContainers", ())):
        one.setdefault("resources", {"limits": dict(SMALL)})
    return made


def _within(kind: str, own: dict[str, Any]) -> dict[str, Any]:
    one = SHAPES[kind]("attack")
    if kind == "Pod":
        return {**one, "metadata": {**own["metadata"], **one["metadata"]}, "spec": own["spec"]}
    holder = one["spec"]
    if kind == "CronJob":
        holder = holder["jobTemplate"]["spec"]
    if kind == "JobSet":
        holder = holder["replicatedJobs"][0]["template"]["spec"]
    if kind in ("Deployment", "StatefulSet"):
        own["spec"].pop("restartPolicy")
    holder["template"] = own
    return one


SHAPES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "Pod": pod,
    "Job": batch,
    "CronJob": cron,
    "JobSet": job_set,
    "Deployment": partial(app, "Deployment"),
    "StatefulSet": partial(app, "StatefulSet"),
}


def _value(text: str) -> Any:
    return json.loads(text) if text.isdecimal() or text in ("true", "false") else text


def _plural(kind: str) -> str:
    return f"{kind.lower()}s"
