"""The order of a rollout: waves, budgets, windows and the stop rule. It starts clusters, and hears how they ended."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Literal, Protocol, TypeAlias
from zoneinfo import ZoneInfo

from bedplate.fleet.job import Result
from bedplate.fleet.member import Formation, Member
from bedplate.fleet.model import WEEK, Budgets, Wave, Window

End: TypeAlias = Literal["through", "stopped", "paused", "closed"]


class Crew(Protocol):
    """Who works on clusters, each in a process of its own."""

    def start(self, member: Member, wave: Wave) -> None:
        """Begin one."""
        ...

    def next(self) -> Result:
        """Wait until one of those that were begun has ended."""
        ...


@dataclass(frozen=True)
class Hold:
    """What keeps clusters from being begun, asked before each."""

    is_paused: Callable[[], bool] = lambda: False
    now: Callable[[ZoneInfo], datetime] = datetime.now


@dataclass
class Outcome:
    """How far it came."""

    end: End = "through"
    results: dict[str, Result] = field(default_factory=dict[str, Result])
    wave: str = ""
    """In which it ended."""

    @property
    def red(self) -> list[Result]:
        """Those that failed."""
        return [each for each in self.results.values() if not each.green]


@dataclass(frozen=True)
class Rollout:
    """One way through a fleet."""

    formed: Formation
    done: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Clusters that are not begun again."""
    hold: Hold = Hold()

    def run(self, crew: Crew) -> Outcome:
        """Wave after wave; the first end of a wave that is not `through` ends it."""
        outcome = Outcome()
        for wave, members in self.formed.waves:
            todo = [each for each in members if not self.done.get(each.name)]
            outcome.wave = wave.name
            outcome.end = self._wave(wave, todo, crew, outcome)
            if outcome.end != "through":
                break
        return outcome

    def _wave(self, wave: Wave, todo: list[Member], crew: Crew, outcome: Outcome) -> End:
        running, red, fleet = dict[str, Member](), 0, self.formed.fleet
        end: End = "through"
        while todo or running:
            while todo and end == "through" and fits(fleet.budgets, list(running.values()), todo[0]):
                if (end := self._held()) == "through":
                    member = todo.pop(0)
                    running[member.name] = member
                    crew.start(member, wave)
            if not running:
                return end
            result = crew.next()
            outcome.results[result.stack] = result
            del running[result.stack]
            red += not result.green
            if red >= fleet.stop.red:
                end = "stopped"
        return end

    def _held(self) -> End:
        if self.hold.is_paused():
            return "paused"
        windows = self.formed.fleet.windows
        any_open = any(is_open(each, self.hold.now(ZoneInfo(each.zone))) for each in windows)
        return "through" if any_open or not windows else "closed"


def fits(budgets: Budgets, running: list[Member], member: Member) -> bool:
    """Whether one more may be begun; its GPUs count until it is through its gates."""
    gpus = sum(each.gpus for each in running) + member.gpus
    return len(running) < budgets.clusters and (budgets.gpus is None or gpus <= budgets.gpus)


def is_open(window: Window, moment: datetime) -> bool:
    """Of a window over midnight the part after it belongs to the day before."""
    opens, closes, clock = time.fromisoformat(window.opens), time.fromisoformat(window.closes), moment.time()
    if opens < closes:
        return _on(window, moment) and opens <= clock < closes
    return (_on(window, moment) and clock >= opens) or (_on(window, moment - timedelta(days=1)) and clock < closes)


def _on(window: Window, moment: datetime) -> bool:
    return WEEK[moment.weekday()] in window.days
