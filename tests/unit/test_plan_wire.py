"""What leaves a plan is masked, whatever shape it has."""

from hypothesis import given
from hypothesis import strategies as st

from bedplate.plan.wire import (
    MASK,
    OUTPUT_SIGNATURE,
    RESOURCE_SIGNATURE,
    SECRET_SIGNATURE,
    SIGNATURE,
    UNKNOWN,
    UNKNOWN_SENTINEL,
    decode,
    encode,
    mask,
)

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


def secret(value: object) -> dict[str, object]:
    return {SIGNATURE: SECRET_SIGNATURE, "value": value}


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_values_survive_the_wire(values: dict[str, object]) -> None:
    assert decode(encode(values)) == values


@given(VALUES)
def test_no_leaf_of_a_secret_survives_the_mask(value: object) -> None:
    def leaves(value: object) -> list[object]:
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        if isinstance(value, list):
            return [leaf for item in value for leaf in leaves(item)]
        return [value]

    assert set(leaves(mask({"outer": [secret(value)]}))) <= {MASK}


@given(VALUES)
def test_what_is_no_secret_stays_as_it_is(value: object) -> None:
    assert mask(value) == value


def test_secrets_inside_secrets_and_unknown_secrets_show_nothing() -> None:
    assert mask(secret({"a": secret(["x"]), "b": UNKNOWN_SENTINEL})) == {"a": [MASK], "b": UNKNOWN}


def test_a_resource_reference_shows_its_urn() -> None:
    assert mask({SIGNATURE: RESOURCE_SIGNATURE, "urn": "urn:pulumi:x", "id": "1"}) == "urn:pulumi:x"


def test_an_output_value_is_masked_when_it_is_secret() -> None:
    assert mask({SIGNATURE: OUTPUT_SIGNATURE, "value": "x", "secret": True}) == MASK
    assert mask({SIGNATURE: OUTPUT_SIGNATURE, "value": "x"}) == "x"
    assert mask({SIGNATURE: OUTPUT_SIGNATURE}) == UNKNOWN


def test_a_file_asset_shows_its_path_only() -> None:
    assert mask({SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "path": "values.yaml"}) == {"path": "values.yaml"}
