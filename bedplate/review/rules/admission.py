"""What the API server refuses when an object is made or changed: what runs is not asked again."""

from collections.abc import Mapping
from typing import Any, cast

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.stated import judgements

_FEWER, _MORE = judgements("admission", "fewer", "more")


def _items(change: Change, *way: str) -> tuple[list[Any], list[Any]]:
    """Items of a list before and after, without what only words the answer."""
    old, new = ([_asking(item) for item in _at(spec, *way)] for spec in change.specs)
    return old, new


def _at(spec: Mapping[str, Any], *way: str) -> list[Any]:
    place: Any = spec
    for key in way:
        place = place.get(key) or {}
    return list(place)


def _asking(item: object) -> object:
    words = ("message", "messageExpression", "reason")
    if not isinstance(item, Mapping):
        return item
    return {key: value for key, value in cast("Mapping[str, object]", item).items() if key not in words}


def asked(change: Change, _: Field) -> Judgement:
    """Conditions that an object must meet."""
    old, new = _items(change, "validations")
    return _FEWER if all(item in old for item in new) else _MORE


def filtered(change: Change, _: Field) -> Judgement:
    """Conditions under which it is asked at all: of more of them fewer objects are left."""
    old, new = _items(change, "matchConditions")
    return _FEWER if all(item in new for item in old) else _MORE


def matched(change: Change, _: Field) -> Judgement:
    """Which requests it is asked about."""
    old, new = _items(change, "matchConstraints", "resourceRules")
    return _FEWER if all(any(_wider(item, other) for other in old) for item in new) else _MORE


def _wider(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    keys = {*inner, *outer}
    return all(set(inner.get(key) or ()) <= set(outer.get(key) or ()) for key in keys)


def acts(change: Change, _: Field) -> Judgement:
    """Deny refuses; warnings and audit records do not."""
    old, new = _items(change, "validationActions")
    return _MORE if "Deny" in new and "Deny" not in old else _FEWER


def binding(change: Change) -> Judgement:
    """A policy refuses nothing until it is bound."""
    return acts(change, Field("spec.validationActions", None, None))
