"""Wait for what is on a cluster: by one list, and by as many watches after it as its connection needs."""

import time
from collections.abc import Callable, Generator
from contextlib import closing

from bedplate.cluster.backoff import Backoff
from bedplate.cluster.errors import CutError, ExpiredError
from bedplate.cluster.kubectl import REQUEST
from bedplate.cluster.reader import Found, Object, Reader

Judge = Callable[[list[Object]], list[str]]
"""What is wrong with all objects below a path; empty if all is well."""


def until(reader: Reader, path: str, judge: Judge, deadline: float) -> tuple[list[str], bool]:
    """Faults of the objects below the path, none as soon as the judge finds none; and whether that took waiting.

    `deadline` is of `time.monotonic`. ClusterError where the first list fails, and where anything is refused. What
    broke the connection stands after the faults if it is still broken at the deadline.
    """
    faults, waited = list[str](), False
    try:
        with closing(states(reader, path, deadline)) as all_states:
            for objects in all_states:
                if not (faults := judge(objects)):
                    break
                waited = time.monotonic() < deadline
    except CutError as error:
        if not faults:
            raise
        faults.append(str(error))
    return faults, waited


def states(reader: Reader, path: str, deadline: float) -> Generator[list[Object]]:
    """All objects below the path as they are now, and again after each change, until the deadline.

    A watch goes on where the last one ended; only a version that the server no longer has (410) is listed anew.
    """
    backoff = Backoff(deadline)
    found, version = reader.look(path, backoff.within(REQUEST))
    yield list(found.values())
    broken: CutError | None = None
    while backoff.left > 0:
        began, broken = time.monotonic(), None
        try:
            if version is None:
                found, version = reader.look(path, backoff.within(REQUEST))
                yield list(found.values())
            with reader.changes(path, version, backoff.left) as changes:
                for change in changes:
                    version = apply(found, change) or version
                    yield list(found.values())
        except ExpiredError:
            version = None
        except CutError as error:
            broken = error
        backoff.rest(began)
    if broken:
        raise broken


def apply(found: Found, change: Object) -> str:
    """Bring what was found up to date; the version that it has by now, empty if the server does not say."""
    changed = change["object"]
    match change["type"]:
        case "ADDED" | "MODIFIED":
            found[changed["metadata"]["uid"]] = changed
        case "DELETED":
            found.pop(changed["metadata"]["uid"], None)
        case _:
            pass  # a bookmark: nothing but a newer version
    return changed["metadata"].get("resourceVersion", "")
