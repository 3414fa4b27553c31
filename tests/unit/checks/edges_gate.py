"""A gate before the queues: profiles in which it can hold, and in which it would keep nobody out or everybody."""

from typing import Any

from tests.unit.checks.case import Case, edited, refused, taken

SECTION: dict[str, Any] = {"team": "research", "image": "example.com/pytorch:1", "qualify": {"atOnce": 4}}
KEY = "verification.qualify = present"


def gated(**more: Any) -> dict[str, Any]:
    """The lab with a gate, and with what is changed of it; `__` between the keys."""
    changes = {key.replace("__", "."): value for key, value in more.items()}
    return edited("lab", {"verification": {**SECTION}, **changes})


EDGES: dict[str, Case] = {
    "a gate before Kueue": taken(gated()),
    "a gate before a scheduler without flavors": refused(
        gated(scheduling={"kind": "volcano"}), (KEY, "only Kueue's flavors", "here is volcano")
    ),
    "a gate of no team": refused(gated(verification__team="x"), ("verification.team = x", "use research or platform")),
    "a gate before slices": refused(gated(pools__1__timeSlicing=2), (KEY, "no pool has whole GPUs", "remove it")),
    "a gate before nodes that come and go": refused(
        gated(pools__1__autoscale={"min": 1, "max": 4}),
        ("pools[1].autoscale = h100", "want a label", "give it `nodes`"),
    ),
}
