"""The GPU Operator: the driver is the dangerous part, then how GPUs are cut."""

from typing import Any

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import evicts, reloads, rolls

UPGRADES = "NVIDIA docs, GPU Operator: GPU driver upgrades"
OPERANDS = "NVIDIA docs, GPU Operator: chart customization options"
MIG = "NVIDIA docs, GPU Operator: MIG"
ANEW = "the driver is loaded anew: node by node GPU pods are evicted, as upgradePolicy says"
WAITS = (
    "autoUpgrade is off: a node loads the driver anew when it starts or its driver pod is deleted, "
    "and every GPU pod on it goes then"
)
OFF = rolls("operands roll; the driver is somebody else's, and stays", UPGRADES)
UNKNOWN = Judgement(Danger.UNKNOWN, "a value of a driver that is off here: look at it yourself", "")


def _driver(change: Change) -> dict[str, Any]:
    return change.resource.inputs.get("values", {}).get("driver", {})


def _loaded(change: Change) -> Judgement:
    waits = not _driver(change).get("upgradePolicy", {}).get("autoUpgrade")
    return reloads(WAITS if waits else ANEW, UPGRADES)


def driver(change: Change, _: Field) -> Judgement:
    """A value that the driver's DaemonSet is made from: its sidecars and tolerations, too.

    TransformDriver and applyCommonDaemonsetConfig, NVIDIA/gpu-operator controllers/object_controls.go at v26.7.0.
    """
    return _loaded(change) if _driver(change).get("enabled", True) else OFF


def part(change: Change, _: Field) -> Judgement:
    """Any other value of the driver: whatever it does, it is as bad as that while the driver is the operator's."""
    return _loaded(change) if _driver(change).get("enabled", True) else UNKNOWN


def version(change: Change, _: Field) -> Judgement:
    """A new operator brings a new default driver, unless a version of ours stays."""
    if _driver(change).get("enabled", True) and not _driver(change).get("version"):
        return _loaded(change)
    return rolls("operands roll; GPU pods that run keep their devices", UPGRADES)


def begins(change: Change, field: Field) -> Judgement:
    """Drivers that are out of date are no longer waited with."""
    if field.new and _driver(change).get("enabled", True):
        return _loaded(change)
    return rolls("only how the next driver is loaded", UPGRADES)


def switch(_: Change, field: Field) -> Judgement:
    """An operand without which no pod gets a GPU."""
    if field.new is False:
        return evicts("an operand goes: pods that ask for GPUs cannot start", OPERANDS)
    return rolls("operands roll; GPU pods that run keep their devices", OPERANDS)
