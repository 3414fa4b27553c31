"""NVIDIA's GPU Operator: each release has another default driver, and so reloads it unless it is pinned."""

from bedplate.upgrades.records.transition import Transition, Verdict

NOTES = "NVIDIA/cloud-native-docs gpu-operator/release-notes.rst"
DRIVERS = "NVIDIA/cloud-native-docs gpu-operator/gpu-driver-upgrades.rst"
DRILL = "tests/engine/test_drills.py, upgrade from the previous releases and back"

_RELOADS = "GPU pods, node by node (driver.upgradePolicy): the operator's default driver is another one"
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
            "Kata Manager is deprecated: the chart names no image of it any more, so name it yourself or do without",
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
        (
            _PIN,
            "take cdi.default, operator.initContainer, driver.nvidiaDriverCRD.nodeSelector out: no template reads them",
            "an NVIDIADriver that is the default (spec.default) has no nodeSelector",
        ),
        (NOTES, DRIVERS, DRILL),
    ),
)
