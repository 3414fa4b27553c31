"""Gates: what each takes for green, and the number that it says."""

import json
from typing import Any

import pytest

from bedplate.releases import looks
from bedplate.releases.gates import Doctor, PoolsReady, Query, Ran, Verify

FINDING = {"check": "nodes", "where": "h100", "what": "1 of 4 nodes is missing"}


def doctor(*found: dict[str, str], status: int = 1) -> Ran:
    return Ran(status if found else 0, json.dumps({"findings": found}))


def test_the_doctor_may_find_what_was_there_before_the_change() -> None:
    other = {**FINDING, "where": "a100"}
    assert Doctor().judge(doctor(FINDING), doctor(FINDING)).green
    seen = Doctor().judge(doctor(FINDING, other), doctor(FINDING))
    assert (seen.green, seen.number, seen.says) == (False, 1, "a100: 1 of 4 nodes is missing")


def test_a_doctor_that_cannot_look_is_red_and_one_that_knows_no_before_takes_all_for_new() -> None:
    assert not Doctor().judge(Ran(2, "no answer"), doctor()).green
    assert Doctor().judge(doctor(FINDING), None).number == 1


def test_verify_counts_what_did_not_pass_and_unknown_is_no_pass() -> None:
    cases = [
        {"check": "NVLink", "subject": f"n{n}", "status": s, "text": ""} for n, s in enumerate(("passed", "unknown"))
    ]
    seen = Verify().judge(Ran(3, json.dumps({"cases": cases})), None)
    assert (seen.gate, seen.green, seen.number, seen.says) == ("verify quick", False, 1, "NVLink n1: unknown")
    assert Verify().judge(Ran(0, json.dumps({"cases": cases[:1]})), None).green


def test_pools_count_their_faults() -> None:
    seen = PoolsReady().judge(Ran(1, "pool h100: 3 of 4\nn4: no GPUs"), None)
    assert (seen.green, seen.number) == (False, 2)


@pytest.mark.parametrize(
    ("bounds", "after", "before", "green"),
    [
        ({"atMost": 5}, Ran(0, "5"), None, True),
        ({"atMost": 5}, Ran(0, "5.1"), None, False),
        ({"timesBefore": 1.5}, Ran(0, "3"), Ran(0, "2"), True),
        ({"timesBefore": 1.5}, Ran(0, "3.1"), Ran(0, "2"), False),
        ({"timesBefore": 1.5}, Ran(0, "0"), None, False),
        ({"timesBefore": 10, "atMost": 5}, Ran(0, "6"), Ran(0, "2"), False),
        ({"atMost": 5}, Ran(1, "no Prometheus"), None, False),
        ({"atMost": 5}, Ran(0, "NaN"), None, False),
    ],
)
def test_a_query_stays_within_its_bounds(
    bounds: dict[str, float], after: Ran, before: Ran | None, *, green: bool
) -> None:
    gate = Query.model_validate({"kind": "query", "title": "queue wait", "promql": "x", **bounds})
    assert gate.judge(after, before).green is green


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"resultType": "vector", "result": []}, Ran(0, "0")),
        ({"resultType": "vector", "result": [{"metric": {}, "value": [1, "7.5"]}]}, Ran(0, "7.5")),
        ({"resultType": "vector", "result": [{"value": [1, "1"]}, {"value": [1, "2"]}]}, Ran(1, "the answer is no single number; sum it up")),
        ({"resultType": "scalar", "result": [1, "2"]}, Ran(0, "2")),
    ],
)  # fmt: skip
def test_prometheus_is_asked_by_way_of_the_api_server(
    data: dict[str, Any], said: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def get(context: str, path: str) -> str:
        asked.append(f"{context} {path}")
        return json.dumps({"status": "success", "data": data})

    monkeypatch.setattr(looks, "get", get)
    assert looks.query("onprem-h100-roce", 'sum(x{a="b"})') == said
    proxied = "/api/v1/namespaces/monitoring/services/http:prometheus-operated:9090/proxy/api/v1/query"
    assert asked == [f"onprem-h100-roce {proxied}?query=sum%28x%7Ba%3D%22b%22%7D%29"]
