"""What stands around the pods of any server: Deployment, Service, budget and monitor."""

from collections.abc import Mapping
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.marks import marks
from bedplate.components.observability.google import pod_monitoring
from bedplate.components.observability.own_series import DROPPED
from bedplate.components.serving.pod import labels
from bedplate.components.serving.server import Server

PULL, MARGIN = 1800, 300
LEADER = {"leaderworkerset.sigs.k8s.io/worker-index": "0"}
"""The one pod of a group that answers requests."""


def metadata(server: Server, **more: object) -> dict[str, Any]:
    """The server's name, place and labels."""
    return {"name": server.name, "namespace": server.namespace, "labels": labels(server), **more}


def whole(
    server: Server, api: str, kind: str, spec: Mapping[str, Any], notes: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """An object of the server's, with its name, and `notes` as annotations."""
    place = metadata(server, **marks(annotations=notes or {}))
    return {"apiVersion": api, "kind": kind, "metadata": place, "spec": spec}


def deployment(server: Server, template: dict[str, Any], *, surge: bool, startup: int) -> dict[str, Any]:
    """Replicas in one node each; without `replicas` where an autoscaler decides, so that `up` does not undo it.

    With surge the new pod starts before the old one goes; without spare GPUs it would wait for ever, so the old one
    goes first.
    """
    rolling = {"maxSurge": 1, "maxUnavailable": 0} if surge else {"maxSurge": 0, "maxUnavailable": 1}
    spec = {
        **({} if server.scaling else {"replicas": server.replicas}),
        "selector": {"matchLabels": labels(server)},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
        "progressDeadlineSeconds": deadline(startup),
        "template": template,
    }
    return whole(server, "apps/v1", "Deployment", spec)


def deadline(startup: int) -> int:
    """Half an hour to pull an image of ten gigabytes and more, then the time to load."""
    return startup + PULL


def patience(server: Server, startup: int) -> int:
    """How long until all replicas answer: a rollout without spare GPUs takes one after the other.

    Whoever waits for a server waits so long, and a little more, so that what fails first is what knows why.
    """
    return deadline(server.most * startup) + MARGIN


def service(
    server: Server, port: int, notes: Mapping[str, str] | None = None, *, group: bool = False
) -> dict[str, Any]:
    """One address for all replicas; of a group only the leader answers."""
    ports = [{"name": "http", "port": port, "targetPort": "http"}]
    return whole(
        server, "v1", "Service", {"selector": labels(server) | (LEADER if group else {}), "ports": ports}, notes
    )


def budget(server: Server, *, group: bool = False) -> dict[str, Any] | None:
    """A drain takes one replica at a time; with a single one there is nothing to keep, and a budget would block."""
    if server.most == 1:
        return None
    picked = {"matchLabels": labels(server) | (LEADER if group else {})}
    return whole(server, "policy/v1", "PodDisruptionBudget", {"maxUnavailable": 1, "selector": picked})


def monitor(server: Server, facts: Facts, port: str = "http") -> dict[str, Any] | None:
    """Where somebody scrapes."""
    if facts.monitoring is None:
        return None
    if facts.monitoring.google:
        return pod_monitoring(metadata(server), labels(server), port, dropped=(DROPPED,))
    scraped = [{"port": port, "path": "/metrics", "interval": "15s", "metricRelabelings": [DROPPED]}]
    spec = {"selector": {"matchLabels": labels(server)}, "endpoints": scraped}
    made = whole(server, "monitoring.coreos.com/v1", "ServiceMonitor", spec)
    return made | {"metadata": metadata(server, labels=labels(server) | dict(facts.monitoring.labels))}
