"""All that an AWS account is asked for a profile."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import Facts
from bedplate.preflight.ask import Answer
from bedplate.preflight.aws.account import Account
from bedplate.preflight.aws.machines import account, cluster, offers
from bedplate.preflight.aws.quotas import quotas
from bedplate.preflight.aws.reservations import placement, reservations
from bedplate.preflight.aws.subnets import subnets
from bedplate.preflight.finding import Finding

CHECKS = (account, cluster, offers, quotas, reservations, placement, subnets)


def shortages(section: AwsCloud, facts: Facts, answers: Mapping[str, Answer], now: datetime) -> Iterator[Finding]:
    """Pure: the same answers give the same findings."""
    known = Account(section, facts, answers, now)
    return chain.from_iterable(check(known) for check in CHECKS)
