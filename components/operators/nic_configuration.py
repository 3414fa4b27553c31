"""NicConfigurationTemplates: firmware of the rails' NICs, set by NVIDIA's NIC Configuration Operator.

It is a part of NicClusterPolicy, and drains nodes by the Maintenance Operator of the same chart
(Mellanox/nic-configuration-operator README at network-operator-v26.4.1).
"""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.operators.network_operator import CHART, NetworkOperatorSection
from bedplate.components.operators.nic_settings import NicSettings, PciPerformance, RoceQos, SpectrumX


class NicConfiguration(Component[NetworkOperatorSection], token="bedplate:operators:NicConfiguration"):
    """Declares what the firmware is to be; nodes take their turn, and `pools-ready` waits for the last."""

    def _declare(self, args: Args[NetworkOperatorSection], child: pulumi.ResourceOptions) -> None:
        for template in nic_templates(args):
            k8s.apiextensions.CustomResource(template["metadata"]["name"], **template, opts=child)


def nic_templates(args: Args[NetworkOperatorSection]) -> list[dict[str, Any]]:
    """One for each pool and its settings: a template's selector holds one set of labels."""
    cards = args.section.nics
    return [
        _template(args.facts, f"{pool.name}-nics" + (f"-{index}" if len(cards) > 1 else ""), settings, pool)
        for index, settings in enumerate(cards)
        for pool in args.facts.fabric_pools
        if not settings.pools or pool.name in settings.pools
    ]


def _template(facts: Facts, name: str, settings: NicSettings, pool: NodePool) -> dict[str, Any]:
    chosen = {"pciAddresses": settings.pci_addresses, "partNumbers": settings.part_numbers}
    return {
        "api_version": "configuration.net.nvidia.com/v1alpha1",
        "kind": "NicConfigurationTemplate",
        "metadata": {"name": name, "namespace": CHART.namespace},
        "spec": {
            "nodeSelector": dict(pool.found_by),
            "nicSelector": {"nicType": settings.nic_type, **{key: list(all_) for key, all_ in chosen.items() if all_}},
            "template": {
                "linkType": "Ethernet" if facts.fabric.kind == "roce" else "Infiniband",
                "numVfs": functions(facts, settings),
                **_optimised(settings),
                **({"rawNvConfig": _raw(settings.raw)} if settings.raw else {}),
            },
        },
    }


def functions(facts: Facts, settings: NicSettings) -> int:
    """Virtual functions that the firmware allows on each port."""
    if settings.num_vfs is not None:
        return settings.num_vfs
    return facts.fabric.num_vfs if facts.fabric.exposure == "sriov" else 1 if settings.spectrum_x else 0


def _optimised(settings: NicSettings) -> dict[str, Any]:
    """Each part is off where it is absent."""
    return {
        **({"pciPerformanceOptimized": _pci(settings.pci_performance)} if settings.pci_performance else {}),
        **({"gpuDirectOptimized": {"enabled": True, "env": "Baremetal"}} if settings.gpu_direct else {}),
        **({"roceOptimized": _roce(settings.roce)} if settings.roce else {}),
        **({"spectrumXOptimized": _spectrum_x(settings.spectrum_x)} if settings.spectrum_x else {}),
    }


def _pci(performance: PciPerformance) -> dict[str, Any]:
    outstanding = {"maxAccOutRead": performance.max_acc_out_read} if performance.max_acc_out_read else {}
    return {"enabled": True, "maxReadRequest": performance.max_read_request, **outstanding}


def _roce(qos: RoceQos) -> dict[str, Any]:
    return {"enabled": True, "qos": {"trust": qos.trust, "pfc": qos.pfc, "tos": qos.tos}}


def _spectrum_x(spectrum: SpectrumX) -> dict[str, Any]:
    return {"enabled": True, **spectrum.model_dump(by_alias=True)}


def _raw(parameters: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in parameters.items()]
