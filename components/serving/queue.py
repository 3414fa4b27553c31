"""How a server's pods wait in their team's queue, like everybody's: what takes GPUs is counted in one place."""

from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.workload.contract import QUEUE_KEYS


def queued(manifest: dict[str, Any], facts: Facts, team: str) -> dict[str, Any]:
    """A Deployment or LeaderWorkerSet with what its scheduler asks for; anything else as it is."""
    queue, key = facts.team(team).queue, QUEUE_KEYS.get(facts.scheduler.kind)
    if manifest["kind"] not in ("Deployment", "LeaderWorkerSet") or key is None or queue is None:
        return manifest
    mark = "annotations" if facts.scheduler.kind == "volcano" else "labels"
    for template in templates(manifest):
        placed(template, facts, {} if facts.scheduler.kind == "kueue" else {mark: {key: queue}})
    metadata = manifest["metadata"]
    return {**manifest, "metadata": metadata | {mark: metadata.get(mark, {}) | {key: queue}}}


def templates(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """Its pods'."""
    spec = manifest["spec"]
    group = spec.get("leaderWorkerTemplate")
    return [group[key] for key in ("leaderTemplate", "workerTemplate") if key in group] if group else [spec["template"]]


def placed(template: dict[str, Any], facts: Facts, more: dict[str, dict[str, str]]) -> None:
    """The scheduler's name, and where it reads the queue from the pods."""
    metadata = template["metadata"]
    template["metadata"] = metadata | {mark: metadata.get(mark, {}) | named for mark, named in more.items()}
    if facts.scheduler.name:
        template["spec"] = {"schedulerName": facts.scheduler.name, **template["spec"]}
