"""Kueue's release, whose one large value is a configuration of its own."""

from collections.abc import Mapping
from typing import Any, cast

import yaml

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field, differences
from bedplate.review.rules.charts import ROLL
from bedplate.review.rules.stated import kinds

CONFIGURATION = "kubernetes-sigs/kueue apis/config/v1beta2/configuration_types.go"


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
