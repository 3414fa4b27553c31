"""Where the API server lists a kind: it says so itself."""

import json

import pytest

from bedplate.cluster.errors import ClusterError
from bedplate.live.kinds import NODE, Kind
from bedplate.live.reading import look

GATEWAY = Kind("gateway.networking.k8s.io/v1", "Gateway")
HOME = "/apis/gateway.networking.k8s.io/v1"
SERVED = {
    "resources": [
        {"name": "gateways", "kind": "Gateway"},
        {"name": "gateways/status", "kind": "Gateway"},
        {"name": "data", "kind": "Datum"},
    ]
}


def answering(path: str) -> str:
    answers = {
        HOME: SERVED,
        f"{HOME}/gateways?limit=500": {"items": [{"metadata": {"name": "g"}}]},
        f"{HOME}/namespaces/a/data?limit=500": {"items": [{"metadata": {"name": "d"}}]},
        "/api/v1": {"resources": [{"name": "nodes", "kind": "Node"}]},
        "/api/v1/nodes?limit=500": {"items": []},
    }
    if path not in answers:
        raise ClusterError("Error from server (NotFound): the server could not find the requested resource")
    return json.dumps(answers[path])


def test_a_kind_is_listed_by_the_plural_that_its_server_says() -> None:
    observed = look(answering, [GATEWAY, NODE])
    assert [one["metadata"]["name"] for one in observed.of(GATEWAY)] == ["g"]
    assert observed.knows(NODE)
    datum = Kind("gateway.networking.k8s.io/v1", "Datum")
    assert [one["metadata"]["name"] for one in look(answering, [datum], ("a",)).of(datum)] == ["d"]


def test_a_kind_that_its_group_does_not_say_and_a_group_that_is_not_there_are_absent() -> None:
    gone = Kind("example.com/v1", "Gone"), Kind("gateway.networking.k8s.io/v1", "HTTPRoute")
    assert look(answering, gone).absent == {*gone}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ClusterError("Error from server (Forbidden): cannot get path"), "you may not list them"),
        (
            ClusterError("Error from server (ServiceUnavailable): try later"),
            "Error from server (ServiceUnavailable): try later",
        ),
        ("<html>", f"{HOME}: what answers is no API server"),
        ('{"resources": [1]}', f"{HOME}: what answers is no API server"),
    ],
)
def test_a_group_that_does_not_answer_hides_its_kinds_and_is_never_taken_for_absent(
    answer: ClusterError | str, reason: str
) -> None:
    def get(_: str) -> str:
        if isinstance(answer, ClusterError):
            raise answer
        return answer

    observed = look(get, [GATEWAY])
    assert (observed.hidden, observed.absent) == ({GATEWAY: reason}, frozenset())
