"""Lists in pages, and single watches, of the cluster behind one kubeconfig context."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

from bedplate.cluster.errors import ClusterError, CutError, ExpiredError, of_code
from bedplate.cluster.kubectl import REQUEST, command, get
from bedplate.cluster.stream import stream

Object = Mapping[str, Any]
Get = Callable[[str], str]
"""The API server's answer to a path; ClusterError with its complaint."""
Lean = Callable[[dict[str, Any]], dict[str, Any]]
"""An object with as much of it as somebody reads."""
PAGE = 500
"""Objects in one answer, as kubectl and client-go's pager ask for."""
UNREAD: tuple[tuple[tuple[str, ...], str], ...] = (
    (("metadata",), "managedFields"),
    (("metadata", "annotations"), "kubectl.kubernetes.io/last-applied-configuration"),
    (("status",), "images"),
)


class Page(NamedTuple):
    """Part of a list."""

    items: list[dict[str, Any]]
    version: str
    is_first: bool
    """Whatever came before it is void."""


@dataclass(frozen=True)
class Reader:
    """Reads and follows what is below a path of the API."""

    context: str

    def pages(self, path: str, request: float = REQUEST) -> Iterator[Page]:
        """The objects below an API path, a page at a time."""
        return pages(partial(get, self.context, request=request), path)

    def look(self, path: str, request: float = REQUEST) -> tuple[list[dict[str, Any]], str]:
        """All objects below an API path, and the version of that answer."""
        return listed(partial(get, self.context, request=request), path)

    @contextmanager
    def changes(self, path: str, version: str, seconds: float) -> Generator[Iterator[Object]]:
        """Changes since that version, until the server ends the watch or the time is up.

        The iterator raises ExpiredError (list anew), CutError (try again), or ClusterError (it is refused).
        """
        query = f"watch=true&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={max(1, int(seconds))}"
        subject = f"cannot watch {path}"
        with stream(subject, command(self.context, "get", "--raw", f"{path}?{query}"), seconds) as lines:
            yield (_event(subject, line) for line in lines)


def listed(ask: Get, path: str, lean: Lean = lambda one: one) -> tuple[list[dict[str, Any]], str]:
    """All below a path, each as `lean` leaves it, and the version of them."""
    items, version = list[dict[str, Any]](), ""
    for page in pages(ask, path):
        if page.is_first:
            items, version = [], page.version
        items += map(lean, page.items)
    return items, version


def pages(ask: Get, path: str) -> Iterator[Page]:
    """Below a path, a page at a time and all of one version; once more and whole where they expire on the way."""
    try:
        page, more = _page(ask, f"{path}?limit={PAGE}", is_first=True)
        yield page
        while more:
            page, more = _page(ask, f"{path}?limit={PAGE}&continue={quote(more, safe='')}")
            yield page
    except ExpiredError:
        yield _page(ask, path, is_first=True)[0]


def _page(ask: Get, path: str, *, is_first: bool = False) -> tuple[Page, str]:
    answer = ask(path)
    try:
        page = json.loads(answer)
        metadata: dict[str, str] = page.get("metadata") or {}
        items: list[dict[str, Any]] = page.get("items") or []
        for item in items:
            _drop(item)
        return Page(items, metadata.get("resourceVersion", ""), is_first), metadata.get("continue", "")
    except (ValueError, AttributeError) as error:
        shown = " ".join(answer.split())[:60]
        raise ClusterError(f"{path.partition('?')[0]}: what answers is no API server: {shown}") from error


def _drop(item: dict[str, Any]) -> None:
    """What nobody here reads is most of an object: who set a field, and on a node the images that lie there."""
    for above, key in UNREAD:
        part: Any = item
        for name in above:
            part = part.get(name) or {}
        part.pop(key, None)


def _event(subject: str, line: bytes) -> Object:
    try:
        event = json.loads(line)
        kind, changed = event["type"], event["object"]
    except (ValueError, KeyError, TypeError) as error:
        raise CutError(f"{subject}: {line[:60].decode(errors='replace').strip()} is no event") from error
    if kind == "ERROR":
        raise of_code(subject, int(changed.get("code") or 0), str(changed.get("message", "")))
    return event
