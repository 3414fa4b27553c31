"""What each step between two releases of a chart does: its verdict, what it drains, and what to do about it.

Steps are between neighbours that we know; a way is as bad as the worst of its steps, and a step that is not here is
unknown, which is never safe. A record claims no more than the run with both releases' CRDs showed (`proofs.py`).
"""

from bedplate.upgrades.records import gpu_operator, jobs, network_operator, platform, queues
from bedplate.upgrades.records.transition import Transition, Verdict

TRANSITIONS: tuple[Transition, ...] = (
    *gpu_operator.TRANSITIONS,
    *network_operator.TRANSITIONS,
    *queues.TRANSITIONS,
    *jobs.TRANSITIONS,
    *platform.TRANSITIONS,
)


def way(chart: str, old: str, new: str) -> tuple[Transition, ...]:
    """The steps from one release to another; empty where one of them is not known."""
    steps = {step.old: step for step in TRANSITIONS if step.chart == chart}
    found: list[Transition] = []
    while old != new:
        if old not in steps or steps[old] in found:
            return ()
        found.append(steps[old])
        old = steps[old].new
    return tuple(found)


def verdict(steps: tuple[Transition, ...]) -> Verdict:
    """The worst of a way; no way is unknown."""
    return max((step.verdict for step in steps), default=Verdict.UNKNOWN)


def releases(chart: str) -> tuple[str, ...]:
    """Those that have a record, oldest first."""
    steps = [step for step in TRANSITIONS if step.chart == chart]
    return tuple(dict.fromkeys(release for step in steps for release in (step.old, step.new)))


__all__ = ["TRANSITIONS", "Transition", "Verdict", "releases", "verdict", "way"]
