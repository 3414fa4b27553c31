"""The order of a rollout, with a crew that plays the clusters: waves, budgets, windows, the stop rule."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bedplate.fleet.job import Result
from bedplate.fleet.member import Formation, Member
from bedplate.fleet.model import Wave, Window
from bedplate.fleet.reading import formation
from bedplate.fleet.record import Record, digest, read
from bedplate.fleet.rollout import Hold, Rollout, is_open
from tests.unit.fleet.conftest import Write, cluster

FLEET = """\
    name: f
    clusters: [{path: clusters}]
    waves: [{name: canary, clusters: [a]}, {name: half, percent: 50}, {name: rest}]
    """
FIVE = {name: cluster(name) for name in "abcde"}


@dataclass
class Crew:
    """Ends clusters in the order in which they began."""

    red: frozenset[str] = frozenset()
    begun: list[str] = field(default_factory=list[str])
    most: int = 0
    running: deque[str] = field(default_factory=deque[str])

    def start(self, member: Member, wave: Wave) -> None:
        self.begun.append(f"{wave.name}/{member.name}")
        self.running.append(member.name)
        self.most = max(self.most, len(self.running))

    def next(self) -> Result:
        name = self.running.popleft()
        return Result(name, name not in self.red)


@pytest.fixture
def formed(write: Write) -> Callable[..., Formation]:
    return lambda more="": formation(write(f"{FLEET.rstrip()}\n{more}", **FIVE))


def test_waves_go_one_after_the_other(formed: Callable[..., Formation]) -> None:
    crew = Crew()
    assert Rollout(formed()).run(crew).end == "through"
    assert crew.begun == ["canary/a", "half/b", "half/c", "half/d", "rest/e"]
    assert crew.most == 3


def test_a_red_canary_stops_all_later_waves(formed: Callable[..., Formation]) -> None:
    crew = Crew(frozenset("a"))
    outcome = Rollout(formed()).run(crew)
    assert (outcome.end, outcome.wave, crew.begun) == ("stopped", "canary", ["canary/a"])


def test_a_red_cluster_stops_the_rest_of_its_wave_and_those_at_work_come_to_their_end(
    formed: Callable[..., Formation],
) -> None:
    crew = Crew(frozenset("b"))
    outcome = Rollout(formed("    budgets: {clusters: 2}\n")).run(crew)
    assert crew.begun == ["canary/a", "half/b", "half/c"]
    assert {name: one.green for name, one in outcome.results.items()} == {"a": True, "b": False, "c": True}


def test_the_stop_rule_may_allow_some(formed: Callable[..., Formation]) -> None:
    crew = Crew(frozenset("b"))
    outcome = Rollout(formed("    stop: {red: 2}\n")).run(crew)
    assert (outcome.end, len(crew.begun), [one.stack for one in outcome.red]) == ("through", 5, ["b"])


def test_gpus_at_once_are_bounded(formed: Callable[..., Formation]) -> None:
    crew = Crew()
    Rollout(formed("    budgets: {gpus: 47}\n")).run(crew)
    assert (crew.most, len(crew.begun)) == (2, 5)


def test_what_is_done_is_not_begun_again(formed: Callable[..., Formation]) -> None:
    crew = Crew()
    Rollout(formed(), {"a": True, "b": True}).run(crew)
    assert crew.begun == ["half/c", "half/d", "rest/e"]


def test_a_pause_lets_those_at_work_end_and_begins_no_other(formed: Callable[..., Formation]) -> None:
    crew = Crew()
    hold = Hold(lambda: len(crew.begun) == 2)
    assert Rollout(formed(), hold=hold).run(crew).end == "paused"
    assert crew.begun == ["canary/a", "half/b"]
    assert not crew.running


def test_outside_of_every_window_nothing_is_begun(formed: Callable[..., Formation]) -> None:
    crew, night = Crew(), datetime(2026, 11, 24, 2, 0, tzinfo=UTC)
    more = "    windows: [{opens: '09:00', closes: '17:00', zone: Europe/Berlin}]\n"
    outcome = Rollout(formed(more), hold=Hold(now=night.astimezone)).run(crew)
    assert (outcome.end, crew.begun) == ("closed", [])


@pytest.mark.parametrize(
    ("moment", "opens", "closes", "days", "is_within"),
    [
        ("2026-11-24T09:00", "09:00", "17:00", ["tue"], True),
        ("2026-11-24T17:00", "09:00", "17:00", ["tue"], False),
        ("2026-11-24T12:00", "09:00", "17:00", ["wed"], False),
        ("2026-11-24T23:00", "22:00", "04:00", ["tue"], True),
        ("2026-11-25T03:59", "22:00", "04:00", ["tue"], True),
        ("2026-11-24T03:00", "22:00", "04:00", ["tue"], False),
        ("2026-11-25T05:00", "22:00", "04:00", ["tue"], False),
    ],
)
def test_a_window_over_midnight_belongs_to_the_day_on_which_it_opens(
    moment: str, opens: str, closes: str, days: list[str], *, is_within: bool
) -> None:
    window = Window.model_validate({"opens": opens, "closes": closes, "days": days})
    assert is_open(window, datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo("UTC"))) is is_within


def test_a_record_comes_back_from_its_tags_and_each_fits_into_one() -> None:
    record = Record(
        "red", digest({"name": "a"}), "0" * 12, "2026-11-24T20:00:00+00:00", "2026-11-24T19:00:00", "x" * 400
    )
    tags = record.tags()
    assert max(map(len, tags.values())) <= 256
    assert read(tags) == Record("red", record.digest, record.rollout, record.at, record.before, "x" * 256)
    assert (read({}), read({"bedplate:fleet": "bygone a b c d"})) == (None, None)


def test_a_change_upon_one_that_never_passed_goes_back_to_what_ran_before_both() -> None:
    steps = {step: Record(step, "d", "r", "t", "then").restores for step in ("deployed", "red", "passed", "back")}  # type: ignore[arg-type]
    assert steps == {"deployed": "then", "red": "then", "passed": "", "back": ""}
