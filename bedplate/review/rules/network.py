"""The Network Operator's pods, and who may talk to whom."""

from typing import Any

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.stated import judgements

_LOADED, _ROLL, _MORE, _CUT = judgements("network", "loaded", "roll", "allows", "cut")


def placed(change: Change, _: Field) -> Judgement:
    """Also part of the pods that load the driver (Mellanox/network-operator manifests/state-ofed-driver)."""
    return _LOADED if change.resource.spec.get("ofedDriver") else _ROLL


def peers(change: Change, _: Field) -> Judgement:
    """They add up: a policy that only allows more cuts nothing."""
    old, new = change.specs
    same = all(old.get(key) == new.get(key) for key in ("podSelector", "policyTypes"))
    kept = all(_within(old.get(key) or [], new.get(key) or []) for key in ("ingress", "egress"))
    return _MORE if same and kept else _CUT


def _within(old: list[Any], new: list[Any]) -> bool:
    return all(peer in new for peer in old)
