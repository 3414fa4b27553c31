"""Quantities are read as Kubernetes reads them; most cases are those of apimachinery's own quantity_test.go."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bedplate.components.quantity import BINARY, DECIMAL, LARGEST, amount, gib, mib, written

NANOS = st.integers(-(10**40), 10**40)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("0", "0"), ("0Ki", "0"), ("0n", "0"), ("1", "1"), ("-1", "-1"), ("+1", "1")),
        *(("8Ki", "8192"), ("7Mi", "7340032"), ("6Gi", "6442450944"), ("5Ti", "5497558138880")),
        *(("4Pi", "4503599627370496"), ("3Ei", "3458764513820540928")),
        *(("5n", "5e-9"), ("4u", "4e-6"), ("3m", "0.003"), ("8k", "8000"), ("7M", "7e6"), ("6G", "6e9")),
        *(("300T", "3e14"), ("2P", "2e15"), ("1E", "1e18"), ("1.01E", "101e16")),
        *(("1E-3", "0.001"), ("1e3", "1000"), ("1E18", "1e18"), ("1.3E+6", "13e5"), ("0.5e-2", "0.005")),
        *(("0.0005k", "0.5"), ("100.035k", "100035"), ("0.05000", "0.05"), ("7.123456M", "7123456")),
        *((".001", "0.001"), (".0001k", "0.1"), ("1.", "1"), ("1.G", "1e9"), ("-.5", "-0.5")),
        *(("100.035Ki", "102435.84"), ("0.5Mi", "524288"), ("0.05Gi", "53687091.2"), ("0.025Ti", "27487790694.4")),
    ],
)
def test_a_quantity_is_exactly_the_number_it_says(text: str, number: str) -> None:
    assert amount(text) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        *(("3.001n", 4), ("1.1E-9", 2), ("0.0000000001", 1), ("0.9n", 1), ("0.00000012345", 124), ("-0.1n", -1)),
        *(("0.000000000001Ki", 2), ("1e-99", 1), ("0e-99", 0)),
    ],
)
def test_what_is_finer_than_a_nano_is_rounded_away_from_zero(text: str, nanos: int) -> None:
    assert amount(text) == Decimal(nanos).scaleb(-9)


def test_only_binary_suffixes_are_cut_off_at_the_largest_integer() -> None:
    assert amount("9Ei") == amount("9223372036854775807Ki") == LARGEST
    assert amount("-9Ei") == -LARGEST
    assert amount("12E") == 12 * 10**18


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "-", "+", "1.1.M", "1+1.0M", "0.1mi", "0.1am", "aoeu", ".5i", "1i", "-3.01i", "-3.01e-", " 1", "1 "),
        *("1\n", "1e", "1KI", "1K", "1ki", "1Gb", "--1", "1e1.5", "1e3Ki", "٣", "1_000", "nan", "inf", "1e1000"),
    ],
)
def test_what_is_no_quantity_is_refused_by_its_text(text: str) -> None:
    with pytest.raises(ValueError, match="is no quantity: write a number and a suffix") as refused:
        amount(text)
    assert str(refused.value).startswith(repr(text))


@given(NANOS)
@example(-20711123756002194221042167925)
def test_a_number_that_is_written_is_read_back(nanos: int) -> None:
    number = Decimal(nanos).scaleb(-9)
    assert amount(written(number)) == number


@given(st.integers(-7, 7), st.sampled_from([*BINARY, *DECIMAL]))
def test_a_suffix_multiplies_and_a_sign_turns(count: int, suffix: str) -> None:
    factor = BINARY[suffix] if suffix in BINARY else Decimal(1).scaleb(DECIMAL[suffix])
    assert amount(f"{count}{suffix}") == amount(f"{count}.0{suffix}") == count * factor


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *(
            ("0", "0"),
            ("0.8", "800m"),
            ("1.5", "1500m"),
            ("16", "16"),
            ("1000", "1k"),
            ("2500", "2500"),
            ("-0.5", "-500m"),
        ),
        *(("0.00005", "50u"), ("12e18", "12E"), ("1e-12", "1n")),
    ],
)
def test_a_number_is_written_without_a_fraction_and_with_the_largest_suffix(number: str, text: str) -> None:
    assert written(Decimal(number)) == text


@pytest.mark.parametrize(
    ("text", "size"), [("1Gi", 1), ("1Ti", 1024), ("512Mi", "0.5"), ("1073741824", 1), ("1.5Gi", "1.5")]
)
def test_memory_is_counted_in_gib_and_in_mib(text: str, size: str | int) -> None:
    assert gib(text) == Decimal(size)
    assert mib(text) == Decimal(size) * 1024
