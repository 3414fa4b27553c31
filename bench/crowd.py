"""An API server's lists and watches of a crowd of nodes and pods, on loopback: what is read of them costs as it would.

It serves discovery, lists in pages and a watch of nodes to a real kubectl, and keeps no object: each is written from
one pattern per kind as it is sent. Sizes are those of a busy cluster: a node of 20 kB, most of it images and who set
which field, and a pod of 6.5 kB.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bedplate.live.kinds import NODE, Kind

Json = Mapping[str, Any]
VERSION = "1000"
NUMBER = b"@@"


@dataclass(frozen=True)
class Copies:
    """Objects of one pattern, told apart by their number; the first may be another."""

    pattern: bytes
    many: int
    first: bytes | None = None

    def part(self, start: int, end: int) -> list[bytes]:
        """Those from one number up to another."""
        numbers = range(start, min(end, self.many))
        return [numbered(one, self.first if one == 0 and self.first else self.pattern) for one in numbers]


NONE = Copies(b"", 0)


@dataclass
class Crowd:
    """What the server shows: of each kind and namespace its objects; and how its nodes go on."""

    lists: dict[tuple[Kind, str], Copies]
    beats: int = 0
    """Nodes that a watch says something new of, before the first node becomes well."""
    well: bytes = b""
    """The first node as it is then."""

    def answer(self, path: str, query: Mapping[str, str]) -> Iterator[bytes]:
        """The body, in parts; nothing where there is nothing."""
        if path == "/version":
            yield b'{"gitVersion": "v1.35.4"}'
        elif query.get("watch"):
            yield from self._watched()
        elif (found := self._found(path)) is not None:
            yield from _page(found, query)
        elif resources := [one for one in self._served() if one.home == path]:
            yield json.dumps({"resources": [{"name": plural(one), "kind": one.kind} for one in resources]}).encode()

    def _served(self) -> set[Kind]:
        return {kind for kind, _ in self.lists}

    def _found(self, path: str) -> Copies | None:
        for (kind, namespace), objects in self.lists.items():
            if path == kind.path(plural(kind), namespace):
                return objects
        kinds = (kind for kind in self._served() if path.startswith(f"{kind.home}/") and path.endswith(plural(kind)))
        return NONE if any(kinds) else None

    def _watched(self) -> Iterator[bytes]:
        nodes = self.lists[NODE, ""]
        for beat in range(self.beats):
            yield _event(numbered(1 + beat % (nodes.many - 1), nodes.pattern))
        self.lists[NODE, ""] = replace(nodes, first=None)
        yield _event(self.well)


def numbered(number: int, pattern: bytes) -> bytes:
    """The object of that number."""
    return pattern.replace(NUMBER, b"%d" % number)


def plural(kind: Kind) -> str:
    """As this server calls it."""
    return f"{kind.kind.lower()}s"


def _event(node: bytes) -> bytes:
    return b'{"type": "MODIFIED", "object": %b}\n' % node


def _page(found: Copies, query: Mapping[str, str]) -> Iterator[bytes]:
    start = int(query.get("continue") or 0)
    end = start + int(query.get("limit") or found.many or 1)
    more = str(end) if end < found.many else ""
    yield b'{"metadata": %b, "items": [' % json.dumps({"resourceVersion": VERSION, "continue": more}).encode()
    yield b",".join(found.part(start, end))
    yield b"]}"


def server(crowd: Crowd) -> ThreadingHTTPServer:
    """Of the crowd, on any free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Whole answers, but a watch as it comes."""
            url = urlsplit(self.path)
            query = {key: value[0] for key, value in parse_qs(url.query).items()}
            parts = crowd.answer(url.path, query)
            body = None if query.get("watch") else b"".join(parts)
            self.send_response(404 if body == b"" else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.writelines(parts if body is None else [body])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Not on the terminal."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)
