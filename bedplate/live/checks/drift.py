"""Objects that the plan declares: missing, or with another value in a key that we set."""

import json
from collections.abc import Iterator
from typing import Any

from bedplate.cluster.objects import Object, part, place
from bedplate.components.bounded_yaml import parsed_json
from bedplate.components.workload.contract import FACTS_KEY
from bedplate.components.workload.extras import CONFIG_MAP
from bedplate.live.desired import Declared, Desired
from bedplate.live.finding import Finding
from bedplate.live.kinds import JOB
from bedplate.live.reading import Observed
from bedplate.live.subset import differences

SHOWN = 3
GONE = "what stands on it fails; `bedplate up` makes it again"
CHANGED = "changed by hand, or the profile has changed since: the next `bedplate up` makes it the profile's"
TEAM_KINDS = frozenset(
    {"Namespace", "ResourceQuota", "LimitRange", "Role", "RoleBinding", "NetworkPolicy", "PriorityClass"}
    | {"ClusterRole", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "SecurityContextConstraints"}
)
OF_TEAMS = "teams can do more, or less, than the profile says"
STALE = "`bedplate job submit` and other people's jobs ask for what the cluster no longer has"
KEPT = ("apiVersion", "kind", "status")


def drift(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Every object that the plan declares and the cluster lacks, or has with another value."""
    objects = {(kind, place(obj)): obj for kind in desired.kinds for obj in observed.of(kind)}
    for declared in desired.objects:
        if not observed.knows(declared.kind):
            continue  # `kinds` reports it
        obj = objects.get((declared.kind, declared.place))
        if obj is None:
            if not _deletes_itself(declared):
                yield _finding(declared, "is not there", GONE)
        elif declared.place[1] == CONFIG_MAP:
            yield from contract(declared, obj)
        else:
            yield from _changed(declared, obj)


def _deletes_itself(declared: Declared) -> bool:
    return declared.kind == JOB and "ttlSecondsAfterFinished" in declared.document["spec"]


def _changed(declared: Declared, obj: Object) -> Iterator[Finding]:
    ours = {key: value for key, value in declared.document.items() if key not in KEPT}
    changes = [diff for diff in differences(ours, obj) if not diff.path.startswith(declared.ignored or ("\0",))]
    for diff in changes[:SHOWN]:
        yield _finding(declared, str(diff), OF_TEAMS if _check(declared) == "teams" else CHANGED)
    if len(changes) > SHOWN:
        yield _finding(declared, f"{len(changes) - SHOWN} more keys are not as the profile implies", CHANGED)


def _finding(declared: Declared, what: str, why: str) -> Finding:
    return Finding(_check(declared), str(declared), what, why)


def _check(declared: Declared) -> str:
    if declared.place[1] == CONFIG_MAP:
        return "contract"
    return "teams" if declared.kind.kind in TEAM_KINDS else "drift"


def contract(declared: Declared, obj: Object) -> Iterator[Finding]:
    """The workload contract and the facts beside it, key by key of their JSON."""
    data = part(obj, "data")
    for key, text in declared.document["data"].items():
        if changes := list(differences(json.loads(text), _parsed(data.get(key)))):
            more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
            detail = "" if key == FACTS_KEY else f": {changes[0]}{more}"
            yield _finding(declared, f"{key} is of another profile{detail}", STALE)


def _parsed(text: str | None) -> Any:  # noqa: ANN401 - any JSON, or none
    try:
        return parsed_json(text or "null")
    except ValueError:
        return None
