"""The cluster, and whether the zones have the machine at all."""

import re
from collections.abc import Iterator

from bedplate.preflight.finding import Finding
from bedplate.preflight.gcp.project import Project, last


def cluster(project: Project) -> Iterator[Finding]:
    """It takes nodes, none newer than itself, and further networks where the GPUs have their own."""
    if not project.knows("cluster"):
        return
    described, facts, section = project.one("cluster"), project.facts, project.section
    where, name = section.location or section.region, f"GKE cluster {section.cluster or facts.cluster}"
    if (state := described.get("status")) not in ("RUNNING", "RECONCILING"):
        yield Finding("cluster", name, where, "RUNNING", f"it is {state}", "wait until it is, or mend it")
    version = re.match(r"[0-9]+\.[0-9]+", str(described.get("currentMasterVersion", "")))
    if version and _number(version[0]) < _number(facts.kubernetes_version):
        fix = "update the cluster first, or lower kubernetesVersion: nodes may not be newer"
        there = f"{version[0]} there"
        yield Finding("cluster", f"{name}: Kubernetes", where, facts.kubernetes_version, there, fix)
    yield from _policies(project, name, where)
    yield from _metadata(project, name, where)
    networking = described.get("networkConfig", {})
    if any(pool.nics for pool in facts.own_pools) and not networking.get("enableMultiNetworking"):
        fix = "it can be set only when a cluster is made (--enable-multi-networking): use another one"
        yield Finding("cluster", f"{name}: multi-networking", where, "enabled", "it is not", fix)


def _policies(project: Project, name: str, where: str) -> Iterator[Finding]:
    """Somebody keeps the teams' NetworkPolicies: Dataplane V2, or Calico (GKE API, NetworkConfig and NetworkPolicy)."""
    described = project.one("cluster")
    keeps = described.get("networkConfig", {}).get("datapathProvider") == "ADVANCED_DATAPATH"
    if project.facts.teams and not keeps and not described.get("networkPolicy", {}).get("enabled"):
        fix = "turn them on (--enable-network-policy), or use Dataplane V2: without, teams' borders are open"
        yield Finding("cluster", f"{name}: network policies", where, "kept", "nobody keeps them", fix, "advice")


def _metadata(known: Project, name: str, where: str) -> Iterator[Finding]:
    """Pools that are there, whoever made them, whose pods have the node's rights of Compute Engine's metadata server.

    GKE API, WorkloadMetadataConfig.
    """
    found = known.one("cluster")
    if not known.facts.teams or found.get("autopilot", {}).get("enabled"):
        return
    modes = {
        str(one["name"]): one.get("config", {}).get("workloadMetadataConfig", {}) for one in found.get("nodePools", [])
    }
    if pools := ", ".join(pool for pool, one in modes.items() if one.get("mode") != "GKE_METADATA"):
        fix = (
            "update them with --workload-metadata=GKE_METADATA: else the teams' NetworkPolicies alone keep the node's "
        )
        fix += "rights from pods"
        what = f"{name}: metadata of node pools {pools}"
        yield Finding("cluster", what, where, "GKE_METADATA", "Compute Engine's answers pods", fix, "advice")


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def offers(project: Project) -> Iterator[Finding]:
    """Each zone of a pool offers its machine."""
    if not project.knows("offers"):
        return
    pairs = {(row["name"], last(row["zone"])) for row in project.several("offers")}
    for pool in project.facts.own_pools:
        for zone in (zone for zone in pool.zones if (pool.instance_type, zone) not in pairs):
            fix = f"`gcloud compute machine-types list --filter=name={pool.instance_type}` names the zones that do"
            yield Finding(pool.name, str(pool.instance_type), zone, f"{pool.most} of it", "not offered", fix)
