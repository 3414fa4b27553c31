"""Whether anybody keeps the teams' NetworkPolicies: the API server takes them, and the CNI may pass them over."""

from collections.abc import Iterator

from bedplate.live.finding import Finding
from bedplate.live.kinds import DAEMON_SET
from bedplate.live.reading import Object, Seen, part, place
from bedplate.live.wanted import Wanted

KEEPERS = ("calico-node", "canal", "rke2-canal", "cilium", "anetd", "antrea-agent", "azure-npm", "kube-ovn-cni")
"""DaemonSets of CNIs, or of what stands beside one, that keep policies; `anetd` is GKE's Dataplane V2."""
WITHOUT = {
    "kube-flannel-ds": "Flannel",
    "kube-flannel": "Flannel",
    "vcn-native-ip-cni": "OCI's VCN-native CNI",
    "azure-cns": "Azure CNI",
    "netd": "GKE's first data plane",
}
"""DaemonSets of those that keep none by themselves."""
VPC_CNI, SWITCH = "aws-node", "--enable-network-policy=true"
"""Amazon's keeps them with this argument of its second container (aws/amazon-vpc-cni-k8s, charts/aws-vpc-cni)."""
OPEN = "teams' pods reach each other, the cluster's agents and the node's own services"


def borders(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Said only of CNIs that are known for it: another one may keep them under any name."""
    there = {place(one)[1]: one for one in seen.of(DAEMON_SET)} if wanted.teams else {}
    if any(name in there for name in KEEPERS):
        return
    names = {WITHOUT[name] for name in there if name in WITHOUT}
    if VPC_CNI in there and SWITCH not in _arguments(there[VPC_CNI]):
        names.add("the VPC CNI without enableNetworkPolicy")
    if names:
        yield Finding("teams", "NetworkPolicies", f"nobody keeps them: {' and '.join(sorted(names))}", OPEN)


def _arguments(one: Object) -> list[str]:
    containers = part(one, "spec", "template", "spec").get("containers", [])
    return [argument for container in containers for argument in container.get("args", [])]
