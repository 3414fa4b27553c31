"""What a provider would answer to a registration, as far as other resources read it.

Kubernetes objects get the name and uid that an API server gives, a Helm release its status, the AWS resources that
others refer to their name or version. Everything else answers with its inputs. Of what the program looks up in a cloud
account only `LOOKUPS` can be planned: each answer says what it stands for. Nothing here asks a cluster or a cloud.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard
from uuid import NAMESPACE_URL, uuid5

from .wire import SIGNATURE, Json

RELEASE = "kubernetes:helm.sh/v3:Release"
KUSTOMIZATION = "kubernetes:kustomize/v2:Directory"


def answer(type_: str, name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of a created resource."""
    if type_ == RELEASE:
        return _release(name, inputs)
    if type_.startswith("kubernetes:"):
        return _kubernetes_object(type_, name, inputs)
    return {**_aws(type_, name), **inputs}


def identity(type_: str, name: str, inputs: Mapping[str, Any]) -> str:
    """The id that a provider would give: `namespace/name` for a Kubernetes object."""
    named = inputs if type_ == RELEASE else inputs.get("metadata", {})
    if type_.startswith("kubernetes:") and _is_plain(named):
        namespace, own = named.get("namespace"), named.get("name") or name
        return f"{namespace}/{own}" if isinstance(namespace, str) else str(own)
    return f"{name}-id"


def _is_plain(value: Json) -> TypeGuard[dict[str, Json]]:
    """Neither a secret nor unknown: readable."""
    return isinstance(value, dict) and SIGNATURE not in value


def _release(name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    status = {key: inputs.get(key) for key in ("name", "namespace", "chart", "version")}
    status = {**status, "name": inputs.get("name") or name, "status": "deployed", "revision": 1}
    return {**inputs, "name": status["name"], "status": status}


def _kubernetes_object(type_: str, name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    metadata = inputs.get("metadata", {})
    if not _is_plain(metadata):
        return dict(inputs)
    named = metadata.get("name") or name
    uid = str(uuid5(NAMESPACE_URL, f"{type_}/{metadata.get('namespace', '')}/{named}"))
    return {**inputs, "metadata": {**metadata, "name": named, "uid": uid}}


def _aws(type_: str, name: str) -> dict[str, Any]:
    match type_:
        case "aws:ec2/placementGroup:PlacementGroup":
            return {"name": name}
        case "aws:ec2/launchTemplate:LaunchTemplate":
            return {"name": name, "latestVersion": 1}
        case "aws:eks/cluster:Cluster":
            return {"identities": [{"oidcs": [{"issuer": f"https://oidc.example.com/{name}"}]}]}
        case _:
            return {}


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
