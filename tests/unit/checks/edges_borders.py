"""What a team's pods may reach, on either side of what is refused."""

from typing import Any

from tests.stack_files import document
from tests.unit.checks.case import GONE, Case, edited, refused, taken

ROCE, GKE, EKS = "onprem-h100-roce", "gke-a3-mega", "eks-p5"
EGRESS = "tenancy.teams.0.egress"
CALLERS = "tenancy.teams.0.ingressFrom"
EGRESS_OF_FIRST = "tenancy.teams[0].egress[0]"
SIX = {"clusterNetwork.podCidr6": "fd00:10::/48", "clusterNetwork.serviceCidr6": "fd00:96::/112"}
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
    "some pods": refused(
        edited(ROCE, {EGRESS: ["10.244.7.0/24"]}),
        (f"{EGRESS_OF_FIRST} = 10.244.7.0/24", "lies within clusterNetwork.podCidr 10.244.0.0/16", "a load balancer's"),
    ),
    "a pod": refused(edited(ROCE, {EGRESS: ["10.244.7.9/32"]}), (EGRESS_OF_FIRST, "clusterNetwork.podCidr")),
    "some pods by IPv6": refused(
        edited(ROCE, {**SIX, EGRESS: ["fd00:10:0:7::/64"]}), (EGRESS_OF_FIRST, "clusterNetwork.podCidr6 fd00:10::/48")
    ),
    "an address beside the pods": taken(edited(ROCE, {EGRESS: ["10.245.0.1/32"]})),
    "a database among pods that have addresses of the cloud's network": taken(edited(EKS, {EGRESS: ["10.0.3.7/32"]})),
    "a part of the cloud's network that pods and nodes share": taken(edited(EKS, {EGRESS: ["10.0.3.0/24"]})),
    "pods within the network of the nodes": taken(
        edited(ROCE, {"clusterNetwork.nodeCidrs": ["10.240.0.0/12"], EGRESS: ["10.244.7.9/32"]})
    ),
    "some Services": refused(
        edited(ROCE, {EGRESS: ["10.96.0.0/24"]}),
        (f"{EGRESS_OF_FIRST} = 10.96.0.0/24", "lies within clusterNetwork.serviceCidr", "one Service"),
    ),
    "some Services by IPv6": refused(
        edited(ROCE, {**SIX, EGRESS: ["fd00:96::/127"]}), (EGRESS_OF_FIRST, "clusterNetwork.serviceCidr6")
    ),
    "a Service": taken(edited(ROCE, {EGRESS: ["10.96.0.1/32"]})),
    "a Service by IPv6": taken(edited(ROCE, {**SIX, EGRESS: ["fd00:96::1/128"]})),
    "callers among the pods": refused(
        edited(ROCE, {CALLERS: ["gateways", "10.244.7.0/24"]}),
        ("tenancy.teams[0].ingressFrom[1] = 10.244.7.0/24", "clusterNetwork.podCidr", "name the namespaces that call"),
    ),
    "all pods as callers": refused(
        edited(ROCE, {CALLERS: ["10.244.0.0/16"]}), ("tenancy.teams[0].ingressFrom[0]", "clusterNetwork.podCidr")
    ),
    "callers outside, and namespaces": taken(edited(ROCE, {CALLERS: ["gateways", "10.64.0.0/16", "0.0.0.0/0"]})),
    "callers in the cloud's network that pods and nodes share": taken(edited(EKS, {CALLERS: ["10.0.0.0/16"]})),
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
