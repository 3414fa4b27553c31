"""What pydantic found, in the reader's words: what is wrong with a value, and what to write instead.

Keyed by pydantic's error types (docs.pydantic.dev, "Validation Errors"); its own texts speak of tuples, instances and
regular expressions, which nobody who writes YAML has to know.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pydantic_core import ErrorDetails

from bedplate.stacks.profile.forms import counted, form, network, network6, texts
from bedplate.stacks.profile.reading import kind_of, simple
from bedplate.stacks.profile.secrecy import MASK, is_secret

Words: TypeAlias = tuple[str, str]
"""The reason and the fix."""
PAIR = re.compile(r"\s*([\w./-]+)=([\w.-]*)\s*")
"""As `kubectl label` takes it."""
TAINT = re.compile(r"([\w./-]+?)(?:=([\w.-]*))?:(NoSchedule|NoExecute|PreferNoSchedule)")
"""As `kubectl taint` takes it."""
UNITS = (
    (".size", "Gi", "without a unit it would be bytes"),
    (".memory", "Gi", "without a unit it would be bytes"),
    (".retention", "d", "it has no unit"),
)
"""Keys whose values are text because of their unit, with the usual one."""


def worded(details: ErrorDetails, key: str, guide: str, meaning: str) -> Words:
    """Reason and fix of one fault; `meaning` is what the model says about the field."""
    value, name = details["input"], details["type"]
    if value is None and name != "value_error":
        return "empty", f"write it, or remove the key if it may be absent ({guide})"
    if special := SPECIAL.get(name):
        reason, fix = special(value, key, meaning, details.get("ctx", {}))
        return reason, fix or f"correct it ({guide})"
    context = {**details.get("ctx", {}), "guide": guide, "kind": kind_of(value)}
    if template := texts()["errors"].get(name):
        return template["reason"].format(**context), template["fix"].format(**context)
    reason, _, fix = details["msg"].removeprefix("Value error, ").partition("; ")
    return reason, fix or f"correct it ({guide})"


def _section(value: object, _key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    reason = f"{kind_of(value)} where a section belongs"
    if value is True:
        return f"{reason}: a section is switched on by being there", "write {} for the defaults, or its keys below it"
    if value is False:
        return f"{reason}: one that is absent is switched off", "remove the key"
    if as_pairs := _pairs(value):
        return reason, f"write {as_pairs}"
    if isinstance(value, list):
        return reason, "write its keys without dashes"
    return reason, "write its keys below it, each with its value"


def _pairs(value: object) -> str:
    """Labels and taints in kubectl's way, in ours; empty where it is none."""
    if isinstance(value, str) and (taint := TAINT.fullmatch(value)):
        pair = {"key": taint[1], **({"value": f'"{taint[2]}"'} if taint[2] else {}), "effect": taint[3]}
        return f"{{{', '.join(f'{key}: {value}' for key, value in pair.items())}}}"
    texts = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
    matches = [PAIR.fullmatch(str(text)) for text in texts]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    pairs = [f'{one[1]}: "{MASK if is_secret(one[1], one[2]) else one[2]}"' for one in matches if one]
    return f"{{{', '.join(pairs)}}}" if pairs and len(pairs) == len(matches) else ""


def _list(value: object, _key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    reason = f"{kind_of(value)} where a list belongs"
    if isinstance(value, dict):
        return reason, "begin each entry with a dash, with its name as a key: - name: …"
    return reason, f"write it as [{value}]"


def _text(value: object, key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    reason = f"{kind_of(value)} where text belongs"
    if isinstance(value, float) and key.rpartition(".")[2].lower().endswith("version"):
        return f"{reason}: YAML reads 1.30 as 1.3", "write it in quotes, with every digit"
    for word, unit, fault in UNITS:
        if key.endswith(word) and isinstance(value, int) and not isinstance(value, bool):
            return f"{reason}: {fault}", f"write {value}{unit}, or whatever it is"
    return reason, f'write it in quotes: "{str(value).lower() if isinstance(value, bool) else value}"' if simple(
        value
    ) else "write one value"


def _whole_number(value: object, key: str, _meaning: str, _: Mapping[str, Any]) -> Words:
    if isinstance(value, float):
        return "only a whole number can stand here", f"write {round(value)}" if value.is_integer() else "round it"
    if isinstance(value, str) and re.fullmatch("-?[0-9]+", value):
        return "text where a whole number belongs", f"write {value}, without quotes"
    if isinstance(value, str) and (fix := counted(value, key)):
        return "a unit where only a whole number can stand", fix
    return f"{kind_of(value)} where a whole number belongs", "write a number"


def _too_few(_value: object, _key: str, _meaning: str, context: Mapping[str, Any]) -> Words:
    least = context.get("min_length", 1)
    return f"too few: {least} is the least", "list at least one" if least == 1 else f"list at least {least}"


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
    "ip_v4_network": network,
    "ip_v6_network": network6,
    "string_pattern_mismatch": form,
    "less_than_equal": _largest,
}


def declined(key: str, value: object) -> tuple[str, str] | None:
    """Reason and fix; None: nobody looks for such a choice."""
    reason = texts()["declined"].get(re.sub(r"\[\d+\]", "", key), {}).get(str(value))
    return (reason["reason"], reason["fix"]) if reason else None
