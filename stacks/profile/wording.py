"""What pydantic found, in the reader's words: what is wrong with a value, and what to write instead.

Keyed by pydantic's error types (docs.pydantic.dev, "Validation Errors"); its own texts speak of tuples, instances and
regular expressions, which nobody who writes YAML has to know.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pydantic_core import ErrorDetails

from components.section import DNS_LABEL, INTERFACE_NAME
from stacks.profile.plain import kind_of, simple

Words: TypeAlias = tuple[str, str]
"""The reason and the fix."""
UNIT = re.compile(r"\s*(-?[0-9]+)\s*[A-Za-z]")
CORRECT = "correct it ({guide})"
TEMPLATES: Mapping[str, tuple[str, str]] = {
    "greater_than": ("too small: it must be more than {gt}", CORRECT),
    "greater_than_equal": ("too small: {ge} is the least", CORRECT),
    "less_than": ("too large: it must be less than {lt}", CORRECT),
    "less_than_equal": ("too large: {le} is the most", CORRECT),
    "multiple_of": ("not a multiple of {multiple_of}", CORRECT),
    "too_long": ("too many: {max_length} are the most", "leave some out"),
    "string_too_short": ("empty", "write it, or remove the key if it may be absent ({guide})"),
    "string_too_long": ("too long: {max_length} characters are the most", "shorten it"),
    "ip_v4_network": ("not an IPv4 network", "write one such as 10.64.0.0/16; of dual stack its IPv4 one alone"),
    "ip_v4_address": ("not an IPv4 address", "write one such as 10.64.0.5"),
    "bool_type": ("{kind} where true or false belongs", "write true or false"),
    "bool_parsing": ("neither true nor false", "write true or false"),
    "float_type": ("{kind} where a number belongs", "write a number without a unit"),
    "float_parsing": ("not a number", "write a number without a unit"),
    "finite_number": ("not a finite number", "write a number"),
    "recursion_loop": ("it refers to itself", "write the value out instead of the alias"),
}


def worded(details: ErrorDetails, key: str, guide: str, meaning: str) -> Words:
    """Reason and fix of one fault; `meaning` is what the model says about the field."""
    value, name = details["input"], details["type"]
    if value is None and name != "value_error":
        return "empty", f"write it, or remove the key if it may be absent ({guide})"
    if special := SPECIAL.get(name):
        reason, fix = special(value, key, meaning, details.get("ctx", {}))
        return reason, fix or f"correct it ({guide})"
    known = {**details.get("ctx", {}), "guide": guide, "kind": kind_of(value)}
    if template := TEMPLATES.get(name):
        return template[0].format(**known), template[1].format(**known)
    return details["msg"].removeprefix("Value error, "), f"correct it ({guide})"


def _section(value: object, _key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    reason = f"{kind_of(value)} where a section belongs"
    if value is True:
        return f"{reason}: a section is switched on by being there", "write {} for the defaults, or its keys below it"
    if value is False:
        return f"{reason}: one that is absent is switched off", "remove the key"
    if isinstance(value, list):
        return reason, "write its keys without dashes"
    return reason, "write its keys below it, each with its value"


def _list(value: object, _key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    reason = f"{kind_of(value)} where a list belongs"
    if isinstance(value, dict):
        return reason, "begin each entry with a dash, with its name as a key: - name: …"
    return reason, f"write it as [{value}]"


def _text(value: object, key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    reason = f"{kind_of(value)} where text belongs"
    if isinstance(value, float) and key.rpartition(".")[2].lower().endswith("version"):
        return f"{reason}: YAML reads 1.30 as 1.3", "write it in quotes, with every digit"
    return reason, f'write it in quotes: "{str(value).lower() if isinstance(value, bool) else value}"' if simple(
        value
    ) else "write one value"


def _whole_number(value: object, key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    if isinstance(value, float):
        return "only a whole number can stand here", f"write {round(value)}" if value.is_integer() else "round it"
    if isinstance(value, str) and re.fullmatch("-?[0-9]+", value):
        return "text where a whole number belongs", f"write {value}, without quotes"
    unit = UNIT.match(value) if isinstance(value, str) else None
    if unit:
        counts = ": the key counts GiB" if key.endswith("Gib") else ""
        return "a unit where only a whole number can stand", f"write {unit[1]}{counts}"
    return f"{kind_of(value)} where a whole number belongs", "write a number"


def _too_few(_value: object, _key: str, _meaning: str, context: Mapping[str, Any]) -> Words:
    least = context.get("min_length", 1)
    return f"too few: {least} is the least", "list at least one" if least == 1 else f"list at least {least}"


def _form(value: object, _key: str, meaning: str, context: Mapping[str, Any]) -> Words:
    pattern = str(context.get("pattern", ""))
    if pattern == DNS_LABEL:
        fitting = re.sub(r"[^a-z0-9]+", "-", str(value).lower()).strip("-")[:63].strip("-")
        return "a name has small letters, digits and dashes, 63 at most", f"write {fitting or 'a name such as team-a'}"
    if pattern.endswith("?$") and "[KMGTPE]i" in pattern:
        fitting = re.sub(r"\s|[bB]$", "", str(value))
        example = fitting if re.fullmatch(pattern, fitting) else "a number with its unit, such as 16Gi or 500m"
        return "not a quantity of Kubernetes", f"write {example}"
    if pattern == "^[0-9]+(h|d|w|y)$":
        return "not a length of time", "write a number and h, d, w or y: 15d"
    if pattern == INTERFACE_NAME:
        return "not the name of a Linux interface", "write letters, digits, dots and dashes, 15 at most: ens1np0"
    if pattern == r"^1\.[0-9]{2}$":
        return "not a minor version of Kubernetes", 'write it in quotes and without the patch, such as "1.34"'
    return "it does not have the form of this key", f"look what it means: {meaning}" if meaning else ""


def _largest(value: object, key: str, _meaning: str, context: Mapping[str, Any]) -> Words:
    if key.endswith("Gib") and isinstance(value, int) and value >= 2**30:
        return "no node has so much: it seems to be in bytes", f"write {value // 2**30}: the key counts GiB"
    return f"too large: {context.get('le')} is the most", "lower it"


SPECIAL: Mapping[str, Callable[[object, str, str, Mapping[str, Any]], Words]] = {
    "model_type": _section,
    "model_attributes_type": _section,
    "dict_type": _section,
    "mapping_type": _section,
    "tuple_type": _list,
    "list_type": _list,
    "set_type": _list,
    "frozen_set_type": _list,
    "string_type": _text,
    "int_type": _whole_number,
    "int_parsing": _whole_number,
    "too_short": _too_few,
    "string_pattern_mismatch": _form,
    "less_than_equal": _largest,
}
