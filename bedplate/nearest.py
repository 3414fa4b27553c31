"""What somebody meant who misspelt a name: the one place that guesses, for every message."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """The known names that are most like it, whatever their case, by difflib's ratio; none where nothing is."""
    folded = {one.lower(): one for one in known}
    if name.lower() in folded:
        return [folded[name.lower()]]
    return [folded[one] for one in get_close_matches(name.lower(), folded, most, alike)]


def meant(name: str, known: Iterable[str], most: int = 1) -> str:
    """`did you mean lab?`, or nothing, so that a message can go on with `or`."""
    found = nearest(name, known, most)
    return f"did you mean {' or '.join(found)}?" if found else ""
