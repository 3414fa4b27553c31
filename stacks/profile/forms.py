"""Text that has not the form of its key: what form that is, and what the text would be in it."""

import contextlib
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from ipaddress import IPv4Interface, IPv6Interface
from pathlib import Path
from typing import Any

from bedplate.components.section import DNS_LABEL, LABEL_VALUE

HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]+\.?", re.IGNORECASE)

QUOTES = ("\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u201a", "\u00ab", "\u00bb")
"""What word processors and chats make of quotes."""


@cache
def texts() -> Mapping[str, Any]:
    """The tables of `wording.toml`, read once something is wrong."""
    return tomllib.loads(Path(__file__).with_name("wording.toml").read_text(encoding="utf-8"))


def form(value: object, _key: str, meaning: str, context: Mapping[str, Any]) -> tuple[str, str]:
    """Of any key that has a pattern."""
    pattern, text = str(context.get("pattern", "")), str(value)
    if text[:1] in QUOTES:
        return "typographic quotes, which YAML takes for letters", f'write plain ones: "{text.strip("".join(QUOTES))}"'
    if words := texts()["forms"].get(pattern):
        return words["reason"], words["fix"]
    if fitting := FITTING.get(pattern):
        return fitting(text)
    if pattern.endswith("?$") and "[KMGTPE]i" in pattern:
        number = re.sub(r"\s|[bB]$", "", text)
        example = number if re.fullmatch(pattern, number) else "a number with its unit, such as 16Gi or 500m"
        return "not a quantity of Kubernetes", f"write {example}"
    if pattern.startswith("^/") and re.fullmatch(pattern, f"/{text}"):
        return "not an absolute path", f"write /{text}"
    return "it does not have the form of this key", f"look what it means: {meaning}" if meaning else ""


def _name(text: str) -> tuple[str, str]:
    fitting = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:63].strip("-")
    return "a name has small letters, digits and dashes, 63 at most", f"write {fitting or 'a name such as team-a'}"


def _label_value(text: str) -> tuple[str, str]:
    fitting = re.sub(r"[^-A-Za-z0-9_.]+", "-", text)[:63].strip("-_.")
    reason = "no label has such a value: letters, digits, dashes, dots and _, 63 at most"
    return reason, f"write {fitting or 'one such as rack-7'}"


FITTING: Mapping[str, Callable[[str], tuple[str, str]]] = {DNS_LABEL: _name, LABEL_VALUE: _label_value}
"""What a text would be that has the form, by the pattern."""


HOSTS = (
    "the name of a host, and networks are known by addresses",
    "write one such as 10.64.0.0/16, or 0.0.0.0/0 for all",
)


def network(value: object, key: str, _meaning: str, _: Mapping[str, Any]) -> tuple[str, str]:
    """What is nearly one is told which."""
    with contextlib.suppress(ValueError):
        return "an address, and not the network that it is in", f"write {IPv4Interface(str(value)).network}"
    if "://" in str(value):
        return HOSTS
    if ":" in str(value):
        name = key.rpartition(".")[2]
        also = f"; IPv6 is {name}6" if name in ("podCidr", "serviceCidr") else ""
        return "an IPv6 network, and only IPv4 is taken here", f"write its IPv4 one{also}"
    if HOST.fullmatch(str(value)):
        return HOSTS
    return "not an IPv4 network", "write one such as 10.64.0.0/16; of dual stack its IPv4 one alone"


def network6(value: object, _key: str, _meaning: str, _: Mapping[str, Any]) -> tuple[str, str]:
    """The same of IPv6."""
    with contextlib.suppress(ValueError):
        return "an address, and not the network that it is in", f"write {IPv6Interface(str(value)).network}"
    if "://" in str(value):
        return HOSTS
    return "not an IPv6 network", "write one such as fd00:10::/48"


UNIT = re.compile(r"\s*(-?[0-9]+)\s*([A-Za-z]+|%)")
GIB = {"m": 1 / 1024, "g": 1, "t": 1024, "p": 1024**2}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
MULTIPLES = {"k": 1000, "ki": 1024}
"""What multiplies a number that counts no unit, such as an MTU of `9k`."""
COUNTS_SECONDS = re.compile(r"(timeout|interval|window|grace)$", re.IGNORECASE)


def counted(text: str, key: str) -> str | None:
    """What to write instead; None where there is no unit."""
    match = UNIT.match(text)
    if not match:
        return None
    number, unit = int(match[1]), match[2].lower()
    if key.endswith("Gib") and unit[0] in GIB:
        return f"write {max(1, round(number * GIB[unit[0]]))}: the key counts GiB"
    if COUNTS_SECONDS.search(key) and unit != "ms" and unit[0] in SECONDS:
        return f"write {number * SECONDS[unit[0]]}: the key counts seconds"
    return f"write {number * MULTIPLES.get(unit, 1)}"
