"""One cluster's part of a rollout and who leads it, with a stand-in for the Automation API's stack that keeps tags and history."""

import json
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from pulumi.automation import CommandResult, errors

from bedplate.fleet import worker
from bedplate.fleet.job import Job
from bedplate.fleet.lead import is_paused, led, pause
from bedplate.fleet.locks import LEADER, Leader, Locked
from bedplate.fleet.record import Record, read
from bedplate.releases.gates import Ran
from bedplate.wrong import WrongError

if TYPE_CHECKING:
    from bedplate.fleet.automation import Stack
    from bedplate.fleet.desk import Desk

DEAD = 2**22 + 1
"""No process of Linux has such a number (kernel.pid_max)."""
OLD, NEW = {"name": "a", "nodes": 1}, {"name": "a", "nodes": 2}
JOB = Job("up", "a", "r" * 12, "d" * 12, gates=({"kind": "doctor"},))


def locked(pid: int) -> errors.ConcurrentUpdateError:
    text = f"error: the stack is currently locked by 1 lock(s)\n  file:///x: created by me@{socket.gethostname()} (pid {pid}) at t"
    return errors.ConcurrentUpdateError(CommandResult("", text, 255))


@dataclass
class Backend:
    """What `Stack` is to a worker: an update deploys a profile, and history knows it."""

    name: str = "a"
    kept: dict[str, str] = field(default_factory=dict[str, str])
    history: list[Mapping[str, Any]] = field(default_factory=lambda: [OLD])
    faults: list[Exception] = field(default_factory=list[Exception])
    cancelled: int = 0

    @property
    def api(self) -> Any:
        return SimpleNamespace(up=self._up, cancel=self._cancel)

    def _up(self, config: Mapping[str, Any], message: str, **_: object) -> None:
        assert message.startswith("bedplate fleet ")
        if self.faults:
            raise self.faults.pop(0)
        self.history.append(config)

    def _cancel(self) -> None:
        self.cancelled += 1

    def tags(self) -> Mapping[str, str]:
        return self.kept

    def tag(self, values: Mapping[str, str]) -> None:
        self.kept |= values

    def untag(self, name: str) -> None:
        self.kept.pop(name, None)

    def deployed(self) -> str:
        return str(len(self.history) - 1) if self.history else ""

    def profile_at(self, began: str) -> str | None:
        return json.dumps(self.history[int(began)])

    @property
    def record(self) -> Record:
        record = read(self.kept)
        assert record
        return record


