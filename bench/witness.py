"""Everything that happens to nodes, pods and jobs from the first event on, and what was wrong at any moment of it.

Watches, and no poll: between two looks a pod may come and go. Kinds are put in one order by their resource versions,
which is sound where one etcd keeps them all, as in a lab.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any, Literal

from bedplate.cluster.backoff import Backoff
from bedplate.cluster.errors import ClusterError, CutError
from bedplate.cluster.reader import Reader
from bedplate.components.verification.qualification import NAMESPACE, QUALIFIED, REASON, TESTED_ON

NODES, PODS, JOBS = "/api/v1/nodes", "/api/v1/pods", "/apis/batch/v1/jobs"
OVER = {"Succeeded", "Failed"}
Kind = Literal["node", "pod", "test", "job"]


@dataclass(frozen=True, order=True)
class Event:
    """One object as it was from one moment on."""

    version: int
    kind: Kind
    name: str
    is_on: bool
    """A node is in the queues; a pod holds a node; a test is under way; a job waits for its queue."""
    place: str = ""
    """Of a pod: its node."""


@dataclass(frozen=True)
class Judged:
    """What was true at every moment."""

    wrong: tuple[str, ...]
    """Pods on nodes that were not in."""
    placed: int
    """Pods that have held a node."""
    nodes: int
    """That pods have held."""
    most_tests: int
    fewest_waiting: int
    """Jobs in the queues, from the first test's begin to the last test's end."""


@dataclass
class Witness:
    """Follows the cluster behind a context; `tested` is what the nodes carry now."""

    context: str
    teams: Collection[str]
    seconds: float
    events: list[Event] = field(default_factory=list[Event])
    tested: dict[str, str] = field(default_factory=dict[str, str])
    """Why a node is out, empty if it is in; those alone that a test has ended on."""
    held: set[str] = field(default_factory=set[str])
    """Pods that have had a node."""
    lost: list[str] = field(default_factory=list[str])
    """Watches that broke, so that nothing is proven."""
    news: Condition = field(default_factory=Condition)
    over: bool = False
    """Nobody looks any more: what ends now is no loss."""

    def start(self) -> None:
        """From now on; what is there already is the first event of it."""
        for path, read in ((NODES, self._node), (PODS, self._pod), (JOBS, self._job)):
            found, version = Reader(self.context).look(path)
            for one in found:
                self._take(read(one, gone=False))
            Thread(target=self._follow, args=(path, version, read), daemon=True).start()

    def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Whether it came true in time; also of what no event tells, such as the end of a process."""
        end = time.monotonic() + seconds
        with self.news:
            while not done() and time.monotonic() < end:
                self.news.wait(1)
            return done()

    def _follow(self, path: str, version: str, read: Callable[..., Event | None]) -> None:
        """The server may end a watch; the next goes on where that one was."""
        backoff = Backoff(time.monotonic() + self.seconds)
        while not self.over and backoff.left > 0:
            began = time.monotonic()
            try:
                with Reader(self.context).changes(path, version, backoff.left) as changes:
                    for change in changes:
                        version = str(change["object"]["metadata"]["resourceVersion"])
                        if change["type"] != "BOOKMARK":
                            self._take(read(change["object"], gone=change["type"] == "DELETED"))
            except CutError:
                pass  # nothing is lost: the next one begins with what came after
            except ClusterError as error:
                self.lost.append(str(error))
                return
            backoff.rest(began)

    def _take(self, event: Event | None) -> None:
        if event:
            with self.news:
                self.events.append(event)
                self.news.notify_all()

    def _node(self, one: Mapping[str, Any], *, gone: bool) -> Event:
        metadata = one["metadata"]
        notes = metadata.get("annotations", {})
        if TESTED_ON in notes:
            self.tested[metadata["name"]] = notes.get(REASON, "")
        is_in = metadata.get("labels", {}).get(QUALIFIED) == "true"
        return Event(_version(one), "node", metadata["name"], is_in and not gone)

    def _pod(self, one: Mapping[str, Any], *, gone: bool) -> Event | None:
        if one["metadata"]["namespace"] not in self.teams:
            return None
        place = one["spec"].get("nodeName", "")
        holds = bool(place) and one["status"].get("phase") not in OVER and not gone
        if holds:
            self.held.add(_name(one))
        return Event(_version(one), "pod", _name(one), holds, place)

    def _job(self, one: Mapping[str, Any], *, gone: bool) -> Event | None:
        if one["metadata"]["namespace"] == NAMESPACE:
            ends = one.get("status", {}).get("conditions", ())
            over = any(each["type"] in {"Complete", "Failed"} and each["status"] == "True" for each in ends)
            return Event(_version(one), "test", _name(one), not over and not gone)
        if one["metadata"]["namespace"] in self.teams:
            return Event(_version(one), "job", _name(one), bool(one["spec"].get("suspend")) and not gone)
        return None


def judged(events: Iterable[Event]) -> Judged:
    """Moment by moment. Pure."""
    on: dict[Kind, dict[str, str]] = {"node": {}, "pod": {}, "test": {}, "job": {}}
    wrong: dict[str, None] = {}
    held: dict[str, str] = {}
    tests: list[int] = []
    waiting: list[int] = []
    between = 0
    for event in sorted(events):
        if event.is_on:
            on[event.kind][event.name] = event.place
        else:
            on[event.kind].pop(event.name, None)
        if event.kind == "pod" and event.is_on:
            held[event.name] = event.place
        if event.kind == "test":
            tests.append(len(on["test"]))
            between = len(waiting) + 1  # after the last test nobody need wait
        if tests:
            waiting.append(len(on["job"]))
        wrong |= dict.fromkeys(_strays(event, on))
    fewest = min(waiting[:between], default=0)
    return Judged(tuple(wrong), len(held), len({*held.values()}), max(tests, default=0), fewest)


def _strays(event: Event, on: Mapping[Kind, Mapping[str, str]]) -> Iterator[str]:
    """Pods that this event leaves on a node that is not in."""
    if event.kind == "pod" and event.is_on and event.place not in on["node"]:
        yield f"{event.name} on {event.place}"
    if event.kind == "node" and not event.is_on:
        yield from (f"{pod} on {event.name}" for pod, place in on["pod"].items() if place == event.name)


def _version(one: Mapping[str, Any]) -> int:
    return int(one["metadata"]["resourceVersion"])


def _name(one: Mapping[str, Any]) -> str:
    return f"{one['metadata']['namespace']}/{one['metadata']['name']}"
