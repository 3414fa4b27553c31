"""OSV's API as it is documented (google.github.io/osv.dev/post-v1-query), played on loopback: pages, and what goes wrong."""

import json
from typing import Any

import pytest

from bedplate.releases import osv
from bedplate.wrong import WrongError
from tests.unit.test_registry import Registry, certificate, start

__all__ = ["certificate", "start"]


class Osv(Registry):
    """Two records of volcano on two pages; `fault` is what it does instead."""

    fault = ""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, json.dumps(asked)))
        page = asked.get("page_token")
        if self.fault == "refused":
            self.say(400, {"code": 3, "message": "Invalid query."})
        elif self.fault == "down":
            self.say(503, b"upstream connect error")
        elif self.fault == "cut":
            self.say(200, b'{"vulns": [{"id"', {"Content-Length": "4000"})
        elif self.fault == "nonsense":
            self.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        elif self.fault == "endless":
            self.say(200, {"next_page_token": "again"})
        else:
            self.say(200, {"vulns": [{"id": "B"}]} if page else {"vulns": [{"id": "A"}], "next_page_token": "two"})
        self.close_connection = True


def online(start: Any, monkeypatch: pytest.MonkeyPatch, **how: str) -> tuple[list[Any], Any]:
    server = start(kind=Osv, **how)
    monkeypatch.setattr(osv, "URL", f"https://{server.host}/v1/query")
    return list(osv.online("Go/volcano.sh/volcano")), server


def test_every_page_is_asked_for_with_the_question_and_its_token(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    records, server = online(start, monkeypatch)
    assert [record["id"] for record in records] == ["A", "B"]
    question = {"package": {"ecosystem": "Go", "name": "volcano.sh/volcano"}}
    assert [json.loads(body) for _, body in server.asked] == [question, {**question, "page_token": "two"}]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # urllib's own socket of nonsense
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("refused", "HTTP Error 400: Bad Request"),
        ("down", "HTTP Error 503: Service Unavailable"),
        ("cut", "answers no JSON"),
        ("nonsense", "SSH-2.0-OpenSSH"),
        ("endless", "the same page again"),
    ],
)
def test_what_goes_wrong_is_a_line_with_the_ways_without_it(
    start: Any, monkeypatch: pytest.MonkeyPatch, fault: str, said: str
) -> None:
    with pytest.raises(WrongError, match=said) as refused:
        online(start, monkeypatch, fault=fault)
    assert "--osv FILE" in str(refused.value)
