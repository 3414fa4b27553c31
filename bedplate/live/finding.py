"""One thing that is not as the profile says."""

from dataclasses import asdict, dataclass

PAGES = {
    "nodes": "docs/symptoms.md#a-gate-does-not-open",
    "gates": "docs/symptoms.md#a-gate-does-not-open",
    "releases": "docs/day-2.md",
    "agents": "docs/symptoms.md#pods-do-not-start",
    "queues": "docs/kueue.md",
    "ledger": "docs/security.md#the-ledger",
    "webhooks": "docs/doctor.md#webhooks",
    "kinds": "docs/crds.md",
    "storage": "docs/storage.md",
    "teams": "docs/teams.md",
    "contract": "docs/workload-contract.md",
    "networks": "docs/network.md",
    "drift": "docs/doctor.md#drift",
    "version": "docs/upgrades.md",
    "serving": "docs/serving.md",
}
"""What is looked at, in the order of its showing, each with the page to read."""


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, and why that matters."""

    check: str
    where: str
    what: str
    why: str

    @property
    def page(self) -> str:
        """What to read."""
        return PAGES[self.check]

    def as_json(self) -> dict[str, str]:
        """For machines."""
        return {**asdict(self), "page": self.page}
