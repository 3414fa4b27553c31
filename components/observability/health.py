"""The section `health`: who finds a node's faults, and who acts on them."""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from bedplate.components.observability.problem_detector import NodeProblemDetectorSection
from bedplate.components.section import Section


class Breaker(Section):
    """Where repair stops and people are called.

    Many nodes that are sick at once have a switch, a rack, a driver or a detector in common, and whoever repairs them
    one by one empties the cluster. A fifth is where Karpenter stops by itself (Amazon EKS, "Automatically repair nodes
    in EKS clusters").
    """

    unhealthy_percent: Annotated[int, Field(ge=1, le=50)] = 20
    """Of a pool's nodes: with more of them sick, none is repaired; a node at least may always be. Alerts count by it
    at every level."""
    at_once: PositiveInt = 1
    """Nodes of a pool that are repaired at a time."""


class HealthSection(Section):
    """Sick nodes are found, and where a cloud owns the machines repaired (docs/health.md)."""

    level: Literal["observe", "remediate"] = "observe"
    """observe: conditions, alerts and dashboards, and people act by `bedplate node drain`; remediate: the cloud reboots
    or replaces sick machines of pools that this stack makes, and nodes come back by way of `verification.qualify`."""
    breaker: Breaker = Breaker()
    detector: NodeProblemDetectorSection = NodeProblemDetectorSection()
    """Node Problem Detector, which runs at every level."""
