"""One thing that is not as the profile says."""

from dataclasses import asdict, dataclass
from typing import NamedTuple


class Subject(NamedTuple):
    """A group of findings as `bedplate doctor` shows it."""

    title: str
    page: str
    """The page to read, with its anchor."""


SUBJECTS = {
    "nodes": Subject("Nodes", "docs/symptoms.md#a-gate-does-not-open"),
    "gates": Subject("Operators", "docs/symptoms.md#a-gate-does-not-open"),
    "releases": Subject("Releases", "docs/day-2.md"),
    "agents": Subject("What we run", "docs/symptoms.md#pods-do-not-start"),
    "queues": Subject("Queues", "docs/kueue.md"),
    "ledger": Subject("Ledger", "docs/security.md#the-ledger"),
    "webhooks": Subject("Webhooks and APIs", "docs/doctor.md#webhooks"),
    "kinds": Subject("Kinds", "docs/crds.md"),
    "storage": Subject("Storage", "docs/storage.md"),
    "teams": Subject("Teams", "docs/teams.md"),
    "contract": Subject("Workload contract", "docs/workload-contract.md"),
    "networks": Subject("Networks", "docs/network.md"),
    "drift": Subject("Drift", "docs/doctor.md#drift"),
    "version": Subject("Kubernetes", "docs/upgrades.md"),
    "serving": Subject("Model servers", "docs/serving.md"),
}
"""What the checks look at, in the order in which it is shown."""


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, and why that matters."""

    check: str
    where: str
    what: str
    why: str

    @property
    def page(self) -> str:
        """The page to read."""
        return SUBJECTS[self.check].page

    def as_json(self) -> dict[str, str]:
        """The fields with the page, for machines."""
        return {**asdict(self), "page": self.page}
