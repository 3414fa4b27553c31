"""Labels that nodes have before their driver is up: profiles in which some part goes by them, and nobody writes any."""

import copy
from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken
from tests.unit.checks.edges_nics import OWN
from tests.unit.checks.edges_rails import HALF, ROCE

MODEL: dict[str, Any] = {"memoryGib": 96, "family": "hopper", "pciIds": ["2329"]}
SHAPE: dict[str, Any] = {**HALF, "nics": 8}
ALIKE: dict[str, Any] = {
    "hardware": {"gpus": {name: {**MODEL, "product": f"NVIDIA-{name}"} for name in ("H20", "H20-3e")}},
    "pools.1": {"name": "h100", "shape": {**SHAPE, "gpu": "H20"}, "nodes": 8},
    "pools.2": {"name": "second", "shape": {**SHAPE, "gpu": "H20-3e"}, "nodes": 2},
}
"""Two models whose PCI ids are the same, so that NFD cannot tell their nodes apart."""
LABELLED = {f"pools.{index}.selector": {"example.com/pool": name} for index, name in ((1, "h100"), (2, "second"))}
APART = {"hardware.gpus.H20-3e.pciIds": ["232c"]}
SYSTEM = {"pools.0.selector": {"example.com/pool": "system"}}
STORAGE: dict[str, Any] = {
    **SYSTEM,
    "pools.2": {"name": "storage", "shape": {"cpus": 64, "memoryGib": 512, "fabrics": ["roce"], "nics": 8}, "nodes": 2},
    "verification": GONE,
}
SRIOV: dict[str, Any] = {"fabric.exposure": "sriov", "fabric.hcas": GONE, "fabric.ipam.kind": "whereabouts"}
WHEREABOUTS: dict[str, Any] = {"fabric.ipam.kind": "whereabouts", "whereabouts": {}}
NOBODY = "nothing labels its nodes before their driver is up"
ADDRESSES = f"{NOBODY}, and nv-ipam gives addresses to nodes by a label that stays"
PLUGINS = f"{NOBODY}, and the rails of pools are different devices"
FUNCTIONS = f"{NOBODY}, and its nodes get their virtual functions"
SETTINGS = f"{NOBODY}, and settings of NICs without a label reach every node"


def _alike(**more: Any) -> dict[str, Any]:
    """Pools of those models."""
    return edited(ROCE, {**copy.deepcopy(ALIKE), "verification": GONE, **more})


def _said(reason: str, *pools: int) -> tuple[tuple[str, ...], ...]:
    return tuple((f"pools[{pool}].selector = absent", reason, "label its nodes, and say the label") for pool in pools)


def _rails(**more: Any) -> dict[str, Any]:
    """Two pools whose rails are called otherwise, and no addresses from nv-ipam."""
    return _alike(**WHEREABOUTS, **{"pools.2.rails": [f"ens{n}np1" for n in range(8)]}, **more)


EDGES: dict[str, Case] = {
    "addresses of pools whose PCI ids are the same": refused(_alike(), *_said(ADDRESSES, 1, 2)),
    "the same with labels": taken(_alike(**LABELLED)),
    "addresses of pools whose PCI ids differ": taken(_alike(**APART)),
    "addresses of a pool whose PCI ids nobody says": refused(
        _alike(**{"hardware.gpus.H20-3e.pciIds": GONE}), *_said(ADDRESSES, 2)
    ),
    "addresses of pools whose PCI ids are the same, by whereabouts": taken(_alike(**WHEREABOUTS)),
    "addresses of a pool without GPUs": refused(edited(ROCE, STORAGE), *_said(ADDRESSES, 2)),
    "the same with a label": taken(edited(ROCE, {**STORAGE, "pools.2.selector": {"example.com/pool": "storage"}})),
    "addresses by a selector without labels": refused(
        edited(ROCE, {**SYSTEM, "pools.1.selector": {}}), *_said(ADDRESSES, 1)
    ),
    "no discovery, which is said alone": refused(edited(ROCE, {"nfd": GONE}), ("nfd = absent",)),
    "rails of pools whose PCI ids are the same": refused(_rails(), *_said(PLUGINS, 1, 2)),
    "rails of pools whose PCI ids differ": taken(_rails(**APART)),
    "their rails under an operator with one plugin for all": taken(
        _rails(**{"networkOperator.version": "26.1.2"}),
    ),
    "virtual functions of pools whose PCI ids are the same": refused(
        _alike(**WHEREABOUTS | SRIOV), *_said(FUNCTIONS, 1, 2)
    ),
    "virtual functions of one pool that no label finds": taken(
        edited(
            "onprem-h100-ib", {**SYSTEM, "pools.1.selector": {}, "fabric.ipam.kind": "whereabouts", "whereabouts": {}}
        )
    ),
    "settings of NICs of pools whose PCI ids are the same": refused(
        _alike(**WHEREABOUTS, **{"networkOperator.nics": [OWN]}), *_said(SETTINGS, 1, 2)
    ),
    "settings of the NICs of one of them": refused(
        _alike(**WHEREABOUTS, **{"networkOperator.nics": [{**OWN, "pools": ["second"]}]}),
        *_said(SETTINGS, 2),
    ),
}
