"""All that a project of Google Cloud is asked for a profile."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain

from components.cloud.gcp.section import GcpCloud
from components.facts import Facts
from preflight.ask import Answer
from preflight.finding import Finding
from preflight.gcp.machines import cluster, offers
from preflight.gcp.project import Project
from preflight.gcp.quotas import quotas
from preflight.gcp.reservations import reservations

CHECKS = (cluster, offers, quotas, reservations)


def shortages(section: GcpCloud, facts: Facts, answers: Mapping[str, Answer], now: datetime) -> Iterator[Finding]:
    """Pure: the same answers give the same findings."""
    known = Project(section, facts, answers, now)
    return chain.from_iterable(check(known) for check in CHECKS)
