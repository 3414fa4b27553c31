"""Wait for what is on a cluster: by one list, and by as many watches after it as its connection needs.

A judge is told of each object once, and again whenever it changes, so that a change costs what one object costs.
"""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from bedplate.cluster.backoff import Backoff
from bedplate.cluster.errors import CutError, ExpiredError
from bedplate.cluster.kubectl import REQUEST
from bedplate.cluster.reader import Object, Reader


class Judge(Protocol):
    """What is wrong with the objects below a path."""

    def see(self, uid: str, one: Object | None) -> None:
        """The object is so from now on; None: it is gone."""
        ...

    def faults(self) -> Iterable[str]:
        """Nothing if all is well. After each change only the first is asked for."""
        ...


@dataclass
class Whole:
    """Judges all objects anew after each change: where they are few."""

    judge: Callable[[list[Object]], list[str]]
    objects: dict[str, Object] = field(default_factory=dict[str, Object])

    def see(self, uid: str, one: Object | None) -> None:
        """Keep it."""
        if one is None:
            self.objects.pop(uid, None)
        else:
            self.objects[uid] = one

    def faults(self) -> list[str]:
        """Of all of them."""
        return self.judge(list(self.objects.values()))


def until(reader: Reader, path: str, judge: Judge, deadline: float) -> tuple[list[str], bool]:
    """Faults of the objects below the path, none as soon as the judge finds none; and whether that took waiting.

    `deadline` is of `time.monotonic`. ClusterError where the first list fails, and where anything is refused. What
    broke the connection stands after the faults if it is still broken at the deadline.
    """
    looked, waited, broken = False, False, list[str]()
    try:
        with closing(follow(reader, path, judge, deadline)) as steps:
            for _ in steps:
                if not any(judge.faults()):
                    return [], waited
                looked, waited = True, time.monotonic() < deadline
    except CutError as error:
        if not looked:
            raise
        broken.append(str(error))
    return [*judge.faults(), *broken], waited


def follow(reader: Reader, path: str, judge: Judge, deadline: float) -> Generator[None]:
    """Tell the judge of all objects below the path and then of each change, until the deadline; a step after each.

    A watch goes on where the last one ended; only a version that the server no longer has (410) is listed anew.
    """
    backoff, known = Backoff(deadline), set[str]()
    version: str | None = _list(reader, path, judge, known, backoff.within(REQUEST))
    yield
    broken: CutError | None = None
    while backoff.left > 0:
        began, broken = time.monotonic(), None
        try:
            if version is None:
                version = _list(reader, path, judge, known, backoff.within(REQUEST))
                yield
            with reader.changes(path, version, backoff.left) as changes:
                for change in changes:
                    version = _tell(judge, known, change) or version
                    yield
        except ExpiredError:
            version = None
        except CutError as error:
            broken = error
        backoff.rest(began)
    if broken:
        raise broken


def _list(reader: Reader, path: str, judge: Judge, known: set[str], request: float) -> str:
    """Tell of all that is there, and of what the judge knew and is there no more; the version of the list."""
    there, version = set[str](), ""
    for page in reader.pages(path, request):
        if page.is_first:
            there, version = set[str](), page.version
        for item in page.items:
            there.add(uid := str(item["metadata"]["uid"]))
            known.add(uid)
            judge.see(uid, item)
    for uid in known - there:
        judge.see(uid, None)
    known &= there
    return version


def _tell(judge: Judge, known: set[str], change: Object) -> str:
    """Of one change; the version by now, empty if the server does not say. A bookmark is nothing but a newer one."""
    metadata = change["object"]["metadata"]
    if change["type"] in ("ADDED", "MODIFIED", "DELETED"):
        uid, is_gone = str(metadata["uid"]), change["type"] == "DELETED"
        judge.see(uid, None if is_gone else change["object"])
        (known.discard if is_gone else known.add)(uid)
    return metadata.get("resourceVersion", "")
