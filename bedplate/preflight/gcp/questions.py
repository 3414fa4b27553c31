"""Which calls of gcloud answer for a profile; each of them only lists or describes (docs/preflight.md)."""

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.capacity import OnDemand, Reservation
from bedplate.preflight.gcp.quotas import by_family

FAMILIES = "GPUS-PER-GPU-FAMILY-per-project-region"


@dataclass(frozen=True)
class GcloudCall:
    """A gcloud command that reads."""

    project: str
    asked: tuple[str, ...]

    @property
    def title(self) -> str:
        """What the user reads of it."""
        return f"gcloud {' '.join(word for word in self.asked if not word.startswith('--'))}"

    def words(self) -> tuple[str, ...]:
        """All of it."""
        return ("gcloud", *self.asked, f"--project={self.project}", "--format=json", "--quiet")


def questions(section: GcpCloud, facts: Facts) -> dict[str, GcloudCall]:
    """What must be known of the project, by the name under which the checks look it up."""
    return {name: GcloudCall(project, tuple(words)) for name, project, *words in _calls(section, facts)}


def home(section: GcpCloud, capacity: Reservation) -> str:
    """The project that has the reservation."""
    return capacity.project or section.project


def block_question(section: GcpCloud, capacity: Reservation) -> str:
    """Name of the question for a reservation's blocks."""
    return f"blocks {home(section, capacity)}/{capacity.name}"


def _calls(section: GcpCloud, facts: Facts) -> Iterator[tuple[str, ...]]:
    pools, project = facts.own_pools, section.project
    where = f"--location={section.location or section.region}"
    yield "cluster", project, "container", "clusters", "describe", section.cluster or facts.cluster, where
    names = " ".join(sorted({str(pool.instance_type) for pool in pools}))
    zones = ",".join(sorted({zone for pool in pools for zone in pool.zones}))
    yield "offers", project, "compute", "machine-types", "list", f"--filter=name=({names})", f"--zones={zones}"
    demanded = [pool for pool in pools if isinstance(pool.capacity, OnDemand) and pool.gpus]
    if any(not by_family(pool) for pool in demanded):
        yield "region", project, "compute", "regions", "describe", section.region
    if any(by_family(pool) for pool in demanded):
        service = "--service=compute.googleapis.com"
        yield "families", project, "beta", "quotas", "info", "describe", FAMILIES, service
    for pool, capacity in reserved(pools):
        yield from _held(section, pool, capacity)


def _held(section: GcpCloud, pool: NodePool, capacity: Reservation) -> Iterator[tuple[str, ...]]:
    project = home(section, capacity)
    yield f"reservations {project}", project, "compute", "reservations", "list"
    if capacity.block:
        words = ("compute", "reservations", "blocks", "list", capacity.name, f"--zone={pool.zone or ''}")
        yield block_question(section, capacity), project, *words


def reserved(pools: tuple[NodePool, ...]) -> Iterator[tuple[NodePool, Reservation]]:
    """Pools that take their machines from a reservation."""
    return ((pool, pool.capacity) for pool in pools if isinstance(pool.capacity, Reservation))
