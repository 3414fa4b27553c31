"""What kwokctl is told of a lab's control plane: on loopback, with authorization and admission. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bedplate.lab.binaries import KUBERNETES

LOOPBACK = "127.0.0.1"
_BINARY_OPTIONS = {
    "etcd": "etcdBinary",
    "kube-apiserver": "kubeApiserverBinary",
    "kube-controller-manager": "kubeControllerManagerBinary",
    "kube-scheduler": "kubeSchedulerBinary",
    "kubectl": "kubectlBinary",
    "kwok": "kwokControllerBinary",
}
SCHEDULERS = Path(__file__).with_name("schedulers.yaml")
# Services get loopback addresses: a webhook of a simulated pod is refused at once, and no packet leaves the machine.
SERVICE_RANGE = "127.96.0.0/16"


def schedulers(real: Sequence[str] = ()) -> dict[str, Any]:
    """What the scheduler is told: the names it answers to, but for those of schedulers that really run."""
    stated = yaml.safe_load(SCHEDULERS.read_text())
    return {**stated, "profiles": [one for one in stated["profiles"] if one["schedulerName"] not in real]}


def configuration(
    binaries: Mapping[str, Path], features: Sequence[str] = (), schedulers: Path = SCHEDULERS
) -> dict[str, Any]:
    """What kwokctl is told."""
    gates = ",".join(f"{feature}=true" for feature in features)
    paths = {_BINARY_OPTIONS[name]: str(path) for name, path in binaries.items() if name in _BINARY_OPTIONS}
    return {
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "kind": "KwokctlConfiguration",
        "options": {
            "runtime": "binary",
            "bindAddress": LOOPBACK,
            "securePort": True,
            "kubeAuthorization": True,
            "kubeAdmission": True,
            "kubeVersion": KUBERNETES,
            "enableCRDs": ["Stage"],
            "kubeSchedulerConfig": str(schedulers),
            "disableQPSLimits": True,
            **({"kubeFeatureGates": gates, "kubeRuntimeConfig": "api/alpha=true"} if features else {}),
            **paths,
        },
        "componentsPatches": [
            _patch(
                "kube-apiserver",
                {
                    "service-cluster-ip-range": SERVICE_RANGE,
                    # The API server must not announce this machine's own address, nor need one.
                    "advertise-address": LOOPBACK,
                    "endpoint-reconciler-type": "none",
                },
            ),
            # There is one of each: on a busy machine it would lose its lease to nobody, and end. The scheduler's file
            # says the same, and has the last word.
            # And its controllers are who they are on a cluster of kubeadm: policies tell them from people by that.
            _patch("kube-controller-manager", {"leader-elect": "false", "use-service-account-credentials": "true"}),
        ],
    }


def _patch(component: str, flags: Mapping[str, str]) -> dict[str, Any]:
    return {"name": component, "extraArgs": [{"key": k, "value": v} for k, v in flags.items()]}
