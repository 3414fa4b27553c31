"""What Kueue lets change in place, which is its release's to say."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from bedplate.components.version import is_semantic, line
from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.stated import judgements

MUTABLE_SINCE = (0, 20)
"""kubernetes-sigs/kueue#13622, #13738, #13910."""
HOSTNAME = "kubernetes.io/hostname"
FIXED, IN_PLACE = judgements("queues", "fixed", "in-place")


def flavor(change: Change, _field: Field) -> Judgement:
    """Labels and tolerations of a flavor with a topology."""
    return IN_PLACE if _mutable(change) else FIXED


def levels(change: Change, _field: Field) -> Judgement:
    """A topology's: while its lowest is the node itself, before and after."""
    nodes = all(_lowest(spec) == HOSTNAME for spec in change.specs)
    return IN_PLACE if nodes and _mutable(change) else FIXED


def _mutable(change: Change) -> bool:
    """Of a Kueue that this stack does not install nobody knows the release."""
    version = change.releases.get("kueue", "")
    return is_semantic(version) and line(version) >= MUTABLE_SINCE


def _lowest(spec: Mapping[str, Any]) -> str:
    levels = cast("Sequence[Mapping[str, str]]", spec.get("levels") or ({},))
    return levels[-1].get("nodeLabel", "")
