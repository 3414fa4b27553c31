"""What has happened to a cluster between two looks at it, as the danger that a change was."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.components.quantity import amount
from bedplate.lab.cluster import Cluster
from bedplate.review.danger import Danger

KINDS = "pods,persistentvolumeclaims,persistentvolumes,namespaces,configmaps,resourcequotas,clusterqueues,localqueues"
WAYS = "services,endpointslices"
JOB = "bedplate/job"
"""The label of a team's pods."""
Names = Mapping[str, str]
"""Of each object what must stay as it is, mostly its UID."""


@dataclass(frozen=True)
class Seen:
    """One look."""

    jobs: Names
    """Pods of teams' jobs."""
    ours: Names
    """Every other pod."""
    data: Names
    """Claims whose volume goes with them, and what people wrote into their namespaces."""
    ways: Names
    """By service: its ports, and how many answer."""
    quotas: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By team or namespace and resource: the most that is admitted."""


def look(cluster: Cluster) -> Seen:
    """At all that runs, is kept or is promised."""
    found = json.loads(cluster.kubectl("get", f"{KINDS},{WAYS}", "--all-namespaces", "--output=json"))["items"]
    of = lambda kind: [one for one in found if one["kind"] == kind and alive(one)]  # noqa: E731
    pods = of("Pod")
    return Seen(
        _uids(one for one in pods if JOB in one["metadata"].get("labels", {})),
        _uids(one for one in pods if JOB not in one["metadata"].get("labels", {})),
        _uids((*_deletable(of), *(one for one in of("ConfigMap") if one["metadata"]["name"] == "kept-by-people"))),
        {place(one): f"{ports(one)} {_answering(one, of('EndpointSlice'))}" for one in of("Service") if _server(one)},
        dict(_quotas(of)),
    )


def alive(one: Mapping[str, Any]) -> bool:
    """Neither on its way out nor ended."""
    ended = one.get("status", {}).get("phase") in ("Succeeded", "Failed")
    return "deletionTimestamp" not in one["metadata"] and not (ended and one["kind"] == "Pod")


def place(one: Mapping[str, Any]) -> str:
    """Its kind, namespace and name."""
    metadata = one["metadata"]
    return f"{one['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


def _server(service: Mapping[str, Any]) -> bool:
    """A model server's: a job's goes with the job."""
    return service["metadata"].get("labels", {}).get("app.kubernetes.io/component") == "model-server"


def ports(service: Mapping[str, Any]) -> str:
    """Where clients knock."""
    return ",".join(str(port["port"]) for port in service["spec"].get("ports", ()))


def _answering(service: Mapping[str, Any], slices: list[Any]) -> bool:
    mine = (service["metadata"].get("namespace"), service["metadata"]["name"])
    owned = [
        one
        for one in slices
        if (one["metadata"]["namespace"], one["metadata"]["labels"].get("kubernetes.io/service-name")) == mine
    ]
    return any(one.get("endpoints") for one in owned)


def _uids(found: Any) -> Names:
    return {place(one): one["metadata"]["uid"] for one in found}


def _deletable(of: Callable[[str], list[Any]]) -> Iterator[Any]:
    """Claims whose volume has not the reclaim policy Retain."""
    policies = {one["metadata"]["name"]: one["spec"]["persistentVolumeReclaimPolicy"] for one in of("PersistentVolume")}
    for one in of("PersistentVolumeClaim"):
        if policies.get(one["spec"].get("volumeName", "")) == "Delete":
            yield one


def _quotas(of: Callable[[str], list[Any]]) -> Iterator[tuple[str, Any]]:
    """What the queues' controller and the API server say that they grant."""
    queues = {one["metadata"]["name"]: one for one in of("ClusterQueue") if _active(one)}
    for entrance in of("LocalQueue"):
        if queue := queues.get(entrance["spec"]["clusterQueue"]):
            for group in queue["spec"]["resourceGroups"]:
                for flavor in group["flavors"]:
                    for one in flavor["resources"]:
                        name = f"{place(entrance)} {flavor['name']} {one['name']}"
                        yield name, amount(str(one["nominalQuota"]))
                        yield (
                            f"{name} borrowed",
                            amount(str(one["borrowingLimit"])) if "borrowingLimit" in one else None,
                        )
    for one in of("ResourceQuota"):
        for name, most in one["status"].get("hard", {}).items():
            yield f"{place(one)} {name}", amount(most)


def _active(queue: Mapping[str, Any]) -> bool:
    told = queue.get("status", {}).get("conditions", ())
    return any(one["type"] == "Active" and one["status"] == "True" for one in told)


def happened(before: Seen, after: Seen, *, starts: bool) -> Danger:
    """The worst of it; `starts`: whether a job like those that run was started afterwards."""
    checks = (
        (Danger.LOSES_DATA, _gone(before.data, after.data)),
        (Danger.LOSES_QUOTA, _less(before.quotas, after.quotas)),
        (Danger.RELOADS, any(after.ways.get(name) != way for name, way in before.ways.items())),
        (Danger.EVICTS_JOBS, _gone(before.jobs, after.jobs) or not starts),
        (Danger.ROLLS_PODS, _gone(before.ours, after.ours)),
    )
    return next((danger for danger, so in checks if so), Danger.NOTHING)


def _gone(before: Names, after: Names) -> bool:
    return bool(set(before.values()) - set(after.values()))


def _less(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """None is no bound at all; what is absent is none."""
    return any(name not in after or _lowered(old, after[name]) for name, old in before.items())


def _lowered(old: Any, new: Any) -> bool:
    return new is not None and (old is None or new < old)
