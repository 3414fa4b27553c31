"""What a team's pods may reach, on either side of what is refused."""

from typing import Any

from tests.stack_files import document
from tests.unit.checks.case import GONE, Case, edited, refused, taken

ROCE, GKE, EKS = "onprem-h100-roce", "gke-a3-mega", "eks-p5"
EGRESS = "tenancy.teams.0.egress"
OTHER = {"tenancy.teams.1.egress": GONE}
NOWHERE: dict[str, Any] = {"clusterNetwork": {}, **OTHER}
METADATA = "169.254.169.254/32"
BUCKET = {"kind": "bucket", "url": "gs://models/llama", "serviceAccount": "reader"}


def reader(stack: str, url: str, *egress: str) -> dict[str, Any]:
    """A server that streams its weights, in the second team's namespace."""
    alone = {"serving.servers.0.weights": {**BUCKET, "url": url}, "tenancy.teams.1.egress": list(egress)}
    return edited(stack, alone)


def lost(key: str) -> Case:
    """A cluster that does not say where some of it is."""
    return refused(
        edited(ROCE, {f"clusterNetwork.{key}": GONE, **OTHER}),
        (f"clusterNetwork.{key} = absent", "tenancy.teams[0].egress 0.0.0.0/0", f"add {key}, which"),
    )


EDGES = {
    "everything, without the cluster": taken(document(ROCE)),
    "everything, with the pods": lost("podCidr"),
    "everything, with the Services": lost("serviceCidr"),
    "everything, with the nodes": lost("nodeCidrs"),
    "a network that may hold the cluster": refused(
        edited(ROCE, {**NOWHERE, EGRESS: ["8.8.8.0/24", "10.20.0.0/16"]}),
        ("clusterNetwork.podCidr = absent", "tenancy.teams[0].egress 10.20.0.0/16", "serviceCidr, nodeCidrs"),
    ),
    "half of such a network": taken(edited(ROCE, {**NOWHERE, EGRESS: ["10.20.0.0/17"]})),
    "a wide network of the internet": taken(edited(ROCE, {**NOWHERE, EGRESS: ["34.0.0.0/8"]})),
    "all nodes": refused(
        edited(ROCE, {EGRESS: ["192.168.20.0/24"]}),
        ("tenancy.teams[0].egress[0] = 192.168.20.0/24", "all of clusterNetwork.nodeCidrs"),
    ),
    "a node": taken(edited(ROCE, {EGRESS: ["192.168.20.7/32"]})),
    "the node's own services": refused(
        edited(ROCE, {EGRESS: [METADATA]}), (f"tenancy.teams[0].egress[0] = {METADATA}", "credentials of the node")
    ),
    "Azure's wire server": refused(
        edited(ROCE, {EGRESS: ["168.63.129.16/32"]}), ("tenancy.teams[0].egress[0]", "credentials of the node")
    ),
    "the pod's own rights on EKS": taken(edited(EKS, {EGRESS: ["0.0.0.0/0", "169.254.170.23/32"]})),
    "the pod's own rights on GKE": taken(edited(GKE, {EGRESS: ["0.0.0.0/0", METADATA]})),
    "a bucket of Google's without the pod's own rights": refused(
        reader(GKE, BUCKET["url"], "0.0.0.0/0"),
        ("tenancy.teams[1].egress = 0.0.0.0/0", "metadata server", f"add {METADATA}"),
    ),
    "a bucket of Google's with them": taken(reader(GKE, BUCKET["url"], "0.0.0.0/0", METADATA)),
    "a bucket of Amazon's": taken(reader(EKS, "s3://models/llama", "0.0.0.0/0")),
}
