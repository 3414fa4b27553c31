"""What a real kubectl makes of an API server, or of what stands in front of it, is told apart as it should be."""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bedplate.cluster.errors import ClusterError, CutError, ExpiredError
from bedplate.cluster.kubectl import get
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Whole, until

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl on the PATH")
PATH = "/api/v1/nodes"


def status(code: int, reason: str, message: str) -> tuple[int, bytes]:
    said = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason}
    return code, json.dumps({**said, "code": code}).encode()


class Server(BaseHTTPRequestHandler):
    """Answers each path with what was put there; holds the connection where it is None."""

    answers: dict[str, Any]
    over: threading.Event

    def do_GET(self) -> None:
        code, body = self.answers.get(self.path.partition("?")[0]) or (404, b"")
        if code == 0:
            self.over.wait(30)
            return
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        if code == 302:
            self.send_header("Location", "/login")
        self.send_header("Content-Length", str(len(body) + (9 if b"half" in body else 0)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Not on the terminal."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Server]]:
    handler = type("Here", (Server,), {"answers": {}, "over": threading.Event()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as here:
        threading.Thread(target=here.serve_forever, args=(0.05,), daemon=True).start()
        named = {"name": "here", "cluster": {"server": f"http://127.0.0.1:{here.server_port}"}}
        contexts = [{"name": "here", "context": {"cluster": "here", "user": "me"}}]
        users = [{"name": "me", "user": {"token": "mine"}}]
        (tmp_path / "config").write_text(json.dumps({"clusters": [named], "contexts": contexts, "users": users}))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield handler
        handler.over.set()
        here.shutdown()


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (status(403, "Forbidden", 'User "x" cannot list resource "nodes"'), ClusterError, 'User "x" cannot list'),
        (status(401, "Unauthorized", "Unauthorized"), ClusterError, "You must be logged in to the server"),
        (status(405, "MethodNotAllowed", "this method is not allowed"), ClusterError, "method is not allowed"),
        ((404, b"404 page not found"), ClusterError, "could not find the requested resource"),
        (status(410, "Expired", "too old resource version: 1 (9)"), ExpiredError, "too old resource version"),
        (status(410, "Gone", "the version is too old"), ExpiredError, "the version is too old"),
        (status(429, "TooManyRequests", "slow down"), CutError, "slow down"),
        ((503, b"no healthy upstream"), CutError, "currently unable to handle the request"),
        (status(500, "InternalError", "boom"), CutError, "boom"),
        ((200, b'{"items": [ half'), CutError, "EOF"),
        ((0, b""), CutError, "Client.Timeout|deadline exceeded"),
    ],
)
def test_what_helps_is_known_from_what_kubectl_says(
    server: type[Server], answer: tuple[int, bytes], kind: type[ClusterError], words: str
) -> None:
    server.answers[PATH] = answer
    with pytest.raises(ClusterError, match=words) as raised:
        get("here", PATH, request=1)
    assert type(raised.value) is kind


def test_a_proxy_that_sends_to_its_sign_in_page_is_no_api_server(server: type[Server]) -> None:
    server.answers |= {PATH: (302, b""), "/login": (200, b"<html>Sign in</html>")}
    with pytest.raises(ClusterError, match=r"^/api/v1/nodes: what answers is no API server: <html>Sign in</html>$"):
        Reader("here").look(PATH)


def test_a_watch_through_a_server_that_dies_is_said_at_the_deadline(server: type[Server]) -> None:
    items = [{"metadata": {"uid": "a"}}]
    server.answers[PATH] = (200, json.dumps({"items": items, "metadata": {"resourceVersion": "1"}}).encode())

    def judge(found: list[Any]) -> list[str]:
        server.answers[PATH] = (503, b"no healthy upstream")
        return [f"there is {one['metadata']['uid']}" for one in found]

    faults, waited = until(Reader("here"), PATH, Whole(judge), time.monotonic() + 1.5)
    assert (faults[0], waited) == ("there is a", True)
    assert faults[1].endswith("the server is currently unable to handle the request")
