"""What KWOK plays: kubelets, volumes and load balancers (the `.yaml` files here), and the GPU stack's controllers.

Of the controllers, each custom resource reaches the state that its real controller would report (`played.yaml`).
Nothing is reconciled: no driver is loaded and no pod is made for a job. What waits for these states is what is tested.
Kinds that a controller makes at run time are made at the same moment and not before.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.workload.kinds import KINDS

HERE = Path(__file__).parent
NOW = "{{ Now }}"
_PLAYED = yaml.safe_load((HERE.parent / "played.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Ready:
    """The status of a kind once its controller is content, and how to tell."""

    api: str
    kind: str
    path: str
    """A jq path to `value`."""
    value: str
    wait: str
    """What follows `kubectl wait --for=`."""
    status: Mapping[str, Any]
    part: str = ""
    """The part of the spec for which its controller makes `kinds`."""
    kinds: tuple[dict[str, Any], ...] = field(default=())
    """CRDs that the controller makes, rather than its chart."""

    def stages(self) -> Iterator[dict[str, Any]]:
        """The Stage that sets the status on whatever has not got it, and one that makes the kinds first."""
        if not self.kinds:
            yield self._stage("", [], [])
            return
        made = [{"apply": {"template": yaml.safe_dump(_owned(kind))}} for kind in self.kinds]
        yield self._stage("", [_spec(self.part, "DoesNotExist")], [])
        yield self._stage(f"-with-{self.part}".lower(), [_spec(self.part, "Exists")], made)

    def _stage(self, suffix: str, conditions: list[Any], first: list[Any]) -> dict[str, Any]:
        selector = [
            {"jq": {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}},
            {"jq": {"key": self.path, "operator": "NotIn", "values": [self.value]}},
            *conditions,
        ]
        template = yaml.safe_dump(dict(self.status))
        patch = {"subresource": "status", "root": "status", "type": "merge", "template": template}
        return {
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "Stage",
            "metadata": {"name": f"{self.kind}.{self.api.split('/')[0]}{suffix}".lower()},
            "spec": {
                "resourceRef": {"apiGroup": self.api, "kind": self.kind},
                "selector": {"matchExpressions": selector},
                "steps": [*first, {"patch": patch}],
            },
        }


def _owned(kind: Mapping[str, Any]) -> dict[str, Any]:
    """A kind that is deleted with the object for which its controller made it."""
    named = {"apiVersion": "{{ .apiVersion }}", "kind": "{{ .kind }}", "name": "{{ .metadata.name }}"}
    owner = {**named, "uid": "{{ .metadata.uid }}", "controller": True, "blockOwnerDeletion": True}
    return {**kind, "metadata": {**kind["metadata"], "ownerReferences": [owner]}}


def _spec(part: str, operator: str) -> dict[str, Any]:
    return {"jq": {"key": f".spec.{part}", "operator": operator}}


def _ready(row: Mapping[str, Any]) -> Ready:
    path, value, wait, status = _by_condition(row) if "condition" in row else _by_state(row)
    makes = row.get("makes", {})
    kinds = tuple(definition(makes["group"], kind, makes["version"]) for kind in makes.get("kinds", ()))
    more = row.get("status", {})
    return Ready(_api(row["api"]), row["kind"], path, value, wait, {**status, **more}, makes.get("part", ""), kinds)


def _by_state(row: Mapping[str, Any]) -> tuple[str, str, str, dict[str, Any]]:
    name, value = row.get("field", "state"), row["state"]
    return f".status.{name}", value, f"jsonpath={{.status.{name}}}={value}", {} if "." in name else {name: value}


def _by_condition(row: Mapping[str, Any]) -> tuple[str, str, str, dict[str, Any]]:
    name, reason = row["condition"], row["reason"]
    condition = {"type": name, "status": "True", "reason": reason, "message": f"played by the lab: {reason}"}
    if row.get("timed", True):
        condition["lastTransitionTime"] = NOW
    path = f'.status.conditions.[] | select(.type == "{name}") | .status'
    return path, "True", f"condition={name}", {"conditions": [condition]}


def _api(name: str) -> str:
    """The API version of a kind of job by its name; any other text is one already."""
    return next((row.api for kind, row in KINDS.items() if kind == name), name)


def definition(group: str, kind: str, version: str = "v1", plural: str = "") -> dict[str, Any]:
    """A CRD for a namespaced kind with a status, which takes any field; its plural is the kind with an s, unless given.

    Fields are checked against the real CRDs in process; what counts in the lab is when a kind is served.
    """
    singular = kind.lower()
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served: dict[str, Any] = {"name": version, "served": True, "storage": True, "subresources": {"status": {}}}
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural or f"{singular}s", "singular": singular}
    versions = [served | {"schema": {"openAPIV3Schema": schema}}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions},
    }


READY = tuple(map(_ready, _PLAYED["ready"]))
PLAYED_FOR: Mapping[str, tuple[str, ...]] = {
    name: tuple(map(_api, apis)) for name, apis in _PLAYED["controllers"].items()
}
"""By controller, beginnings of the API versions for which it answers where it really runs."""


def load(real: Collection[str] = (), authority: str = "") -> Iterator[dict[str, Any]]:
    """Every Stage of the lab, but for the kinds of the controllers that really run.

    The authority is the cluster's own certificate in base64, which webhooks get that have none.
    """
    for path in sorted(HERE.glob("*.yaml")):
        yield from yaml.load_all(path.read_text().replace("AUTHORITY", authority), Loader=yaml.CSafeLoader)
    theirs = tuple(api for name in real for api in PLAYED_FOR[name])
    yield from (stage for ready in READY if not ready.api.startswith(theirs) for stage in ready.stages())


def probes() -> Iterator[dict[str, Any]]:
    """A webhook of each kind, which tells by being opened that the Stages are played."""
    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
        yield {"kind": kind, **_PLAYED["probe"]}
