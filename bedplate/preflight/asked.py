"""A profile, the questions for it, and what the answers say: one function for every cloud."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.preflight.ask import Answer, Ask, Question, all_at_once, missing
from bedplate.preflight.aws import machines as aws
from bedplate.preflight.aws import questions as aws_questions
from bedplate.preflight.aws import quotas as aws_quotas
from bedplate.preflight.aws import reservations as aws_reservations
from bedplate.preflight.aws.account import Account
from bedplate.preflight.aws.subnets import subnets
from bedplate.preflight.finding import Finding
from bedplate.preflight.gcp import machines as gcp
from bedplate.preflight.gcp import questions as gcp_questions
from bedplate.preflight.gcp import quotas as gcp_quotas
from bedplate.preflight.gcp import reservations as gcp_reservations
from bedplate.preflight.gcp.project import Project
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile
from bedplate.wrong import WrongError

AWS_CHECKS = (
    *(aws.account, aws.cluster, aws.offers, aws.metadata, aws_quotas.quotas),
    *(aws_reservations.reservations, aws_reservations.placement, subnets),
)
GCP_CHECKS = (gcp.cluster, gcp.offers, gcp_quotas.quotas, gcp_reservations.reservations)


@dataclass(frozen=True)
class Looked:
    """What was looked at, and what is wrong."""

    asked: int
    findings: tuple[Finding, ...]


def look(profile: Profile, ask: Ask, now: datetime | None = None) -> Looked:
    """Ask everything at once, then judge."""
    questions = of(profile)
    answers = all_at_once(questions, ask)
    findings = judged(profile, answers, now or datetime.now(UTC))
    return Looked(len(questions), (*unanswered(questions, answers), *findings))


def of(profile: Profile) -> Mapping[str, Question]:
    """The questions for a profile."""
    section = profile.own_cloud
    if section is None:
        reason = "cloud.kind: this stack makes no nodes on aws or gcp, so there is nothing to ask"
        raise WrongError(f"{reason}; give a pool its capacity (docs/preflight.md)")
    derived = facts(profile)
    return (
        aws_questions.questions(section, derived)
        if isinstance(section, AwsCloud)
        else gcp_questions.questions(section, derived)
    )


def judged(profile: Profile, answers: Mapping[str, Answer], now: datetime) -> Iterator[Finding]:
    """What the answers say; the same answers give the same findings."""
    section, derived = profile.own_cloud, facts(profile)
    if isinstance(section, AwsCloud):
        account = Account(section, derived, answers, now)
        yield from chain.from_iterable(check(account) for check in AWS_CHECKS)
    elif section is not None:
        project = Project(section, derived, answers, now)
        yield from chain.from_iterable(check(project) for check in GCP_CHECKS)


def unanswered(questions: Mapping[str, Question], answers: Mapping[str, Answer]) -> Iterator[Finding]:
    """What nobody can say, with the cloud's own words."""
    for name, question in questions.items():
        if failure := answers[name].failure:
            fix = "log in, or allow the call (docs/preflight.md)"
            yield Finding("cluster", question.title, name, "an answer", failure, fix, "unknown")


def ready(profile: Profile) -> None:
    """The command that will be asked is there."""
    if command := missing(of(profile)):
        raise WrongError(f"{command}: no such command on the PATH; install it and log in (docs/preflight.md)")
