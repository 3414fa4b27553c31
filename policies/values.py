"""Reading nested values of which some are absent, some malformed and some not known yet.

Nothing here raises: a rule asks for what it needs, and a value that a preview cannot know is UNKNOWN. Two habits keep
UNKNOWN from ever firing a rule: compare with a known value, and claim that something is absent only where `whole` says
that all of the place is known.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias, TypeGuard

from bedplate.components.quantity import amount
from bedplate.components.version import numbers

Tree: TypeAlias = Mapping[str, object]


class Unknown:
    """A value that is known only after the deployment: it equals nothing, not even itself."""

    def __repr__(self) -> str:
        """How a message would show it, if a rule ever let one through."""
        return "<unknown>"

    def __bool__(self) -> bool:
        """Unknown is no yes."""
        return False

    def __deepcopy__(self, _: object) -> "Unknown":
        """There is one of it, so that identity tells."""
        return self


UNKNOWN: Final = Unknown()


class Unseen(Mapping[str, object]):
    """A section that is known only after the deployment: whatever it is asked for is unknown, and it lists nothing."""

    def __getitem__(self, _: str) -> object:
        """Any key may be there."""
        return UNKNOWN

    def __iter__(self) -> Iterator[str]:
        """No key is known."""
        return iter(())

    def __len__(self) -> int:
        """Nothing to count."""
        return 0


UNSEEN: Final = Unseen()
USUAL = (str, int, float, dict, list, bytes, type(None))
"""What manifests are made of."""


def is_map(value: object) -> TypeGuard[Tree]:
    """Whether the value has keys; the usual types are told first, since asking an abstract class is slow."""
    return isinstance(value, dict) or (not isinstance(value, USUAL) and isinstance(value, Mapping))


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether the value has items: text is one value, not a list of letters."""
    return isinstance(value, list) or (not isinstance(value, USUAL) and isinstance(value, Sequence))


def dig(value: object, *path: str) -> object:
    """The value at `path`: None where absent, UNKNOWN where any step of the way is."""
    for key in path:
        if not is_map(value):
            return UNKNOWN if value is UNKNOWN else None
        value = value.get(key)
    return value


def tree(value: object) -> Tree:
    """A mapping, or an empty one; what is unknown stays so in all its parts."""
    return value if is_map(value) else UNSEEN if value is UNKNOWN else {}


def items(value: object) -> list[object]:
    """A list, or an empty one."""
    return list(value) if is_list(value) else []


def trees(value: object) -> list[Tree]:
    """The mappings in a list."""
    return [item for item in items(value) if is_map(item)]


def text(value: object) -> str:
    """A string, or an empty one."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The strings in a list."""
    return [item for item in items(value) if isinstance(item, str)]


def integer(value: object) -> int | None:
    """A whole number of 64 bits, also one written as text or, as on the wire, as a float."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value) else None


def quantity(value: object) -> Decimal | None:
    """A Kubernetes quantity as a number: 500m, 16Gi, 8."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return amount(str(value))
    except ValueError:
        return None


def whole(value: object, *, besides: str = "") -> bool:
    """Whether nothing in the value is unknown, so that what is not there is absent.

    Sections named `besides` are left out.
    """
    if value is UNKNOWN or value is UNSEEN:
        return False
    if is_map(value):
        return all(whole(below, besides=besides) for key, below in value.items() if key != besides)
    return all(whole(item, besides=besides) for item in value) if is_list(value) else True


def is_on(value: object, *, default: bool) -> bool | None:
    """A switch: None where it is not known."""
    if value is UNKNOWN:
        return None
    return value if isinstance(value, bool) else default


def version(value: object) -> tuple[int, ...]:
    """The numbers of a version, for comparing: v26.3.1 is (26, 3, 1), and what has none is ()."""
    return numbers(text(value))


def flatten(value: object) -> Iterator[str]:
    """Every string in the value."""
    if isinstance(value, str):
        yield value
    for below in value.values() if is_map(value) else items(value):
        yield from flatten(below)
