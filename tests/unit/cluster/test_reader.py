"""Lists come in pages, each within its time, and what is no list is said."""

import json
import re
from pathlib import Path

import pytest

from bedplate.cluster import kubectl
from bedplate.cluster.errors import ClusterError, CutError, ExpiredError
from bedplate.cluster.reader import Reader, listed
from tests.unit.cluster.stub import Stub

PATH = "/api/v1/pods"


def page(version: str, more: str, *names: str) -> str:
    items = [{"metadata": {"uid": name}} for name in names]
    return json.dumps({"items": items, "metadata": {"resourceVersion": version, "continue": more}})


def test_a_list_comes_in_pages_of_one_version() -> None:
    pages = {
        f"{PATH}?limit=500": page("7", "a/b=", "x", "y"),
        f"{PATH}?limit=500&continue=a%2Fb%3D": page("7", "", "z"),
    }
    items, version = listed(pages.__getitem__, PATH)
    assert ([one["metadata"]["uid"] for one in items], version) == (["x", "y", "z"], "7")


def test_a_list_whose_pages_expire_is_asked_for_whole() -> None:
    asked: list[str] = []

    def ask(path: str) -> str:
        asked.append(path)
        if "continue" in path:
            raise ExpiredError("too old")
        return page("9", "", "x", "y", "z") if path == PATH else page("7", "next", "x")

    items, version = listed(ask, PATH)
    assert ([one["metadata"]["uid"] for one in items], version) == (["x", "y", "z"], "9")
    assert len(asked) == 3


def test_what_nobody_reads_is_not_kept_in_memory() -> None:
    notes = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "b"}
    metadata = {"uid": "x", "managedFields": [{"manager": "kubelet"}], "annotations": notes}
    answer = json.dumps({"items": [{"metadata": metadata, "status": {"images": [1], "phase": "Running"}}, {}]})
    kept = {"metadata": {"uid": "x", "annotations": {"a": "b"}}, "status": {"phase": "Running"}}
    assert listed(lambda _: answer, PATH) == ([kept, {}], "")


def test_a_list_holds_of_each_object_what_its_reader_asks_for() -> None:
    pages = {f"{PATH}?limit=500": page("7", "a", "x"), f"{PATH}?limit=500&continue=a": page("7", "", "y")}
    assert listed(pages.__getitem__, PATH, lambda one: one["metadata"]) == ([{"uid": "x"}, {"uid": "y"}], "7")


@pytest.mark.parametrize("answer", ["<html>sign in</html>", "", "[1]"])
def test_what_answers_in_a_servers_place_is_said(answer: str) -> None:
    with pytest.raises(ClusterError, match=f"^{PATH}: what answers is no API server: {re.escape(answer)}$"):
        listed(lambda _: answer, PATH)


def test_a_list_on_a_dead_connection_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubectl, "START", 0)
    stub = Stub(tmp_path, monkeypatch).plays(list="exec sleep 20 <&-")
    with pytest.raises(CutError, match=r"^kubectl /api/v1/pods\?limit=500: no answer within 1 s: is the"):
        Reader("here").look(PATH, request=1)
    assert stub.calls == ["--context here --request-timeout=1s get --raw /api/v1/pods?limit=500"]
