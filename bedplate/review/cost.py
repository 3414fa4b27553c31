"""What a change costs and draws in an hour, from the two profiles."""

from collections.abc import Mapping
from typing import Any

from bedplate.stacks.facts.costs import Bill, bill
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError


def cost(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> str:
    """In words; empty where it stays as it is, or one side has no profile of ours."""
    before, after = _bill(old), _bill(new)
    if before is None or after is None:
        return ""
    parts = [
        _change(before.dollars, after.dollars, "$", " an hour"),
        _change(before.dollars_at_most, after.dollars_at_most, "$", " an hour at most"),
        _change(before.kilowatts, after.kilowatts, "", " kW"),
    ]
    if before.dollars_at_most == before.dollars and after.dollars_at_most == after.dollars:
        parts[1] = ""
    unknown = f"without {', '.join(after.unpriced)}: no price is known" if after.unpriced and any(parts) else ""
    return "; ".join(part for part in (*parts, unknown) if part)


def _bill(profile: Mapping[str, Any] | None) -> Bill | None:
    try:
        return bill(load(profile)) if profile else None
    except ProfileError:  # of another release, which other rules hold for
        return None


def _change(old: float, new: float, sign: str, unit: str) -> str:
    if round(old, 2) == round(new, 2):
        return ""
    more = "+" if new > old else "\N{MINUS SIGN}"
    return f"{sign}{old:,.2f} → {sign}{new:,.2f}{unit} ({more}{sign}{abs(new - old):,.2f})"
