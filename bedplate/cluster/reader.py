"""Lists in pages, and single watches, of the cluster behind one kubeconfig context."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from bedplate.cluster.errors import ClusterError, CutError, ExpiredError, of_code
from bedplate.cluster.kubectl import REQUEST, command, get
from bedplate.cluster.stream import stream

Object = Mapping[str, Any]
Found = dict[str, dict[str, Any]]
"""Objects by their uid."""
Get = Callable[[str], str]
"""The API server's answer to a path; ClusterError with its complaint."""
PAGE = 500
"""Objects in one answer, as kubectl and client-go's pager ask for."""


@dataclass(frozen=True)
class Reader:
    """Reads and follows what is below a path of the API."""

    context: str

    def look(self, path: str, request: float = REQUEST) -> tuple[Found, str]:
        """The objects below an API path by their id, and the version of that answer."""
        items, version = listed(partial(get, self.context, request=request), path)
        return {one["metadata"]["uid"]: one for one in items}, version

    @contextmanager
    def changes(self, path: str, version: str, seconds: float) -> Generator[Iterator[Object]]:
        """Changes since that version, until the server ends the watch or the time is up.

        The iterator raises ExpiredError (list anew), CutError (try again), or ClusterError (it is refused).
        """
        asked = f"watch=true&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={max(1, int(seconds))}"
        subject = f"cannot watch {path}"
        with stream(subject, command(self.context, "get", "--raw", f"{path}?{asked}"), seconds) as lines:
            yield (_event(subject, line) for line in lines)


def listed(ask: Get, path: str) -> tuple[list[dict[str, Any]], str]:
    """All below a path, a page at a time, and the version of them; whole where the pages expire on the way."""
    try:
        items, version, more = _page(ask, f"{path}?limit={PAGE}")
        while more:
            page, _, more = _page(ask, f"{path}?limit={PAGE}&continue={quote(more, safe='')}")
            items += page
    except ExpiredError:
        items, version, _ = _page(ask, path)
    return items, version


def _page(ask: Get, path: str) -> tuple[list[dict[str, Any]], str, str]:
    answer = ask(path)
    try:
        page = json.loads(answer)
        metadata: dict[str, str] = page.get("metadata") or {}
        items: list[dict[str, Any]] = page.get("items") or []
        for item in items:
            # Nobody here reads who set a field, and it may be half of an object: ten thousand nodes are held at once.
            item.get("metadata", {}).pop("managedFields", None)
        return items, metadata.get("resourceVersion", ""), metadata.get("continue", "")
    except (ValueError, AttributeError) as error:
        shown = " ".join(answer.split())[:60]
        raise ClusterError(f"{path.partition('?')[0]}: what answers is no API server: {shown}") from error


def _event(subject: str, line: bytes) -> Object:
    try:
        event = json.loads(line)
        kind, changed = event["type"], event["object"]
    except (ValueError, KeyError, TypeError) as error:
        raise CutError(f"{subject}: {line[:60].decode(errors='replace').strip()} is no event") from error
    if kind == "ERROR":
        raise of_code(subject, int(changed.get("code") or 0), str(changed.get("message", "")))
    return event
