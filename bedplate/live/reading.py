"""Lists of a cluster, one for each kind and side by side: a look at all of it takes as long as the longest of them.

They go through kubectl, as everything here that reaches a cluster (docs/decisions/0008): it knows exec plugins, proxies
and certificates. Only `get` on lists; a kind that may not be listed is reported, and never taken for absent.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import get as fetched
from bedplate.cluster.objects import Object, place
from bedplate.cluster.reader import Get, listed
from bedplate.live.kinds import POD, Kind
from bedplate.live.lean import Pods

TOGETHER = 8
"""Lists side by side."""
PATIENCE = 30.0
"""Seconds that a page of a list may take."""
ABSENT = "(NotFound)"
NOT_SERVED = re.compile(r"could not find the requested resource|\(NotFound\)")
REFUSED = re.compile(r"\(Forbidden\)")


class UnreachableError(Exception):
    """Nobody answers, or nobody who knows us: nothing can be said of this cluster."""


@dataclass(frozen=True)
class Observed:
    """What a cluster showed."""

    objects: Mapping[Kind, Sequence[Object]] = field(default_factory=dict[Kind, Sequence[Object]])
    absent: frozenset[Kind] = frozenset()
    """Kinds that the API server does not serve."""
    hidden: Mapping[Kind, str] = field(default_factory=dict[Kind, str])
    """Kinds that could not be listed, each with the reason."""
    version: str = ""
    """The API server's, such as `v1.35.4`."""

    def of(self, kind: Kind) -> Sequence[Object]:
        """All objects of a kind; none of a kind that was not listed."""
        return self.objects.get(kind, ())

    def knows(self, kind: Kind) -> bool:
        """Whether a kind was listed, so that what is not among its objects does not exist."""
        return kind in self.objects

    def find(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """The object of this name; None where it was not listed."""
        return next((obj for obj in self.of(kind) if place(obj) == (namespace, name)), None)

    def with_more(self, other: "Observed") -> "Observed":
        """Both together; of a kind that both listed, in other namespaces each, the objects of both."""
        return Observed(
            {kind: [*self.of(kind), *other.of(kind)] for kind in (*self.objects, *other.objects)},
            self.absent | other.absent,
            {**self.hidden, **other.hidden},
            self.version or other.version,
        )


def getter(context: str) -> Get:
    """Requests to the cluster behind a context of the kubeconfig."""
    return partial(fetched, context, request=PATIENCE)


def version(get: Get) -> str:
    """The API server's version, such as `v1.35.4`; UnreachableError where it does not answer us."""
    try:
        return str(json.loads(get("/version"))["gitVersion"])
    except (ClusterError, ValueError) as error:
        raise UnreachableError(complaint(error)) from error


def look(get: Get, kinds: Iterable[Kind], namespaces: Sequence[str] = ("",)) -> Observed:
    """Lists of these kinds, in all namespaces or in some."""
    unique = dict.fromkeys(kinds) if namespaces else {}
    with ThreadPoolExecutor(TOGETHER) as pool:
        homes = list(dict.fromkeys(kind.home for kind in unique))
        plurals = dict(zip(homes, pool.map(partial(_plurals, get), homes), strict=True))
        lists = [(kind, namespace, plurals[kind.home]) for kind in unique for namespace in namespaces]
        answers = list(pool.map(partial(_listed, get), *zip(*lists, strict=True))) if lists else []
    objects: dict[Kind, list[Object]] = {}
    absent, hidden = set[Kind](), dict[Kind, str]()
    for (kind, _, _), answer in zip(lists, answers, strict=True):
        if isinstance(answer, list):
            objects.setdefault(kind, []).extend(answer)
        elif NOT_SERVED.search(answer):
            absent.add(kind)
        else:
            hidden[kind] = "you may not list them" if REFUSED.search(answer) else answer
    return Observed(objects, frozenset(absent), hidden)


def _plurals(get: Get, home: str) -> Mapping[str, str] | str:
    """By kind, what the API server lists it as (`APIResourceList`, without subresources such as `pods/log`)."""
    try:
        served = json.loads(get(home))["resources"] or ()
        return {resource["kind"]: resource["name"] for resource in served if "/" not in resource["name"]}
    except (ValueError, LookupError, TypeError):
        return f"{home}: what answers is no API server"
    except ClusterError as error:
        return complaint(error)


def _listed(get: Get, kind: Kind, namespace: str, plurals: Mapping[str, str] | str) -> list[Object] | str:
    """The objects, or why there are none."""
    if isinstance(plurals, str):
        return plurals
    if kind.kind not in plurals:
        return ABSENT
    try:
        lean = Pods() if kind == POD else dict
        return list[Object](listed(get, kind.path(plurals[kind.kind], namespace), lean)[0])
    except ClusterError as error:
        return complaint(error)


def complaint(error: Exception) -> str:
    """The last line of what kubectl wrote."""
    return (str(error).strip().splitlines() or ["no answer"])[-1].strip()
