"""What a witness says was wrong at a moment is what was wrong, and a late event does not hide it."""

from typing import Any

import pytest

from bedplate.components.verification.qualification import NAMESPACE, QUALIFIED, REASON, TESTED_ON
from bench.witness import Event, Witness, judged

IN, OUT = Event(2, "node", "n1", is_on=True), Event(8, "node", "n1", is_on=False)
POD, ENDED = Event(5, "pod", "t/p", is_on=True, place="n1"), Event(7, "pod", "t/p", is_on=False, place="n1")


@pytest.mark.parametrize(
    ("events", "wrong"),
    [
        ([IN, POD, ENDED, OUT], ()),
        ([OUT, ENDED, POD, IN], ()),
        ([POD, ENDED], ("t/p on n1",)),
        ([IN, OUT, Event(9, "pod", "t/p", is_on=True, place="n1")], ("t/p on n1",)),
        ([IN, POD, OUT], ("t/p on n1",)),
        ([IN, Event(5, "pod", "t/p", is_on=True, place="n2")], ("t/p on n2",)),
        ([Event(6, "node", "n1", is_on=True), POD], ("t/p on n1",)),
    ],
)
def test_a_pod_may_stand_on_a_node_while_it_is_in_and_at_no_other_moment(
    events: list[Event], wrong: tuple[str, ...]
) -> None:
    assert judged(events).wrong == wrong


def test_tests_are_counted_together_and_jobs_that_wait_between_them() -> None:
    tests = [Event(n, "test", f"v{n}", is_on=True) for n in (10, 11)]
    ends = [Event(n + 10, "test", f"v{n}", is_on=False) for n in (10, 11)]
    jobs = [Event(1, "job", "a", is_on=True), Event(2, "job", "b", is_on=True)]
    gone = [Event(15, "job", "a", is_on=False), Event(30, "job", "b", is_on=False)]
    found = judged([*tests, *ends, *jobs, *gone])
    assert (found.most_tests, found.fewest_waiting) == (2, 1)
    assert judged([*tests, *ends, *jobs, *gone, Event(16, "job", "b", is_on=False)]).fewest_waiting == 0


def seen(kind: str, one: dict[str, Any], *, gone: bool = False) -> Event | None:
    witness = Witness("lab", ("t",), 1)
    return getattr(witness, f"_{kind}")(one, gone=gone)


def made(namespace: str = "t", **more: Any) -> dict[str, Any]:
    return {"metadata": {"resourceVersion": "4", "name": "x", "namespace": namespace}, **more}


def test_objects_are_read_as_the_api_server_writes_them() -> None:
    node = {"metadata": {"resourceVersion": "4", "name": "n", "labels": {QUALIFIED: "true"}}}
    assert seen("node", node) == Event(4, "node", "n", is_on=True)
    assert seen("node", node, gone=True) == Event(4, "node", "n", is_on=False)
    bound = made(spec={"nodeName": "n"}, status={"phase": "Pending"})
    assert seen("pod", bound) == Event(4, "pod", "t/x", is_on=True, place="n")
    over = made(spec={"nodeName": "n"}, status={"phase": "Succeeded"})
    assert seen("pod", over) == Event(4, "pod", "t/x", is_on=False, place="n")
    assert seen("pod", made("elsewhere", spec={"nodeName": "n"}, status={})) is None
    assert seen("job", made(spec={"suspend": True})) == Event(4, "job", "t/x", is_on=True)
    ended = {"conditions": [{"type": "Complete", "status": "True"}]}
    assert seen("job", made(NAMESPACE, spec={})) == Event(4, "test", f"{NAMESPACE}/x", is_on=True)
    assert seen("job", made(NAMESPACE, spec={}, status=ended)) == Event(4, "test", f"{NAMESPACE}/x", is_on=False)


def test_a_node_that_was_tested_is_known_with_its_reason() -> None:
    witness = Witness("lab", ("t",), 1)
    for name, notes in (("new", {}), ("sound", {TESTED_ON: "d"}), ("bad", {TESTED_ON: "d", REASON: "GPUs: 7"})):
        witness._node({"metadata": {"resourceVersion": "4", "name": name, "annotations": notes}}, gone=False)  # noqa: SLF001
    assert witness.tested == {"sound": "", "bad": "GPUs: 7"}
