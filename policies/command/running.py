"""The objects of a running cluster as a reading: lists in pages, and nothing but lists. Secrets are never asked for.

Of what a controller made of another object that is here, that object is judged; of what others made, such as an
operator's pods, one for each owner.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.reader import Get, listed
from bedplate.policies.judging.kinds import known
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.manifests.read import Reading
from bedplate.policies.resources.model import Resource
from bedplate.policies.values import Tree, text, texts, tree, trees

UNREAD = {"Secret", "Event", "Endpoints", "EndpointSlice", "Lease", "ControllerRevision", "Binding"}
"""Kinds that hold secrets, and kinds that no rule reads and clusters have very many of."""
CARRIERS = {
    *("serving.kserve.io", "apps.nvidia.com", "grove.io", "workloads.x-k8s.io", "orchestration.aibrix.ai"),
    *("workload.serving.volcano.sh", "batch.volcano.sh"),
}
"""Groups of operators whose objects hold pod templates, which rules find in any kind."""
EXCLUDED = "object in a namespace that --exclude names"
TOGETHER = 8
"""Lists at a time, as the doctor asks for them."""


def server_version(get: Get) -> str:
    """Of Kubernetes, as rules compare it: 1.35."""
    stated = json.loads(get("/version"))
    return f"{stated['major']}.{str(stated['minor']).rstrip('+')}"


def read_cluster(get: Get, exclude: tuple[str, ...] = ()) -> Reading:
    """Every object of the kinds that rules look at, but for namespaces that a pattern excludes."""
    reading = Reading()
    with ThreadPoolExecutor(TOGETHER) as pool:
        served = list(_served(get))
        answers = list(pool.map(partial(_listed, get), served))
    found = [each for answer in answers if not isinstance(answer, str) for each in answer]
    reading.faults += [answer for answer in answers if isinstance(answer, str)]
    uids = {text(tree(each["metadata"]).get("uid")) for each in found}
    seen = set[tuple[str, str]]()
    for each in found:
        namespace = text(tree(each["metadata"]).get("namespace"))
        owner = next((text(one.get("uid")) for one in _owners(each) if one.get("controller")), "")
        if any(fnmatchcase(namespace, pattern) for pattern in exclude if namespace):
            reading.skipped[EXCLUDED] += 1
        elif owner not in uids and (not owner or (owner, text(each["kind"])) not in seen):
            seen.add((owner, text(each["kind"])))
            reading.resources.append(_resource(each))
    return reading


def _owners(item: Mapping[str, Any]) -> list[Tree]:
    return trees(tree(item["metadata"]).get("ownerReferences"))


def _resource(item: Mapping[str, Any]) -> Resource:
    """Without its state, which is nobody's manifest."""
    resource = from_manifest({key: value for key, value in item.items() if key != "status"})
    return replace(resource, urn=f"{resource.api_version}{resource.urn}")


def _served(get: Get) -> Iterator[tuple[str, str, str]]:
    """API version, kind and plural of all that rules look at, each in the version that its group prefers."""
    groups = trees(json.loads(get("/apis")).get("groups"))
    homes = ["v1", *(text(tree(each.get("preferredVersion")).get("groupVersion")) for each in groups)]
    for api in homes:
        for each in trees(json.loads(get(_home(api))).get("resources")):
            kind, plural = text(each.get("kind")), text(each.get("name"))
            lists = "/" not in plural and "list" in texts(each.get("verbs")) and kind not in UNREAD
            if lists and (api.split("/")[0] in CARRIERS or known(from_manifest({"apiVersion": api, "kind": kind}))):
                yield api, kind, plural


def _home(api: str) -> str:
    return f"/{'apis' if '/' in api else 'api'}/{api}"


def _listed(get: Get, served: tuple[str, str, str]) -> list[dict[str, Any]] | str:
    """The objects of a kind, or why they cannot be listed."""
    api, kind, plural = served
    try:
        found, _ = listed(get, f"{_home(api)}/{plural}")
    except ClusterError as error:
        return f"{kind} {api}: not judged: {error}"
    return [{**each, "apiVersion": api, "kind": kind} for each in found]
