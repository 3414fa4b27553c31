"""Kubernetes quantities as numbers, for rules that compare them."""

import re

SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15} | {
    f"{letter}i": 1024**power for power, letter in enumerate("KMGTP", start=1)
}


def gib(quantity: str) -> float:
    """`quantity` in GiB; it has the form that `components.section.Quantity` takes."""
    match = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", quantity)
    assert match is not None  # noqa: S101 - the section's type has checked it
    return float(match[1]) * SUFFIXES[match[2]] / 1024**3
