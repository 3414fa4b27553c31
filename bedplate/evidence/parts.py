"""What others found out, as parts of a statement: the running cluster, and results of checks. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from bedplate.components.bounded_yaml import parsed_json
from bedplate.wrong import WrongError

from .statement import Part, sha256

NO_STATE = "what the engine deployed: no state was given (--state FILE, from `pulumi stack export`)"
NO_CLUSTER = "the running cluster: it was not asked (--cluster asks it)"
NO_CHECKS = (
    "GPUs, links, fabric, storage and servers: no result was given "
    "(--verify FILE, from `bedplate verify ENV --level full --json`)"
)
Json = Mapping[str, Any]


def of_cluster(
    version: str, findings: Sequence[Json], unseen: Mapping[str, str], objects: int, images: Mapping[str, str]
) -> Part:
    """What the cluster showed: findings against the plan, and images by digest as its nodes pulled them."""
    digested = {name: digest for name, digest in images.items() if digest}
    says = {"version": version, "objects": objects, "findings": list(findings), "images": digested}
    hidden = (f"{kind}: {reason}" for kind, reason in sorted(unseen.items()))
    untold = (f"image {name}: it runs, and its node tells no digest" for name in images if name not in digested)
    return Part(says, len(findings), (*hidden, *untold))


def of_checks(text: bytes, source: str, stack: str, changed: str = "") -> Part:
    """A result of `bedplate verify --json`; one of before the cluster last `changed` says nothing of it as it is."""
    try:
        document = cast("Json", parsed_json(text))
        counts, cases, open_ = document["counts"], document["cases"], document["notChecked"]
        failed = int(counts["failed"])
    except (ValueError, KeyError, TypeError):
        raise WrongError(f"{source}: no result of `bedplate verify --json`") from None
    if document.get("stack") != stack:
        raise WrongError(f"{source}: a result of stack {document.get('stack')}, and this is {stack}")
    finished = _moment(document.get("finished"), source)
    unknown = [f"{case['check']} {case['subject']}: {case['text']}" for case in cases if case["status"] == "unknown"]
    if changed and finished < datetime.fromisoformat(changed):
        unknown.append(
            f"{source}: it ended {document['finished']}, and the cluster was last changed {changed}: verify anew"
        )
    says = {"sha256": sha256(text), "finished": document["finished"], "level": document["level"], "counts": counts}
    return Part({**says, "cases": cases}, failed, (*map(str, open_), *unknown))


def _moment(value: object, source: str) -> datetime:
    """When a result was whole. Results had no time until Bedplate wrote one, and nobody knows how old those are."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise WrongError(f"{source}: it does not say when it ended (`finished`); run `bedplate verify` anew")
    return moment


def digests(pods: Iterable[Json]) -> dict[str, str]:
    """Images by digest, as the nodes' runtimes say them of containers that have started (`imageID`); empty: not at all.

    A runtime that has an image from a file alone tells the id of its configuration, which is no digest of it. Nodes
    that pulled one tag at different times may run different images: all their digests are named, divided by commas.
    """
    by_image: dict[str, set[str]] = {}
    for pod in pods:
        status = pod.get("status", {})
        for status_there in (*status.get("containerStatuses", ()), *status.get("initContainerStatuses", ())):
            digest, name = str(status_there.get("imageID", "")), str(status_there["image"])
            if "waiting" not in status_there.get("state", {}):
                by_image.setdefault(name, set()).update({digest.rpartition("@")[2]} if "@" in digest else ())
    return {name: ", ".join(sorted(ids)) for name, ids in sorted(by_image.items())}