class Company:
    """A worker with its backend, and a doctor who says what is said of him, look after look."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.backend = Backend()
        self.looks: list[Ran] = []
        self.looked_at: list[str] = []
        monkeypatch.setattr(worker, "look", self._look)

    def _look(self, words: Sequence[str]) -> Ran:
        self.looked_at.append(words[1])
        return self.looks.pop(0)

    def do(self, job: Job = JOB) -> tuple[bool, str]:
        kept = lambda name, profile: f"{name}: {profile}" if profile else ""  # noqa: E731 - a stand-in
        desk = SimpleNamespace(profile=NEW, options=lambda profile: {"config": profile}, beside=kept)
        result = worker.changed(job, cast("Stack", self.backend), cast("Desk", desk))
        return result.green, result.says


@pytest.fixture
def company(monkeypatch: pytest.MonkeyPatch) -> Company:
    return Company(monkeypatch)


def doctor(*places: str) -> Ran:
    return Ran(0, json.dumps({"findings": [{"check": "nodes", "where": one, "what": "gone"} for one in places]}))


def test_a_cluster_is_looked_at_before_deployed_and_looked_at_again(company: Company) -> None:
    company.looks = [doctor("a"), doctor("a")]
    assert company.do() == (True, "")
    assert company.backend.history == [OLD, NEW]
    assert (company.backend.record.step, company.backend.record.before) == ("passed", "0")


def test_before_the_change_a_cluster_is_judged_by_the_profile_that_ran(company: Company) -> None:
    """By the new one a node that only it asks for would be missed before as well as after, and so never be new."""
    company.looks = [doctor(), doctor("a")]
    company.do()
    assert company.looked_at == [f"before: {json.dumps(OLD)}", "a"]


def test_a_red_gate_is_recorded_with_its_number(company: Company) -> None:
    company.looks = [doctor("a"), doctor("a", "b")]
    assert company.do() == (False, "doctor: 1; b: gone")
    assert (company.backend.record.step, company.backend.record.says) == ("red", "doctor: 1; b: gone")


def test_who_takes_a_deployed_cluster_up_goes_on_at_its_gates(company: Company) -> None:
    at = "2026-11-24T20:00:00+00:00"
    company.backend.tag(Record("deployed", JOB.digest, JOB.rollout, at, "0").tags())
    company.looks = [doctor()]
    assert company.do() == (True, "")
    assert (company.backend.history, company.backend.record.before) == ([OLD], "0")


def test_a_deployment_that_fails_is_red_by_pulumis_own_words(company: Company) -> None:
    company.looks = [doctor()]
    company.backend.faults = [errors.CommandError(CommandResult("Diagnostics", "error: quota exceeded", 255))]
    assert company.do() == (False, "up: error: quota exceeded")


@pytest.mark.parametrize(
    ("summary", "came"),
    [
        ({"same": 40}, (True, "")),
        ({"same": 38, "update": 1, "create": 1}, (False, "1 update, 1 create")),
    ],
)
def test_drift_is_what_a_refreshed_preview_would_change(summary: Mapping[str, int], came: tuple[bool, str]) -> None:
    asked = dict[str, Any]()

    def preview(**options: Any) -> Any:
        asked.update(options)
        return SimpleNamespace(change_summary=summary)

    stack = SimpleNamespace(api=SimpleNamespace(preview=preview))
    desk = SimpleNamespace(profile=NEW, options=lambda profile: {"config": profile})
    result = worker.drifted(Job("drift", "a", "", ""), cast("Stack", stack), cast("Desk", desk))
    assert (result.green, result.says) == came
    assert (asked["refresh"], asked["config"]) == (True, NEW)


def test_rollback_deploys_what_the_history_has_from_before_the_change(company: Company) -> None:
    company.looks = [doctor(), doctor("b")]
    company.do()
    back = Job("rollback", "a", JOB.rollout, JOB.digest)
    assert company.do(back) == (True, "")
    assert company.backend.history == [OLD, NEW, OLD]
    assert company.backend.record.step == "back"
    assert company.do(back) == (True, "it is back already")
    assert company.do(Job("rollback", "a", "another", "")) == (True, "the change never came here")


def test_what_was_never_deployed_before_cannot_be_brought_back(company: Company) -> None:
    company.backend.history, company.looks = [], [doctor(), doctor("b")]
    company.do()
    green, says = company.do(Job("rollback", "a", JOB.rollout, JOB.digest))
    assert (green, says.split(":")[0]) == (False, "nothing ran here before")


@pytest.mark.parametrize(
    # The living's number is no part of a test's name: each worker of pytest has its own.
    ("pid", "takes_over", "cancelled"),
    [(DEAD, True, 1), (DEAD, False, 0), pytest.param(os.getpid(), True, 0, id="alive")],
)
def test_only_a_dead_runs_lock_is_taken_away_and_only_by_who_takes_over(
    company: Company, monkeypatch: pytest.MonkeyPatch, pid: int, *, takes_over: bool, cancelled: int
) -> None:
    monkeypatch.setattr(worker, "PATIENCE", 0)
    company.looks, company.backend.faults = [doctor(), doctor()], [locked(pid)]
    green, says = company.do(Job("up", "a", JOB.rollout, JOB.digest, JOB.gates, takes_over=takes_over))
    assert (green, company.backend.cancelled) == (bool(cancelled), cancelled)
    assert green or f"process {pid} on {socket.gethostname()}" in says


def test_the_pulumi_of_a_killed_run_that_is_still_ending_is_waited_for(company: Company) -> None:
    company.looks, company.backend.faults = [doctor(), doctor()], [locked(os.getpid())]
    assert company.do(Job("up", "a", JOB.rollout, JOB.digest, JOB.gates, takes_over=True)) == (True, "")
    assert company.backend.cancelled == 0


def test_one_leads_at_a_time_and_who_died_is_taken_over() -> None:
    backend = Backend()
    stack = cast("Stack", backend)
    with led(stack, "r") as takes_over:
        assert not takes_over
        with pytest.raises(WrongError, match=r"a: process \d+ on .* leads a rollout.*nothing was begun"), led(stack):
            pass
    assert LEADER not in backend.kept
    here = Leader.here()
    backend.tag(Leader(Locked(here.holder.host, DEAD), here.at).tags())
    with led(stack) as takes_over:
        assert takes_over


def test_a_pause_is_kept_in_the_backend() -> None:
    stack = cast("Stack", Backend())
    assert not is_paused(stack)
    pause(stack, "now")
    assert is_paused(stack)
