"""What keeps a node out of the queues until it has proven itself: a label that it lacks, and not a taint that it has.

Kueue hands out nodes that carry all labels of a flavor, and gives its jobs' pods the same as their selector
(pkg/podset/podset.go, FromAssignment). A node that has just joined, or joined again, lacks the label without anybody's
doing: it is out until `bedplate verify --qualify` (bedplate/verify/gate.py), the only writer, lets it in. A taint
would have to be there before the node is, by way of every kubelet and every cloud's node group, and a machine on which
it was forgotten would be in.

The label's prefix is one that a kubelet may not set on its own node (Kubernetes docs, NodeRestriction).
"""

from collections.abc import Mapping

from pydantic import PositiveInt

from bedplate.components.section import Section

QUALIFIED = "bedplate.node-restriction.kubernetes.io/qualified"
GATE: Mapping[str, str] = {QUALIFIED: "true"}
PROVEN_ON = "bedplate/qualified-on"
"""Annotation of a node that is in: the digest of operators, driver and fabric on which it passed."""
TESTED_ON = "bedplate/tested-on"
"""Annotation of every node that was tested: the same digest, whatever came of it."""
REASON = "bedplate/unqualified"
"""Annotation of a node that failed: why."""
NAMESPACE = "bedplate-qualification"
"""Where nodes are tested: no queue of a team reaches them yet."""


class Qualification(Section):
    """Nodes enter the queues only after they have passed `bedplate verify --qualify`."""

    at_once: PositiveInt = 8
    """Nodes under test at a time; the others wait, outside the queues if they are new."""
