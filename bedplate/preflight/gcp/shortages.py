"""All that a project of Google Cloud is asked for a profile."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import Facts
from bedplate.preflight.ask import Answer
from bedplate.preflight.finding import Finding
from bedplate.preflight.gcp.machines import cluster, offers
from bedplate.preflight.gcp.project import Project
from bedplate.preflight.gcp.quotas import quotas
from bedplate.preflight.gcp.reservations import reservations

CHECKS = (cluster, offers, quotas, reservations)


def shortages(section: GcpCloud, facts: Facts, answers: Mapping[str, Answer], now: datetime) -> Iterator[Finding]:
    """Pure: the same answers give the same findings."""
    known = Project(section, facts, answers, now)
    return chain.from_iterable(check(known) for check in CHECKS)
