"""Kueue's release, whose one large value is a configuration of its own."""

from collections.abc import Mapping
from typing import Any, cast

import yaml

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field, differences
from bedplate.review.rules.charts import ROLL
from bedplate.review.rules.rule import evicts
from bedplate.review.rules.stated import document, judgement, kinds

READY = "Kueue docs: wait for pods ready"
CONFIGURATION = "kubernetes-sigs/kueue apis/config/v1beta2/configuration_types.go"
_OWN, _HELD = (judgement(**document("kueue")["judgements"][name]) for name in ("own", "held"))


def integrated(_: Change, field: Field) -> Judgement:
    """A kind of job more is held back; a kind less runs beside every quota."""
    return _HELD if field.old is None or field.new is not None else _OWN


def waits(_: Change, field: Field) -> Judgement:
    """How long pods may take to be ready before their job is evicted."""
    return evicts(f"a job whose pods are not ready in time is evicted: {field.old} → {field.new}", READY)


def configuration(change: Change, field: Field) -> Judgement:
    """Field by field, as the object that the text is."""
    old, new = (_read(value) for value in (field.old, field.new))
    if old is None or new is None:
        return Judgement(Danger.UNKNOWN, "a configuration that cannot be compared: look at it yourself", CONFIGURATION)
    fields = tuple(differences(old, new))
    return DOCUMENT(Change("update", change.old, change.new, fields)) if fields else ROLL


def _read(text: object) -> Mapping[str, Any] | None:
    try:
        read = yaml.safe_load(str(text))
    except yaml.YAMLError:
        return None
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else None


DOCUMENT = kinds("kueue", {})["Configuration"]
