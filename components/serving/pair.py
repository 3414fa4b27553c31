"""A pair as one object: LWS's DisaggregatedSet, whose roles are the servers that read prompts and those that answer.

Its controller makes a LeaderWorkerSet for each role and revision, and takes both roles from one revision to the next in
step, so that caches of two releases never meet (kubernetes-sigs/lws v0.10.0, api/disaggregatedset/v1,
pkg/controllers/disaggregatedset). What an autoscaler decides about a role is in a DisaggregatedSetRoleScaler, which the
controller makes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bedplate.components.serving.kv_transfer import PAIR, ROLE
from bedplate.components.serving.pod import COMPONENT, MODEL_SERVER
from bedplate.components.serving.queue import templates

API, KIND, SCALER = "disaggregatedset.x-k8s.io/v1", "DisaggregatedSet", "DisaggregatedSetRoleScaler"
LONGEST = 40
"""Of a pair's name: `<pair>-<slice>-<revision>-prefill-prv`, a Service of 63 letters, with a revision of 8. LWS
v0.10.0 takes longer ones, whose groups then never start; its webhook refuses them since (`validateGeneratedNames`)."""
Timed = tuple[dict[str, Any], int]
"""An object, and how long it may take until it is ready."""


def joined(every: Iterable[Timed]) -> Iterator[Timed]:
    """Both halves of a pair as one object, anything else as it is; the pair may take as long as both."""
    pairs: dict[tuple[str, str], list[Timed]] = {}
    for made, seconds in every:
        if pair := _pair(made):
            pairs.setdefault((made["metadata"]["namespace"], pair), []).append((made, seconds))
        else:
            yield made, seconds
    for (namespace, pair), halves in pairs.items():
        groups = sorted((half for half, _ in halves), key=_role, reverse=True)
        yield disaggregated_set(namespace, pair, groups), sum(seconds for _, seconds in halves)


def _labels(group: dict[str, Any]) -> Mapping[str, str]:
    """Of its pods."""
    return templates(group)[0]["metadata"]["labels"]


def _pair(made: dict[str, Any]) -> str:
    return _labels(made).get(PAIR, "") if made["kind"] == "LeaderWorkerSet" else ""


def _role(group: dict[str, Any]) -> str:
    return _labels(group)[ROLE]


def disaggregated_set(namespace: str, pair: str, groups: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Of the halves as LeaderWorkerSets.

    Nobody waits for it: the controller writes no status of it (v0.10.0, held against it running). The engine waits for
    the Service of each half until a pod of it is ready.
    """
    own = {"app.kubernetes.io/name": pair, COMPONENT: MODEL_SERVER, PAIR: pair}
    place = {"name": pair, "namespace": namespace, "labels": own}
    return {"apiVersion": API, "kind": KIND, "metadata": place, "spec": {"roles": [_as_role(one) for one in groups]}}


def _as_role(group: dict[str, Any]) -> dict[str, Any]:
    """Name and namespace are the controller's to give; without replicas an autoscaler has them."""
    kept = {key: value for key, value in group["metadata"].items() if key in ("labels", "annotations")}
    scaling = {} if "replicas" in group["spec"] else {"scaling": {"mode": "External"}}
    return {"name": _role(group), **scaling, "metadata": kept, "spec": dict(group["spec"])}
