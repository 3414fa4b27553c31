"""The Network Operator's pods, and who may talk to whom."""

from typing import Any

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import nothing, reloads
from bedplate.review.rules.stated import document, judgement

POLICIES = "Kubernetes docs: network policies"
_LOADED, _ROLL = (judgement(**document("network")["judgements"][name]) for name in ("loaded", "roll"))


def placed(change: Change, _: Field) -> Judgement:
    """Also part of the pods that load the driver (Mellanox/network-operator manifests/state-ofed-driver)."""
    return _LOADED if change.resource.spec.get("ofedDriver") else _ROLL


def _allows(change: Change) -> bool:
    spec = change.resource.spec
    return bool(spec.get("ingress") or spec.get("egress"))


_MORE = nothing("more is allowed than before: policies add up", POLICIES)
_CUT = reloads("what only it allows is cut, also of what runs", POLICIES)
_CLOSED = reloads("all that no other policy allows is cut", POLICIES)


def policy_comes(change: Change) -> Judgement:
    """The one without rules closes; the one with rules opens."""
    if change.fresh:
        return nothing("its namespace is new: nothing runs there yet", POLICIES)
    return _MORE if _allows(change) else _CLOSED


def policy_goes(change: Change) -> Judgement:
    """What only it allowed is cut; without the one that closes, more is allowed."""
    return _CUT if _allows(change) else _MORE


def peers(change: Change, _: Field) -> Judgement:
    """They add up: a policy that only allows more cuts nothing."""
    old, new = change.specs
    same = all(old.get(key) == new.get(key) for key in ("podSelector", "policyTypes"))
    kept = all(_within(old.get(key) or [], new.get(key) or []) for key in ("ingress", "egress"))
    return _MORE if same and kept else _CUT


def _within(old: list[Any], new: list[Any]) -> bool:
    return all(one in new for one in old)


def policy_replaced(change: Change) -> Judgement:
    """A policy that is made anew: for a moment nothing of it holds."""
    return _CUT if _allows(change) else _CLOSED
