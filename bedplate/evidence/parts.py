"""What others found out, as parts of a statement: the engine's state, the running cluster, results of checks. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from .statement import Part, sha256

NO_STATE = "what the engine deployed: no state was given (--state FILE, from `pulumi stack export`)"
NO_CLUSTER = "the running cluster: it was not asked (--cluster asks it)"
NO_CHECKS = (
    "GPUs, links, fabric, storage and servers: no result was given "
    "(--verify FILE, from `bedplate verify ENV --level full --json`)"
)
BY_THE_PROVIDER = ("kubernetes:kustomize/v2:Directory$", "kubernetes:yaml/v2:")
"""Parents whose children the provider makes of manifests that a plan does not read."""
Json = Mapping[str, Any]


class WrongFileError(Exception):
    """A file that says nothing about this stack."""


def of_state(text: bytes, source: str, urns: Iterable[str]) -> Part:
    """What the engine holds of this plan, by URN; nothing else of its state, which may hold secrets, goes on."""
    planned = set(urns)
    try:
        deployment = json.loads(text)["deployment"]
        held = {str(one["urn"]) for one in deployment["resources"]}
        never = sorted(_unfinished(deployment))
    except (ValueError, KeyError, TypeError):
        raise WrongFileError(f"{source}: no state of the engine; `pulumi stack export` writes one") from None
    own = {urn for urn in held if not urn.rpartition("::")[0].endswith("pulumi:pulumi:Stack")}
    if own and planned and not own & planned:
        raise WrongFileError(f"{source}: a state of another stack: it holds nothing of this plan")
    missing, more = sorted(planned - own), sorted(filter(_ours, own - planned))
    differs = {"notDeployed": missing, "notPlanned": more, "notFinished": never}
    return Part({"sha256": sha256(text), "resources": len(own), **differs}, sum(map(len, differs.values())))


def _unfinished(deployment: Json) -> Iterator[str]:
    """What the engine began and has no end of, by URN (pulumi/pulumi sdk/go/common/apitype, DeploymentV3)."""
    for one in deployment["resources"]:
        if one.get("initErrors"):
            yield f"{one['urn']}: it never became ready"
        if one.get("delete"):
            yield f"{one['urn']}: its old one was to be deleted"
    for one in deployment.get("pending_operations") or ():
        yield f"{one['resource']['urn']}: killed while {one['type']} it"


def _ours(urn: str) -> bool:
    return "::pulumi:providers:" not in urn and not any(kind in urn for kind in BY_THE_PROVIDER)


def of_cluster(
    version: str, found: Sequence[Json], unseen: Mapping[str, str], objects: int, images: Mapping[str, str]
) -> Part:
    """What the cluster showed: findings against the plan, and images by digest as its nodes pulled them."""
    known = {name: digest for name, digest in images.items() if digest}
    says = {"version": version, "objects": objects, "findings": list(found), "images": known}
    hidden = (f"{kind}: {reason}" for kind, reason in sorted(unseen.items()))
    untold = (f"image {name}: it runs, and its node tells no digest" for name in images if name not in known)
    return Part(says, len(found), (*hidden, *untold))


def of_checks(text: bytes, source: str, stack: str) -> Part:
    """A result of `bedplate verify --json`."""
    try:
        said = cast("Json", json.loads(text))
        counts, cases, open_ = said["counts"], said["cases"], said["notChecked"]
        failed = int(counts["failed"])
    except (ValueError, KeyError, TypeError):
        raise WrongFileError(f"{source}: no result of `bedplate verify --json`") from None
    if said.get("stack") != stack:
        raise WrongFileError(f"{source}: a result of stack {said.get('stack')}, and this is {stack}")
    unknown = [f"{one['check']} {one['subject']}: {one['text']}" for one in cases if one["status"] == "unknown"]
    says = {"sha256": sha256(text), "level": said["level"], "counts": counts, "cases": cases}
    return Part(says, failed, (*map(str, open_), *unknown))


def digests(pods: Iterable[Json]) -> dict[str, str]:
    """Images by digest, as the nodes' runtimes say them of containers that have started (`imageID`); empty: not at all.

    A runtime that has an image from a file alone tells the id of its configuration, which is no digest of it. Nodes
    that pulled one tag at different times may run different images: all their digests are named, divided by commas.
    """
    found: dict[str, set[str]] = {}
    for pod in pods:
        status = pod.get("status", {})
        for one in (*status.get("containerStatuses", ()), *status.get("initContainerStatuses", ())):
            told, name = str(one.get("imageID", "")), str(one["image"])
            if "waiting" not in one.get("state", {}):
                found.setdefault(name, set()).update({told.rpartition("@")[2]} if "@" in told else ())
    return {name: ", ".join(sorted(told)) for name, told in sorted(found.items())}
