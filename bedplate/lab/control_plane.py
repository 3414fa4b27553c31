"""The configuration of a lab's control plane: on loopback, with authorization and admission. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bedplate.lab.binaries import KUBERNETES

LOOPBACK = "127.0.0.1"
CONTROL_PLANE, SCHEDULERS = (Path(__file__).with_name(f"{name}.yaml") for name in ("control_plane", "schedulers"))


def schedulers(real: Sequence[str] = ()) -> dict[str, Any]:
    """The kube-scheduler's configuration, without the profiles of schedulers that really run."""
    document = yaml.safe_load(SCHEDULERS.read_text())
    return {
        **document,
        "profiles": [profile for profile in document["profiles"] if profile["schedulerName"] not in real],
    }


def configuration(
    binaries: Mapping[str, Path], features: Sequence[str] = (), schedulers: Path = SCHEDULERS
) -> dict[str, Any]:
    """The configuration that kwokctl reads, with alpha features of Kubernetes switched on."""
    document = yaml.safe_load(CONTROL_PLANE.read_text())
    gates = ",".join(f"{feature}=true" for feature in features)
    document["options"] |= {"kubeVersion": KUBERNETES, "kubeSchedulerConfig": str(schedulers)}
    document["options"] |= {"kubeFeatureGates": gates, "kubeRuntimeConfig": "api/alpha=true"} if features else {}
    document["options"] |= {_option(name): str(path) for name, path in binaries.items() if name != "kwokctl"}
    return document


def _option(binary: str) -> str:
    """As kwokctl has it: `kubeApiserverBinary`."""
    first, *rest = ("kwok-controller" if binary == "kwok" else binary).split("-")
    return f"{first}{''.join(word.capitalize() for word in rest)}Binary"
