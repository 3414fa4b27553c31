"""What each step between two releases of a chart does: its verdict, what it drains, and what to do about it.

Steps are between neighbours that we know; a way is as bad as the worst of its steps, and a step that is not here is
unknown, which is never safe.
"""

from dataclasses import dataclass
from enum import IntEnum

NOTES = "NVIDIA/cloud-native-docs gpu-operator/release-notes.rst"
DRIVERS = "NVIDIA/cloud-native-docs gpu-operator/gpu-driver-upgrades.rst"
NETWORK = "Mellanox/network-operator, custom resources at both tags"
DRILL = "tests/engine/test_drills.py, upgrade from the previous releases and back"


class Verdict(IntEnum):
    """From harmless to impossible."""

    SAFE = 0
    """Shown by a drill: nothing is lost, nothing but the operator's own pods starts anew."""
    MANUAL = 1
    """Goes well with the steps that are given."""
    UNKNOWN = 2
    BLOCKED = 3

    @property
    def label(self) -> str:
        """As people read it."""
        return self.name.lower()


@dataclass(frozen=True)
class Transition:
    """One step."""

    chart: str
    old: str
    new: str
    verdict: Verdict
    drains: str
    """Whom it disturbs; empty: nobody."""
    steps: tuple[str, ...]
    """What to do, in order."""
    sources: tuple[str, ...]
    """Who says so: documents, and the drill where there is one."""


_RELOADS = "GPU pods, node by node (driver.upgradePolicy): the operator's default driver is another one"
_MOFED = "pods with rails, node by node, where the Network Operator owns DOCA-OFED: its default is another one"
_PIN = "pin driver.version if the driver is to stay; else expect the drain"

TRANSITIONS = (
    Transition(
        "gpu-operator",
        "v24.9.2",
        "v25.3.4",
        Verdict.MANUAL,
        _RELOADS,
        (
            _PIN,
            "replace driver.useOpenKernelModules by driver.kernelModuleType: open (auto is open from R570 on)",
            "operator.defaultRuntime is gone from the values: remove it",
        ),
        (NOTES, DRIVERS),
    ),
    Transition(
        "gpu-operator",
        "v25.3.4",
        "v25.10.1",
        Verdict.MANUAL,
        _RELOADS,
        (
            _PIN,
            "cdi.enabled is true from now on, cdi.default is ignored: first try jobs that set NVIDIA_VISIBLE_DEVICES",
            "the toolkit writes drop-in files for containerd and CRI-O: take CONTAINERD_CONFIG out of toolkit.env",
        ),
        (NOTES, DRIVERS),
    ),
    Transition(
        "gpu-operator",
        "v25.10.1",
        "v26.3.3",
        Verdict.MANUAL,
        _RELOADS,
        (
            _PIN,
            "Kata Manager is deprecated: kataManager.config is honoured no more",
            "MIG layouts are made per node by default: read default-mig-parted-config instead of your own copy",
        ),
        (NOTES, DRIVERS),
    ),
    Transition(
        "gpu-operator",
        "v26.3.3",
        "v26.7.0",
        Verdict.MANUAL,
        _RELOADS,
        (_PIN, "take cdi.default, operator.nodeSelector and operator.initContainer out: no template reads them"),
        (NOTES, DRIVERS, DRILL),
    ),
    Transition(
        "network-operator",
        "24.7.0",
        "26.4.1",
        Verdict.MANUAL,
        _MOFED,
        (
            "deployCR and everything below it is gone: NicClusterPolicy is an object of its own (this stack's)",
            "secondaryNetwork.ipamPlugin is gone from NicClusterPolicy since 25.10: move to nvIpam first",
            "spectrumXOperator.spectrumXConfig and sriovObjNamespace are gone since 25.7",
            "apply the new CRDs before the release (docs/crds.md): this stack does",
        ),
        (NETWORK, "docs/crds.md"),
    ),
)


def way(chart: str, old: str, new: str) -> tuple[Transition, ...]:
    """The steps from one release to another; empty where one of them is not known."""
    steps = {step.old: step for step in TRANSITIONS if step.chart == chart}
    found: list[Transition] = []
    while old != new:
        if old not in steps or steps[old] in found:
            return ()
        found.append(steps[old])
        old = steps[old].new
    return tuple(found)


def verdict(steps: tuple[Transition, ...]) -> Verdict:
    """The worst of a way; no way is unknown."""
    return max((step.verdict for step in steps), default=Verdict.UNKNOWN)
