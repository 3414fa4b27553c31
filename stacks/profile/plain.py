"""What a value of YAML is called in a sentence."""

KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (str, "text"),
    (dict, "a section"),
    (list, "a list"),
)


def kind_of(value: object) -> str:
    """With its article; a date is one of YAML's own that nobody expects."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), f"a {type(value).__name__}")


def simple(value: object) -> bool:
    """It fits into one line as it is."""
    return isinstance(value, bool | int | float | str)
