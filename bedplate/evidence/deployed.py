"""What the engine's state holds, held against what is planned: names, values and what never ended. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from bedplate.components.bounded_yaml import parsed_json
from bedplate.components.quantity import amount
from bedplate.plan.graph import Node
from bedplate.plan.wire import MASK, SIGNATURE, UNKNOWN
from bedplate.wrong import WrongError

from .statement import Part, sha256

BY_THE_PROVIDER = ("kubernetes:kustomize/v2:Directory$", "kubernetes:yaml/v2:")
"""Parents whose children the provider makes of manifests that a plan does not read."""
RELEASE = "kubernetes:helm.sh/v3:Release"
NOT_KEPT = ("__", "compat")
"""Beginnings of properties that say nothing of a cluster: the pickled provider, and what the SDK tells the Kubernetes
provider of a Release, which it does not keep (pulumi/pulumi-kubernetes sdk/python, helm/v3/Release.py)."""
Json = Mapping[str, Any]


def stated(nodes: Iterable[Node]) -> dict[str, Json]:
    """By URN, the properties that the program says itself: of what another resource answers a plan knows a guess."""
    return {
        node.urn: {}
        if node.read
        else {key: value for key, value in node.inputs.items() if not node.property_dependencies.get(key)}
        for node in nodes
    }


def of_state(text: bytes, source: str, planned: Mapping[str, Json]) -> Part:
    """What the engine holds of this plan; of its values, which may be secrets, only where they are others goes on."""
    try:
        deployment = parsed_json(text)["deployment"]
        held = {str(resource["urn"]): resource for resource in deployment["resources"]}
        never = sorted(_unfinished(deployment))
        times = [str(resource["modified"]) for resource in held.values() if resource.get("modified")]
        changed = max(times, key=datetime.fromisoformat, default="")
    except (ValueError, KeyError, TypeError):
        raise WrongError(f"{source}: no state of the engine; `pulumi stack export` writes one") from None
    own = {urn for urn in held if not urn.rpartition("::")[0].endswith("pulumi:pulumi:Stack")}
    if own and planned and not own & planned.keys():
        raise WrongError(f"{source}: a state of another stack: it holds nothing of this plan")
    missing, more = sorted(planned.keys() - own), sorted(filter(_ours, own - planned.keys()))
    differing_paths = sorted(
        f"{urn}: {', '.join(paths)}" for urn in own & planned.keys() if (paths := _paths(urn, planned, held))
    )
    differs = {"notDeployed": missing, "notPlanned": more, "notFinished": never, "notAsPlanned": differing_paths}
    says = {"sha256": sha256(text), "resources": len(own), "changed": changed}
    return Part({**says, **differs}, sum(map(len, differs.values())))


def _paths(urn: str, planned: Mapping[str, Json], held: Mapping[str, Json]) -> list[str]:
    """Where a resource's properties are other than planned."""
    kind = urn.split("::")[2].rpartition("$")[2]
    inputs = cast("Json", held[urn].get("inputs") or {})
    paths: list[str] = []
    for key, value in planned[urn].items():
        # Only what a manifest or a chart's values say is the stack's as a whole; elsewhere providers add defaults.
        whole = key == "values" if kind == RELEASE else kind.startswith("kubernetes:") and key != "metadata"
        if not key.startswith(NOT_KEPT):
            paths += differing(value, inputs.get(key), key, whole=whole)
    return paths


def differing(planned: object, held: object, path: str, *, whole: bool) -> Iterator[str]:
    """Paths of leaves that differ; what is held and not planned counts where the plan says the `whole`."""
    if _hidden(planned) or _hidden(held):
        return
    wish, has = cast("Any", planned), cast("Any", held)
    if isinstance(planned, Mapping) and isinstance(held, Mapping):
        for key in sorted({*wish, *(has if whole else ())}):
            yield from differing(wish.get(key), has.get(key), f"{path}.{key}", whole=whole)
    elif isinstance(planned, list) and isinstance(held, list) and len(wish) == len(has):
        for index, (wished, kept) in enumerate(zip(wish, has, strict=True)):
            yield from differing(wished, kept, f"{path}[{index}]", whole=whole)
    elif not _same(cast("object", wish), cast("object", has)):
        yield path


def _hidden(value: object) -> bool:
    """Nobody may or can see it: a secret, or what only a deployment brings."""
    return value in (MASK, UNKNOWN) or (isinstance(value, Mapping) and SIGNATURE in value)


def _same(planned: object, held: object) -> bool:
    """A refresh writes quantities as the API server does: 1024Gi is 1Ti."""
    if planned == held or not (planned or held):
        return True
    try:
        return amount(str(planned)) == amount(str(held))
    except ValueError:
        return False


def _unfinished(deployment: Json) -> Iterator[str]:
    """What the engine began and has no end of, by URN (pulumi/pulumi sdk/go/common/apitype, DeploymentV3)."""
    for resource in deployment["resources"]:
        if resource.get("initErrors"):
            yield f"{resource['urn']}: it never became ready"
        if resource.get("delete"):
            yield f"{resource['urn']}: its old one was to be deleted"
    for pending in deployment.get("pending_operations") or ():
        yield f"{pending['resource']['urn']}: killed while {pending['type']} it"


def _ours(urn: str) -> bool:
    return "::pulumi:providers:" not in urn and not any(kind in urn for kind in BY_THE_PROVIDER)
