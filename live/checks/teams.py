"""Team namespaces that go, and guards that the API server cannot read."""

from collections.abc import Iterator

from jobs.objects import conditions, said
from live.finding import Finding
from live.kinds import NAMESPACE, Kind
from live.reading import Seen, entries, part, place
from live.wanted import Wanted

GUARD = Kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")
GOES = "nothing can be made in it any more"
BLIND = "what it should refuse may pass, or what it should let through be refused"


def teams(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Beside their drift."""
    ours = wanted.homes | wanted.teams
    for one in seen.of(NAMESPACE):
        if place(one)[1] in ours and part(one, "status").get("phase") == "Terminating":
            left = [said(c) for c in conditions(one).values() if c.get("status") == "True"]
            because = f": {left[-1]}" if left else ""
            yield Finding("teams", f"Namespace {place(one)[1]}", f"is being deleted{because}", GOES)
    guards = {declared.place for declared in wanted.of(GUARD)}
    for one in (one for one in seen.of(GUARD) if place(one) in guards):
        for warning in entries(one, "status", "typeChecking", "expressionWarnings"):
            text = f"{warning.get('fieldRef')}: {' '.join(str(warning.get('warning')).split())[:100]}"
            yield Finding("teams", f"{GUARD.kind} {place(one)[1]}", text, BLIND)
