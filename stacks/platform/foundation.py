"""What jobs stand on: operators, driver and fabric as one digest. Where it changes, what was proven is proven again."""

from collections.abc import Iterator
from dataclasses import asdict, replace

from bedplate.components.digest import digest
from bedplate.components.facts import Args, Facts
from bedplate.components.network import efa_device_plugin
from bedplate.components.operators import gpu_operator, nic_cluster_policy
from bedplate.stacks.profile.profile import Profile


def founded(profile: Profile, known: Facts) -> Facts:
    """The facts with the digest of all parts that this cluster has; only what deploys or proves it asks for that."""
    return replace(known, foundation=digest(list(parts(profile, known))))


def parts(profile: Profile, known: Facts) -> Iterator[object]:
    """Of who brings the driver, of the fabric, and of each operator."""
    yield known.node_os, asdict(known.ownership), known.gpu_direct, asdict(known.fabric)
    if profile.gpu_operator:
        yield gpu_operator.guards(Args(profile.gpu_operator, known))
    if profile.network_operator:
        yield nic_cluster_policy.guards(Args(profile.network_operator, known))
    if plugin := profile.efa_device_plugin:
        args = Args(plugin, known)
        yield efa_device_plugin.CHART.guards(args, efa_device_plugin.helm_values(args))
