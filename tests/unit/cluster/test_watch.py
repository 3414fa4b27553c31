"""A gate waits through whatever becomes of its connection, starts few processes, and ends with what is wrong."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from bedplate.cluster import backoff
from bedplate.cluster.errors import ClusterError, CutError, ExpiredError
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Whole, until
from tests.unit.cluster.stub import Stub

PATH = "/api/v1/nodes"
SOON = 60.0


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    return Stub(tmp_path, monkeypatch).plays(list=listing("7", "a"))


def listing(version: str, *names: str) -> str:
    items = [{"metadata": {"uid": name, "name": name}} for name in names]
    return f"echo '{json.dumps({'items': items, 'metadata': {'resourceVersion': version}})}'\n"


def event(kind: str, name: str = "a", version: str = "8") -> str:
    metadata = {"uid": name, "name": name, "resourceVersion": version}
    return f"echo '{json.dumps({'type': kind, 'object': {'metadata': metadata}})}'\n"


def error(code: int, message: str) -> str:
    return f"echo '{json.dumps({'type': 'ERROR', 'object': {'code': code, 'message': message}})}'\n"


def says(words: str) -> str:
    return f"echo '{words}' >&2; exit 1\n"


def only_b(found: list[Any]) -> list[str]:
    names = [one["metadata"]["uid"] for one in found]
    return [] if names == ["b"] else [f"there is {', '.join(names) or 'nothing'}"]


def waited(seconds: float) -> tuple[list[str], bool]:
    return until(Reader("here"), PATH, Whole(only_b), time.monotonic() + seconds)


def test_what_is_well_at_once_is_not_waited_for(stub: Stub) -> None:
    stub.plays(list=listing("7", "b"))
    assert waited(SOON) == ([], False)
    assert len(stub.calls) == 1


def test_changes_are_followed_until_all_is_well(stub: Stub) -> None:
    stub.plays(watch=event("DELETED") + event("ADDED", "b") + event("MODIFIED", "b") + "exec sleep 20")
    assert waited(SOON) == ([], True)
    assert len(stub.calls) == 2


def test_at_the_deadline_what_is_wrong_is_said(stub: Stub) -> None:
    assert waited(-1) == (["there is a"], False)
    assert len(stub.calls) == 1


def test_a_watch_whose_server_went_silent_ends_with_the_faults(stub: Stub) -> None:
    stub.plays(watch="exec sleep 20 <&-")
    assert waited(0.3) == (["there is a"], True)


def test_watches_that_end_at_once_start_few_processes(stub: Stub) -> None:
    stub.plays(watch="exit 0")
    assert waited(3) == (["there is a"], True)
    assert 3 <= len(stub.calls) <= 4


def test_a_watch_goes_on_from_the_version_where_the_last_one_was_cut(stub: Stub) -> None:
    stub.plays(watch_1=event("BOOKMARK", version="41"), watch_2=event("DELETED", version="42") + event("ADDED", "b"))
    assert waited(SOON) == ([], True)
    first, second = stub.watches
    assert ("resourceVersion=7&" in first, "resourceVersion=41&" in second) == (True, True)
    assert len(stub.calls) == 3, "one list"


def test_a_refused_watch_is_an_error_in_kubectls_words(stub: Stub) -> None:
    words = 'nodes is forbidden: User "x" cannot watch resource "nodes" in API group "" at the cluster scope'
    stub.plays(watch=says(f"Error from server (Forbidden): {words}"))
    with pytest.raises(ClusterError, match=r'^cannot watch /api/v1/nodes: Error .* User "x" cannot watch resource'):
        waited(SOON)
    assert len(stub.calls) == 2


@pytest.mark.parametrize("code", [401, 403, 404, 405])
def test_a_watch_that_is_refused_in_its_stream_is_an_error(stub: Stub, code: int) -> None:
    stub.plays(watch=error(code, "not for you"))
    with pytest.raises(ClusterError, match=r"^cannot watch /api/v1/nodes: not for you$"):
        waited(SOON)


@pytest.mark.parametrize(
    "expired",
    [
        error(410, "too old resource version: 7 (99)"),
        says("Error from server (Expired): too old resource version: 7 (99)"),
        says("Error from server (Gone): The resourceVersion for the provided watch is too old."),
    ],
)
def test_a_version_that_expired_is_listed_anew(stub: Stub, expired: str) -> None:
    stub.plays(watch=expired, list_2=listing("99", "b"))
    assert waited(SOON) == ([], True)
    assert len(stub.calls) == 3


def test_what_a_new_list_lacks_is_gone_for_the_judge(stub: Stub) -> None:
    stub.plays(list=listing("7", "a", "b"), watch=error(410, "too old"), list_2=listing("99", "b"))
    assert waited(SOON) == ([], True)


def test_a_judge_is_told_of_each_object_once_and_then_of_what_changes(stub: Stub) -> None:
    told: list[tuple[str, bool]] = []

    class Judge:
        def see(self, uid: str, one: Any) -> None:
            told.append((uid, one is not None))

        def faults(self) -> list[str]:
            return [] if ("c", True) in told else ["no c"]

    stub.plays(list=listing("7", "a", "b"), watch=event("MODIFIED", "b") + event("DELETED") + event("ADDED", "c"))
    assert until(Reader("here"), PATH, Judge(), time.monotonic() + SOON) == ([], True)
    assert told == [("a", True), ("b", True), ("b", True), ("a", False), ("c", True)]


def test_a_version_that_expires_each_time_starts_few_processes(stub: Stub) -> None:
    stub.plays(watch=error(410, "too old"))
    assert waited(2) == (["there is a"], True)
    assert len(stub.calls) <= 6


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (says("Unable to connect to the server: unexpected EOF"), "Unable to connect to the server: unexpected EOF"),
        (says("Error from server (InternalError): boom"), "Error from server (InternalError): boom"),
        (error(500, "etcdserver: leader changed"), "etcdserver: leader changed"),
        ("echo '<html>sign in</html>'", "<html>sign in</html> is no event"),
        ("echo '[]'", "[] is no event"),
    ],
)
def test_a_watch_that_breaks_is_tried_again_and_said_at_the_deadline(stub: Stub, broken: str, said: str) -> None:
    stub.plays(watch=broken)
    assert waited(1) == (["there is a", f"cannot watch {PATH}: {said}"], True)
    assert 3 <= len(stub.calls) <= 4


@pytest.mark.parametrize("half", ['{"type": "MODIFIED", "object": {"metadata": {"uid', '{"type": "\\303'])
def test_a_watch_that_is_cut_inside_an_object_ends_and_the_next_one_goes_on(stub: Stub, half: str) -> None:
    stub.plays(watch_1=f"printf '{half}'", watch_2=event("DELETED") + event("ADDED", "b"))
    assert waited(SOON) == ([], True)


def test_a_deadline_inside_an_object_ends_with_the_faults(stub: Stub) -> None:
    stub.plays(watch="""printf '{"type": "MODIFIED", "object": {'; exec sleep 20 <&-""")
    assert waited(0.3) == (["there is a"], True)


def test_a_list_that_breaks_after_the_first_is_tried_again(stub: Stub) -> None:
    stub.plays(watch=error(410, "too old"), list_2=says("Unable to connect to the server: EOF"))
    stub.plays(list_3=listing("99", "b"))
    assert waited(SOON) == ([], True)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Error from server (Forbidden): nodes is forbidden", ClusterError),
        ("Unable to connect to the server: dial tcp: connection refused", CutError),
        ("Error from server (Expired): The provided continue parameter is too old", ExpiredError),
    ],
)
def test_the_first_list_is_the_last_word(stub: Stub, words: str, kind: type[ClusterError]) -> None:
    stub.plays(list=says(f"noise\n{words}"))
    with pytest.raises(ClusterError) as raised:
        waited(SOON)
    assert type(raised.value) is kind
    assert str(raised.value).endswith(f": {words}")


def test_pauses_grow_to_a_bound_and_begin_anew_after_a_watch_that_lasted(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(backoff.Event, "wait", lambda _, seconds: pauses.append(round(seconds, 1)))
    now = time.monotonic()
    one = backoff.Backoff(now + 1000)
    for _ in range(8):
        one.rest(now)
    one.rest(now - 31)
    one.rest(now)
    assert pauses == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0, 0.8]
    backoff.Backoff(now - 1).rest(now)
    assert pauses[-1] == 0
