"""Model servers scale by what they are told: whether anybody can tell, and whether anybody obeys."""

from collections.abc import Iterator

from bedplate.jobs.objects import conditions, said
from bedplate.live.finding import Finding
from bedplate.live.kinds import AUTOSCALER, SCALED_OBJECT
from bedplate.live.reading import Seen, place
from bedplate.live.wanted import Wanted

FIXED = "the server keeps its number of replicas, whatever waits in its queue"


def scaling(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """KEDA's objects, and the autoscalers themselves."""
    for kind, must in ((SCALED_OBJECT, ("Ready",)), (AUTOSCALER, ("AbleToScale", "ScalingActive"))):
        ours = {one.place for one in wanted.of(kind)}
        for one in (one for one in seen.of(kind) if place(one) in ours):
            found = conditions(one)
            for condition in must:
                if found.get(condition, {}).get("status") == "False":
                    where = f"{kind.kind} {'/'.join(place(one))}"
                    yield Finding("serving", where, f"does not scale: {said(found[condition])}", FIXED)
