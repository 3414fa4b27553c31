"""All that an AWS account is asked for a profile."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain

from components.cloud.aws.section import AwsCloud
from components.facts import Facts
from preflight.ask import Answer
from preflight.aws.account import Account
from preflight.aws.machines import account, cluster, offers
from preflight.aws.quotas import quotas
from preflight.aws.reservations import placement, reservations
from preflight.aws.subnets import subnets
from preflight.finding import Finding

CHECKS = (account, cluster, offers, quotas, reservations, placement, subnets)


def shortages(section: AwsCloud, facts: Facts, answers: Mapping[str, Answer], now: datetime) -> Iterator[Finding]:
    """Pure: the same answers give the same findings."""
    known = Account(section, facts, answers, now)
    return chain.from_iterable(check(known) for check in CHECKS)
