"""The conditions of nodes that a cluster's Node Problem Detector sets, and what each asks for: `conditions.yaml`."""

from collections.abc import Iterator
from typing import NamedTuple

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Action
from bedplate.components.observability.texts import document, filled

OWN_DETECTOR = ("gke", "aks")
"""Platforms whose nodes run a Node Problem Detector of their own, beside the kubelet, for the kernel's conditions (GKE
documentation, "Auto-repair nodes"; AKS documentation, "Node Problem Detector"). Two of one condition take turns."""


class Condition(NamedTuple):
    """A type of condition, of which `True` is a fault."""

    type: str
    action: Action
    """What ends it."""
    check: tuple[str, ...] = ()
    """Words of `detector/check.sh`; empty: found in the kernel's log by the detector itself."""
    sound: str = ""
    """Its message while there is no fault."""


def conditions(facts: Facts) -> Iterator[Condition]:
    """Those whose hardware the cluster has."""
    hcas = exact_hcas(facts)
    texts = {**document("alerts/gpu")["texts"], "hcas": "|".join(hcas)}
    here = {"gpus": bool(facts.gpu_pools), "hcas": bool(hcas)}
    said = document("conditions")
    for kind, row in said["conditions"].items():
        if here[row["needs"]]:
            yield Condition(kind, row["action"], tuple(filled(row["check"], texts)), row["sound"])
    if facts.platform not in OWN_DETECTOR:
        yield from (Condition(kind, row["action"]) for kind, row in said["kernel"].items())


def exact_hcas(facts: Facts) -> list[str]:
    """The HCAs that carry jobs, where every pool of the fabric names its own.

    Empty elsewhere: a port that nobody uses may be down, and a node would be called sick for it.
    """
    named = [{**facts.fabric.env, **pool.env}.get("NCCL_IB_HCA", "") for pool in facts.fabric_pools]
    if not named or not all(names.startswith("=") for names in named):
        return []
    return list(dict.fromkeys(name for names in named for name in names.removeprefix("=").split(",")))
