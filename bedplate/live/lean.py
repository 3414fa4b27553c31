"""As much of a pod as somebody reads here: of tens of thousands the rest would be more than a gigabyte."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Part = TypeVar("Part")
METADATA = ("namespace", "name", "uid", "labels", "annotations", "deletionTimestamp", "deletionGracePeriodSeconds")
NAME = 253
"""Characters of a name; the longer notes are the network's addresses and the like."""
SPEC = ("nodeName", "schedulerName", "schedulingGates", "overhead", "resources")
CONTAINER = ("name", "resources", "restartPolicy")
CONDITION = ("type", "status", "reason", "message")
STATUS = ("name", "image", "imageID", "state", "lastState")
LISTS = {
    "spec": {"initContainers": CONTAINER, "containers": CONTAINER},
    "status": {"conditions": CONDITION, "initContainerStatuses": STATUS, "containerStatuses": STATUS},
}


@dataclass(frozen=True)
class Pods:
    """Makes pods lean; what many of them have alike they share."""

    shared: dict[str, Any] = field(default_factory=dict[str, Any])

    def __call__(self, pod: dict[str, Any]) -> dict[str, Any]:
        """Without volumes, what its containers run, and when each came to be as it is."""
        metadata = _only(METADATA, pod["metadata"])
        if notes := metadata.get("annotations"):
            metadata["annotations"] = {key: text for key, text in notes.items() if len(text) <= NAME}
        spec: Mapping[str, Any] = pod.get("spec") or {}
        status: Mapping[str, Any] = pod.get("status") or {}
        return {
            "metadata": metadata,
            "spec": _only(SPEC, spec) | self._lists("spec", spec),
            "status": _only(("phase",), status) | self._lists("status", status),
        }

    def _lists(self, of: str, part: Mapping[str, Any]) -> dict[str, Any]:
        lists = {key: keys for key, keys in LISTS[of].items() if part.get(key)}
        return {key: self._same([self._lean(keys, item) for item in part[key]]) for key, keys in lists.items()}

    def _lean(self, keys: tuple[str, ...], item: Mapping[str, Any]) -> dict[str, Any]:
        running: Mapping[str, Any] = {"state": {"running": {}}} if "running" in (item.get("state") or {}) else {}
        return {**_only(keys, item), **running}

    def _same(self, part: Part) -> Part:
        return self.shared.setdefault(repr(part), part)


def _only(keys: tuple[str, ...], part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part[key] for key in keys if key in part}
