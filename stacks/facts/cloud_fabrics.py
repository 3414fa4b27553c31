"""Fabrics whose devices the cloud's own plugin hands out: EFA, and GKE's TCPXO and gIB."""

import json
from collections.abc import Mapping

from bedplate.components.facts import Fabric
from bedplate.components.facts.fabric import GKE_NETWORK
from bedplate.stacks.profile.fabrics import Efa, Gib, Tcpxo

EFA_RESOURCE = "vpc.amazonaws.com/efa"
GKE_ENV_FILES = {
    "tcpxo": "/usr/local/nvidia/lib64/nccl-env-profile.sh",
    "gib": "/usr/local/gib/scripts/set_nccl_env.sh",
}
"""Scripts of GKE's NCCL plugins that know every NCCL variable; nothing is set beside them (GKE GPUDirect guides)."""


def efa(section: Efa, env: Mapping[str, str]) -> Fabric:
    """EFA: no network of ours, one resource, huge pages."""
    return Fabric(kind="efa", exposure="plugin", devices=(EFA_RESOURCE,), hugepages=section.hugepages, env=env)


def gke(section: Tcpxo | Gib, nics: int, env: Mapping[str, str]) -> Fabric:
    """GKE: a Network object for each GPU interface, named in an annotation; gIB also counts them as resources."""
    networks = gke_networks(section, nics)
    counted = networks if section.kind == "gib" else ()
    return Fabric(
        kind=section.kind,
        exposure="plugin",
        devices=tuple(f"{GKE_NETWORK}{name}" for name in counted),
        annotations={
            "networking.gke.io/default-interface": "eth0",
            "networking.gke.io/interfaces": json.dumps(_interfaces(section.kind, networks)),
        },
        node_networks=networks,
        env_file=GKE_ENV_FILES[section.kind],
        env=env,
    )


def gke_networks(section: Tcpxo | Gib, nics: int) -> tuple[str, ...]:
    """The declared Network objects, or GKE's documented names for as many interfaces as the shape has."""
    if section.networks:
        return section.networks
    return tuple(f"vpc{i + 1}" if section.kind == "tcpxo" else f"rdma-{i}" for i in range(nics))


def _interfaces(kind: str, networks: tuple[str, ...]) -> list[dict[str, str]]:
    """eth0 is the default network; TCPXO's follow at eth1, gIB's at eth2 (eth1 is the second gVNIC)."""
    first = 1 if kind == "tcpxo" else 2
    rails = [{"interfaceName": f"eth{first + i}", "network": name} for i, name in enumerate(networks)]
    return [{"interfaceName": "eth0", "network": "default"}, *rails]
