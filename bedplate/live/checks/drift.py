"""Objects that the plan declares: missing, or with another value in a key that we set."""

import json
from collections.abc import Iterator
from typing import Any

from bedplate.components.workload.contract import FACTS_KEY
from bedplate.components.workload.extras import CONFIG_MAP
from bedplate.live.finding import Finding
from bedplate.live.kinds import JOB
from bedplate.live.reading import Object, Seen, part, place
from bedplate.live.subset import differences
from bedplate.live.wanted import Declared, Wanted

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


def drift(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of every object."""
    there = {(kind, place(one)): one for kind in wanted.kinds for one in seen.of(kind)}
    for declared in wanted.objects:
        if not seen.knows(declared.kind):
            continue  # `kinds` says so
        live = there.get((declared.kind, declared.place))
        if live is None:
            if not _goes_by_itself(declared):
                yield _finding(declared, "is not there", GONE)
        elif declared.place[1] == CONFIG_MAP:
            yield from contract(declared, live)
        else:
            yield from _changed(declared, live)


def _goes_by_itself(declared: Declared) -> bool:
    return declared.kind == JOB and "ttlSecondsAfterFinished" in declared.document["spec"]


def _changed(declared: Declared, live: Object) -> Iterator[Finding]:
    ours = {key: value for key, value in declared.document.items() if key not in KEPT}
    found = [one for one in differences(ours, live) if not one.path.startswith(declared.ignored or ("\0",))]
    for one in found[:SHOWN]:
        yield _finding(declared, str(one), OF_TEAMS if _check(declared) == "teams" else CHANGED)
    if len(found) > SHOWN:
        yield _finding(declared, f"{len(found) - SHOWN} more keys are not as the profile implies", CHANGED)


def _finding(declared: Declared, what: str, why: str) -> Finding:
    return Finding(_check(declared), str(declared), what, why)


def _check(declared: Declared) -> str:
    if declared.place[1] == CONFIG_MAP:
        return "contract"
    return "teams" if declared.kind.kind in TEAM_KINDS else "drift"


def contract(declared: Declared, live: Object) -> Iterator[Finding]:
    """The workload contract and the facts beside it, key by key of their JSON."""
    theirs = part(live, "data")
    for key, text in declared.document["data"].items():
        found = list(differences(json.loads(text), _parsed(theirs.get(key))))
        if found:
            about = "" if key == FACTS_KEY else f"{found[0]}"
            more = f" and {len(found) - 1} more" if len(found) > 1 and about else ""
            yield _finding(declared, f"{key} is of another profile" + (f": {about}{more}" if about else ""), STALE)


def _parsed(text: str | None) -> Any:  # noqa: ANN401 - any JSON, or none
    try:
        return json.loads(text or "null")
    except ValueError:
        return None
