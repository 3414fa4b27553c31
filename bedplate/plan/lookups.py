"""What the program looks up in a cloud account, answered without one: each answer says what it stands for.

Only look-ups that are listed here can be planned; what comes of them is known at `pulumi up`.
"""

from collections.abc import Callable, Mapping
from typing import Any

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _eks_cluster(arguments: Mapping[str, Any]) -> dict[str, Any]:
    name = arguments["name"]
    return {
        "id": name,
        "name": name,
        "vpcConfig": {"vpcId": f"vpc of {name}", "clusterSecurityGroupId": f"cluster security group of {name}"},
    }


def _subnet(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {**arguments, "id": f"tagged subnet in {arguments['availabilityZone']}"}


LOOKUPS: Mapping[str, Answer] = {
    "aws:eks/getCluster:getCluster": _eks_cluster,
    "aws:ec2/getSubnet:getSubnet": _subnet,
}


def described(token: str, arguments: Mapping[str, Any]) -> str:
    """A look-up in a few words: `getSubnet us-east-2a`."""
    what = arguments.get("name") or arguments.get("availabilityZone") or ""
    return f"{token.rpartition(':')[2]} {what}".rstrip()
