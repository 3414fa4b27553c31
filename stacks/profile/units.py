"""A number that somebody wrote with its unit, as its key counts it."""

import re

UNIT = re.compile(r"\s*(-?[0-9]+)\s*([A-Za-z]+|%)")
GIB = {"m": 1 / 1024, "g": 1, "t": 1024, "p": 1024**2}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
PLAIN = {"k": 1000, "ki": 1024}
"""What multiplies a number that counts no unit, such as an MTU of `9k`."""
COUNTS_SECONDS = re.compile(r"(timeout|interval|window|grace)$", re.IGNORECASE)


def counted(text: str, key: str) -> str | None:
    """What to write instead; None where there is no unit."""
    found = UNIT.match(text)
    if not found:
        return None
    number, unit = int(found[1]), found[2].lower()
    if key.endswith("Gib") and unit[0] in GIB:
        return f"write {max(1, round(number * GIB[unit[0]]))}: the key counts GiB"
    if COUNTS_SECONDS.search(key) and unit != "ms" and unit[0] in SECONDS:
        return f"write {number * SECONDS[unit[0]]}: the key counts seconds"
    return f"write {number * PLAIN.get(unit, 1)}"
