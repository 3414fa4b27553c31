"""NVIDIA's DRA driver, for ComputeDomains alone: pods on several nodes of a rack (NVL72) share memory by IMEX.

GPUs stay with the device plugin. The GPU Operator's own way since v26.7.0, GPUCluster, excludes ClusterPolicy, and
hands GPUs out by claims alone: nobody would advertise `nvidia.com/gpu`, which quotas, jobs and servers ask for
(its templates/validations.yaml, and manifests/state-dra-driver without an extendedResourceName).
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.chart import Chart
from bedplate.components.component import Component, Installed
from bedplate.components.facts import Args, Facts
from bedplate.components.facts.pools import JsonObject
from bedplate.components.names import scoped
from bedplate.components.platforms import CLOUDS
from bedplate.components.section import HelmSection, Section

CHART = Chart.of("nvidia-dra-driver-gpu")
OPERATORS_DRIVER = "/run/nvidia/driver"
"""Where the GPU Operator's driver container has the node's driver (chart values, `nvidiaDriverRoot`)."""

CONTROL_PLANE: tuple[JsonObject, ...] = tuple(
    {"key": key, "operator": "Exists"}
    for key in ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/etcd", "CriticalAddonsOnly")
)
"""What keeps pods off a control plane: kubeadm's, Rancher's, and the taint by which RKE2 and k3s keep servers to
themselves (docs.rke2.io, "High availability"). Not every taint: the pod must leave a node that is dead."""


class DraDriverSection(HelmSection):
    """ComputeDomains for racks with NVLink over several nodes; presence installs NVIDIA's DRA driver."""


class DraDriver(
    Installed[DraDriverSection],
    token="bedplate:operators:DraDriver",
    release="nvidia-dra-driver-gpu",
    level="privileged",
):
    """Installs the controller of ComputeDomains and the plugin that hands out IMEX channels."""


class ComputeDomains(Component[Section], token="bedplate:operators:ComputeDomains"):
    """One for each team and pool of racks: jobs of one team share it, those of two teams never."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for domain in compute_domains(args.facts):
            place = domain["metadata"]
            k8s.apiextensions.CustomResource(scoped(place["namespace"], place["name"]), **domain, opts=child)


def helm_values(args: Args[DraDriverSection]) -> dict[str, Any]:
    """Nothing but ComputeDomains: GPUs would be handed out twice, by claim and by device plugin."""
    facts = args.facts
    root = OPERATORS_DRIVER if facts.ownership.driver else facts.ownership.install_dir
    return {
        "resources": {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}},
        "kubeletPlugin": {"tolerations": facts.tolerations},
        **({"nvidiaDriverRoot": root} if root else {}),
        "controller": {
            "tolerations": [*CONTROL_PLANE, *facts.tolerations],
            **({"affinity": _beside_gpus()} if facts.platform in CLOUDS else {}),
        },
    }


def _beside_gpus() -> dict[str, Any]:
    """The chart wants a node of the control plane, which a cloud does not show."""
    elsewhere = [{"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "DoesNotExist"}]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": elsewhere}}}


def compute_domains(facts: Facts) -> list[dict[str, Any]]:
    """Of no fixed size: its daemons come up on each node with the first pod there (CRD at 25.8.1, `numNodes`)."""
    return [
        {
            "api_version": "resource.nvidia.com/v1beta1",
            "kind": "ComputeDomain",
            "metadata": {"name": pool.name, "namespace": team.name},
            "spec": {"numNodes": 0, "channel": {"resourceClaimTemplate": {"name": pool.channel}}},
        }
        for team in facts.teams
        for pool in facts.gpu_pools
        if pool.rack and team.gpus.get(pool.name)
    ]
