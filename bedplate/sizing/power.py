"""What a place draws, and what a run costs at the user's price."""

from collections.abc import Iterator

from bedplate.sizing.figures import Figure
from bedplate.sizing.place import Place
from bedplate.stacks.facts.costs import SHARED, SHEETS


def kilowatts(place: Place) -> float | None:
    """At most; None where no data sheet of the GPU's system is known here."""
    watts = _system(place)
    return None if watts is None else watts / SHARED * place.gpus


def _system(place: Place) -> float | None:
    return place.model.system_kw if place.model else None


def power(place: Place, days: float | None) -> Iterator[Figure]:
    """At most, and over the days of a run where they are known."""
    draw = kilowatts(place)
    if draw is None:
        return
    yield Figure("power", "at most", draw, "kW", f"{place.gpus} GPUs × {_system(place)} kW / {SHARED}", SHEETS)
    if days is not None:
        words = f"{draw:.1f} kW × {days * 24:,.0f} h"
        yield Figure("power", "the whole run", draw * days * 24 / 1000, "MWh", words, SHEETS)


def cost(place: Place, price: float, days: float | None) -> Iterator[Figure]:
    """An hour's and the run's, where the user gave the price of a GPU and hour."""
    if not price:
        return
    yield Figure("cost", "an hour", price * place.gpus, "$", f"{place.gpus} GPUs × {price} $", "--price")
    if days is not None:
        words = f"{place.gpus} GPUs × {days * 24:,.0f} h × {price} $"
        yield Figure("cost", "the whole run", price * place.gpus * days * 24, "$", words, "--price")
