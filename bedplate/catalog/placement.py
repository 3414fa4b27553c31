"""Which machines a cloud can place in its network: only their nodes get the labels that say where they are.

* EC2: "Prerequisites for Amazon EC2 topology", instance types (docs.aws.amazon.com, 2026-11-23); EKS writes its labels
  from that API.
* OKE: `rdmaTopologyData`, from which it writes its labels, is there for bare metal with RDMA alone
  (oracle-quickstart/oci-hpc-oke docs/using-rdma-network-locality-when-running-workloads-on-oke.md).
* GKE: "Schedule GKE workloads with Topology Aware Scheduling" names the labels for machines of AI Hypercomputer; of its
  smaller machines nobody says that they have them.

Kueue never admits a job to a flavor whose nodes lack the labels, so a machine that nobody names is taken to have none.
"""

import re

from bedplate.catalog.machines import MACHINES

PLACED = {
    "eks": re.compile(r"(p3dn|p4de?|p6[a-z]*-[a-z0-9]+|g6e|g7e)\.\w+|p5(e|en)?\.48xlarge"),
    "gke": re.compile(r"a3-(high|mega|ultra)gpu-8g|a4.*"),
    "oke": re.compile(r"BM\.GPU(?!\.A10\.).*"),
}
"""Names of the machines with labels, by cloud; a cloud without a row writes none that matter here."""


def placed(machine: str) -> bool:
    """False of a cloud's machine whose nodes get no labels of its network."""
    row = MACHINES.get(machine)
    names = PLACED.get(row.cloud or "") if row else None
    return names is None or names.fullmatch(machine) is not None
