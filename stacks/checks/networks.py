"""Rules about the cluster's own networks, and about what its CNI plug-in does to ours."""

from collections.abc import Iterator
from itertools import chain

from bedplate.stacks.facts.fabric import rails
from bedplate.stacks.profile.cluster_network import Cilium
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile


def check_networks(profile: Profile) -> Iterator[Problem]:
    """Every fault of `clusterNetwork`."""
    yield from chain(_apart(profile), _multus_stays(profile), _policies_hold(profile))


def _apart(profile: Profile) -> Iterator[Problem]:
    """An address belongs to a pod or to a Service, never to both."""
    own = profile.cluster_network
    pairs = (("", own.pod_cidr, own.service_cidr), ("6", own.pod_cidr6, own.service_cidr6))
    for end, pods, services in pairs:
        if pods and services and pods.overlaps(services):
            reason = f"overlaps clusterNetwork.serviceCidr{end} {services}: pods and Services would share addresses"
            yield Problem(
                f"clusterNetwork.podCidr{end}", pods, reason, "correct one of them (kubectl cluster-info dump)"
            )


def _multus_stays(profile: Profile) -> Iterator[Problem]:
    """Cilium's agent renames what others configure (its chart's `cni.exclusive`), and nothing says so.

    k8snetworkplumbingwg/multus-cni#972, #1132; rancher/rke2#9040.
    """
    cni = profile.cluster_network.cni
    if isinstance(cni, Cilium) and cni.exclusive and attaches(profile):
        reason = "Cilium renames Multus' configuration to *.cilium_bak, and pods start without rails"
        fix = "set Cilium's `cni.exclusive=false` and say exclusive: false (docs/hosts.md)"
        yield Problem("clusterNetwork.cni.exclusive", "true", reason, fix)


def attaches(profile: Profile) -> bool:
    """Pods get their rails by Multus, whoever runs it."""
    section = profile.fabric
    named = isinstance(section, RailFabric) and section.exposure != "exclusive"
    return named and any(rails(profile, pool) for pool in profile.pools)


def _policies_hold(profile: Profile) -> Iterator[Problem]:
    """Flannel keeps no NetworkPolicy (flannel-io/flannel, README.md); k3s brings a controller that does."""
    cni = profile.cluster_network.cni
    teams = profile.tenancy.teams if profile.tenancy else ()
    if cni and cni.kind == "flannel" and profile.platform != "k3s" and teams:
        reason = "Flannel keeps no NetworkPolicy: teams reach each other's pods and the node's own services"
        fix = "use another plug-in; say canal with Calico beside it, or other where something else keeps them"
        yield Problem("clusterNetwork.cni.kind", "flannel", reason, fix)
