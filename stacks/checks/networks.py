"""Rules about the cluster's own networks."""

from collections.abc import Iterator

from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile


def check_networks(profile: Profile) -> Iterator[Problem]:
    """An address belongs to a pod or to a Service, never to both."""
    own = profile.cluster_network
    if own.pod_cidr and own.service_cidr and own.pod_cidr.overlaps(own.service_cidr):
        reason = f"overlaps clusterNetwork.serviceCidr {own.service_cidr}: pods and Services would share addresses"
        yield Problem("clusterNetwork.podCidr", own.pod_cidr, reason, "correct one of them (kubectl cluster-info dump)")
