"""Values of manifests as rules read them: what cannot be read is None, and nothing raises."""

from decimal import Decimal

import pytest

from bedplate.policies.values import UNKNOWN, integer, quantity


@pytest.mark.parametrize(
    ("value", "number"),
    [("16Gi", 2**34), ("500m", Decimal("0.5")), ("2e3", 2000), ("1Ei", 2**60), (8, 8), (8.0, 8), (0.1, Decimal("0.1"))],
)
def test_a_quantity_is_read_as_the_api_server_reads_it(value: object, number: Decimal) -> None:
    assert quantity(value) == number


@pytest.mark.parametrize("value", [None, True, "", "16gb", "16 Gi", "-", UNKNOWN, float("inf"), ["1Gi"]])
def test_what_is_no_quantity_is_none(value: object) -> None:
    assert quantity(value) is None


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), True, "x", "1.5", None])
def test_what_is_no_whole_number_is_none(value: object) -> None:
    assert integer(value) is None
