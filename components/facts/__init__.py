"""What every component may know about the cluster beyond its own section.

Types only. The facts are derived once, in `stacks/facts/`; a component that needs one more asks for it here instead of
working it out again, so that operators, jobs and nodes cannot disagree.
"""

from bedplate.components.facts.cluster import Args, ChartSource, Facts, Ownership
from bedplate.components.facts.fabric import Addresses, Fabric, Rail
from bedplate.components.facts.pools import JsonObject, NodePool
from bedplate.components.facts.queues import Amounts, Scheduler, TeamFacts, Topology
from bedplate.components.facts.site import Existing, Health, Monitoring, NodeCache, Volume

__all__ = [
    "Addresses",
    "Amounts",
    "Args",
    "ChartSource",
    "Existing",
    "Fabric",
    "Facts",
    "Health",
    "JsonObject",
    "Monitoring",
    "NodeCache",
    "NodePool",
    "Ownership",
    "Rail",
    "Scheduler",
    "TeamFacts",
    "Topology",
    "Volume",
]
