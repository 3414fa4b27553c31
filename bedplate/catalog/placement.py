"""Which machines a cloud can place in its network: only their nodes get the labels that say where they are.

EC2: "Prerequisites for Amazon EC2 topology", instance types (docs.aws.amazon.com, 2026-11-23); EKS writes its labels
from that API. Of other clouds nobody has published a list at hand, so their machines are taken to have labels.
"""

import re

from bedplate.catalog.machines import MACHINES

PLACED = re.compile(r"(p3dn|p4de?|p6[a-z]*-[a-z0-9]+|g6e|g7e)\.\w+|p5(e|en)?\.48xlarge")


def placed(machine: str) -> bool:
    """False of a machine of EC2 that its topology does not know."""
    known = MACHINES.get(machine)
    return known is None or known.cloud != "eks" or PLACED.fullmatch(machine) is not None
