"""What every scheduler's section shares: the network's topology, from node labels that the cloud or the site writes."""

from typing import Annotated

from pydantic import Field

from bedplate.components.section import DnsLabel, HelmSection, Section

Label = Annotated[str, Field(pattern=r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")]


class TopologySection(Section):
    """Which labels tell how far apart two nodes are."""

    levels: tuple[Label, ...] | None = None
    """Node labels, the widest domain first, such as [example.com/spine, example.com/rack]; by default the cloud's own.
    The node itself is added as the last level."""
    required: Label | None = None
    """A level within which every multi-node job must fit, or wait; absent: no job is made to wait for nearness."""
    preferred: Label | None = None
    """A level within which a multi-node job is kept if it fits; by default the narrowest above the node."""
    domains: tuple[DnsLabel, ...] = ()
    """Values of the narrowest level's label, such as the names of the racks: Volcano is then told of each. By default
    Volcano discovers them from the labels."""


class SchedulerSection(HelmSection):
    """What kinds of scheduler have in common."""

    topology: TopologySection = TopologySection()
    """How near to each other the pods of a job are placed."""
