"""Whether a live object is what we declared: of the keys that we set, and of no other.

The API server adds defaults, controllers add their own fields: none of that is ours. What it leaves out when it writes
(empty lists, `false`, empty text) is the same as not there, and `8192Gi` is `8Ti`. An empty selector of ours is not
left out: it takes all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from bedplate.components.quantity import amount
from bedplate.plan.wire import MASK, UNKNOWN
from bedplate.stacks.profile.secrecy import is_secret

POINTERS = frozenset({"automountServiceAccountToken", "allowPrivilegeEscalation", "enableServiceLinks", "runAsNonRoot"})
"""Fields whose `false` the API server keeps, as their default is another (k8s.io/api core/v1)."""
BY_NAME = ("name", "key", "type")


class Difference(NamedTuple):
    """A key that has another value than ours."""

    path: str
    ours: Any
    live: Any

    def __str__(self) -> str:
        """One line."""
        has = "is not set" if self.live is None else f"is {shown(self.path, self.live)}"
        return f"{self.path} {has}, the profile implies {short(self.ours)}"


TOLD = re.compile(r"(^|\.)(env|args|command)(\[|\.|$)")
"""Where people write passwords and tokens by hand, whatever the key says."""
SIGNED_IN = re.compile(r"://[^/@\s]+@")


def shown(path: str, live: Any) -> str:  # noqa: ANN401 - any JSON
    """A value of the cluster on a line, but for what may be a secret."""
    listed = isinstance(live, list | tuple)
    parts = cast("Sequence[object]", live) if listed else (live,)
    if TOLD.search(path) or any(isinstance(part, Mapping) for part in parts):
        return "another"
    return MASK if is_secret(path, live) else short(SIGNED_IN.sub(f"://{MASK}@", str(live)))


def short(value: object, longest: int = 60) -> str:
    """A value on a line."""
    text = str(value).replace("\n", " ")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def differences(ours: object, live: object, path: str = "") -> Iterator[Difference]:
    """Every key of ours that is another."""
    if isinstance(ours, Mapping):
        yield from _of_mapping(cast("Mapping[str, Any]", ours), live, path)
    elif isinstance(ours, list | tuple):
        yield from _of_list(cast("Sequence[Any]", ours), live, path)
    elif not same(ours, live):
        yield Difference(path, ours, live)


def _of_mapping(ours: Mapping[str, Any], live: object, path: str) -> Iterator[Difference]:
    if not isinstance(live, Mapping):
        if live is not None or not nothing(ours):
            yield Difference(path, dict(ours), live)
        return
    theirs = cast("Mapping[str, Any]", live)
    for key, value in ours.items():
        below = f"{path}.{key}" if path else key
        if key.endswith("elector") and value == {} and theirs.get(key):
            yield Difference(below, "all of them", theirs[key])
        elif key in theirs:
            yield from differences(value, theirs[key], below)
        elif not nothing(value) or (key in POINTERS and value is False):
            yield Difference(below, value, None)


def _of_list(ours: Sequence[Any], live: object, path: str) -> Iterator[Difference]:
    theirs: list[Any] = list(cast("Sequence[Any]", live)) if isinstance(live, list | tuple) else []
    if named := next((key for key in BY_NAME if _all_have(ours, key) and _all_have(theirs, key)), None):
        there = {entry[named]: entry for entry in theirs}
        for item in ours:
            yield from differences(item, there.get(item[named]), f"{path}[{item[named]}]")
        names = {entry[named] for entry in ours}
        for name in there:
            if name not in names:
                yield Difference(f"{path}[{name}]", "no such entry", "there")
        return
    if len(ours) != len(theirs):
        yield Difference(path, list(ours), theirs or None)
        return
    for index, (mine, item) in enumerate(zip(ours, theirs, strict=True)):
        yield from differences(mine, item, f"{path}[{index}]")


def _all_have(entries: Sequence[Any], key: str) -> bool:
    values = [cast("Mapping[str, Any]", entry).get(key) for entry in entries if isinstance(entry, Mapping)]
    texts = {value for value in values if isinstance(value, str)}
    return bool(entries) and len(texts) == len(entries)


def nothing(value: object) -> bool:
    """What the API server leaves out."""
    if isinstance(value, Mapping):
        return all(map(nothing, cast("Mapping[str, object]", value).values()))
    return not value


def same(ours: object, live: object) -> bool:
    """The same value, or the same amount; of a secret or of what only the engine knows nothing can be said."""
    if ours == live or (isinstance(ours, str) and (MASK in ours or UNKNOWN in ours)):
        return True
    if nothing(ours) and nothing(live):
        return True
    return _amount(ours) is not None and _amount(ours) == _amount(live)


def _amount(value: object) -> Any:  # noqa: ANN401 - a number; none of a switch, a list or a mapping either
    try:
        return amount(str(value))
    except ValueError:
        return None
