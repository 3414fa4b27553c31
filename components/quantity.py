"""Kubernetes quantities as exact numbers: the one reader for components, stacks, policies and the lab.

The grammar, the rounding and the cap are those of apimachinery's `resource.Quantity` (kubernetes/apimachinery,
pkg/api/resource/quantity.go). Standard library only, so that the policies may use it wherever they run.
"""

import re
from decimal import ROUND_UP, Context, Decimal

UNSIGNED = (
    r"([0-9]+\.?[0-9]*|\.[0-9]+)"  # the number
    r"([numk]|[KMGTPE]i|[MGTPE]|[eE][+-]?0*[0-9]{1,3})?"  # the suffix
)
"""A quantity without a sign. Exponents end at 999: Kubernetes takes greater ones, and nothing real has them."""
QUANTITY = re.compile(rf"([+-]?){UNSIGNED}")
BINARY = {f"{letter}i": Decimal(1024**power) for power, letter in enumerate("KMGTPE", start=1)}
DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
FINEST = Decimal("1e-9")
"""Anything smaller is rounded away from zero, so that whoever asks for something gets something."""
LARGEST = Decimal(2**63 - 1)
"""A quantity with a binary suffix is cut off here; one with a decimal suffix is not."""
DIGITS = 32
"""More than a binary suffix, or the nine places of a nano, add to a number's own."""


def amount(quantity: str) -> Decimal:
    """The number that a quantity stands for; ValueError if it is none."""
    found = QUANTITY.fullmatch(quantity)
    if found is None:
        raise ValueError(f"{quantity!r} is no quantity: write a number and a suffix, such as 500m, 16Gi or 1e3")
    number, suffix = Decimal(found[2]), found[3] or ""
    if suffix in BINARY:
        size = min(_exact(number).multiply(number, BINARY[suffix]), LARGEST)
    else:
        size = _exact(number).scaleb(number, DECIMAL[suffix] if suffix in DECIMAL else int(suffix[1:]))
    return _to_nano(size.copy_negate() if found[1] == "-" else size)


def _exact(number: Decimal) -> Context:
    """Arithmetic with room for all digits of the number and of a suffix."""
    return Context(prec=len(number.as_tuple().digits) + abs(number.adjusted()) + DIGITS)


def _to_nano(number: Decimal) -> Decimal:
    rounded = number.quantize(FINEST, ROUND_UP, _exact(number))
    return number if number == rounded else rounded


def gib(quantity: str) -> Decimal:
    """A quantity in GiB."""
    return amount(quantity) / 1024**3


def mib(quantity: str) -> Decimal:
    """A quantity in MiB."""
    return amount(quantity) / 1024**2


def written(number: Decimal) -> str:
    """A number as Kubernetes itself writes it, with a decimal suffix: no fraction, and the largest suffix that fits."""
    nanos = int(_exact(number).scaleb(_to_nano(number), 9))
    for suffix, power in reversed(DECIMAL.items()):
        count, rest = divmod(nanos, 10 ** (power + 9))
        if nanos and not rest:
            return f"{count}{suffix}"
    return "0"
