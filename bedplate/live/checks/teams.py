"""Team namespaces that go.

Their guards are compared as the rest of the plan is. What the API server's type check writes of them is no finding: it
warns of every field that only some of a guard's kinds have, even behind `has()`, and of a ResourceQuota's `spec.hard`;
what a policy does never depends on it (kubernetes.io, Validating Admission Policy, Type checking).
"""

from collections.abc import Iterator

from bedplate.jobs.objects import conditions, said
from bedplate.live.finding import Finding
from bedplate.live.kinds import NAMESPACE
from bedplate.live.reading import Seen, part, place
from bedplate.live.wanted import Wanted

GOES = "nothing can be made in it any more"


def teams(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Beside their drift."""
    ours = wanted.homes | wanted.teams
    for one in seen.of(NAMESPACE):
        if place(one)[1] in ours and part(one, "status").get("phase") == "Terminating":
            left = [said(c) for c in conditions(one).values() if c.get("status") == "True"]
            because = f": {left[-1]}" if left else ""
            yield Finding("teams", f"Namespace {place(one)[1]}", f"is being deleted{because}", GOES)
