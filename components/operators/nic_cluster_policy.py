"""NicClusterPolicy: what the Network Operator runs on nodes, and when all of it is ready.

Presence of a part is its switch; the custom resource has no `enabled`. Fields are those of the CRD at 26.4.1; images
belong to the operator's release (Mellanox/network-operator hack/release.yaml at each tag).
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.digest import digest
from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.image_digests import of_object
from bedplate.components.operators.device_plugins import exclusive_plugin_config, shared_plugin_config
from bedplate.components.operators.network_operator import CHART, NetworkOperatorSection, OfedDriver, helm_values
from bedplate.components.operators.nic_configuration import nic_templates
from bedplate.components.operators.nic_images import configuration_images, image, ofed_version
from bedplate.components.operators.virtual_functions import rollout, virtual_functions
from bedplate.components.platforms import PLATFORMS
from bedplate.components.readiness import STATE, ready, state, timeouts, wait_for
from bedplate.components.version import line

NIC_NODE_POLICY_SINCE = (26, 4)
"""From here a part of the policy can be for some nodes only."""
BLACKLIST_ON_HOST_SINCE = (25, 7)
BLACKLIST = {"OFED_BLACKLIST_MODULES_FILE": "/host/etc/modprobe.d/blacklist-ofed-modules.conf"}
"""Earlier DOCA drivers keep the host from loading its own modules by a file that only their container sees, and lose
the race (Mellanox/doca-driver-build#52, #86); Azure sets it, too (Azure/aks-rdma-infiniband)."""
NV_IPAM = 'jsonpath={.status.appliedStates[?(@.name=="state-nv-ipam-cni")].state}'
CONFIGURATION = 'jsonpath={.status.appliedStates[?(@.name=="state-nic-configuration-operator")].state}'


class NicClusterPolicy(Component[NetworkOperatorSection], token="bedplate:operators:NicClusterPolicy"):
    """Declares what the nodes run, and is ready when every part of it is."""

    def _declare(self, args: Args[NetworkOperatorSection], child: pulumi.ResourceOptions) -> None:
        if args.facts.fabric.exposure == "sriov":
            for pool_config in rollout(args):
                title = f"{pool_config['metadata']['name']}-rollout"
                k8s.apiextensions.CustomResource(title, **pool_config, opts=child)
            for rail_policy in virtual_functions(args.facts):
                k8s.apiextensions.CustomResource(rail_policy["metadata"]["name"], **rail_policy, opts=child)
        k8s.apiextensions.CustomResource(
            "network-operator-ready",
            api_version="mellanox.com/v1alpha1",
            kind="NicClusterPolicy",
            # The operator ignores any other name.
            metadata={
                "name": "nic-cluster-policy",
                "annotations": wait_for(*conditions(args), guards=guards(args)),
            },
            spec=spec(args),
            opts=pulumi.ResourceOptions(parent=self, custom_timeouts=timeouts(args.section.ready_timeout)),
        )
        for policy in node_policies(args):
            k8s.apiextensions.CustomResource(
                f"{policy['metadata']['name']}-nics-ready",
                **policy,
                opts=pulumi.ResourceOptions(parent=self, custom_timeouts=timeouts(args.section.ready_timeout)),
            )


def conditions(args: Args[NetworkOperatorSection]) -> tuple[str, ...]:
    """Ready as a whole, and by itself each part whose kinds are to be made: IP pools, and templates of NICs.

    The operator makes the IPPool kind when it applies that part (pkg/state/state_nv_ipam_cni.go at every release since
    24.7.0), and a policy that was ready before it had the part says `ready` until then. Owning the CRD instead would
    be in vain: the operator writes it anew with itself as the owner.
    """
    facts = args.facts
    parts = {NV_IPAM: facts.fabric.ipam == "nv-ipam", CONFIGURATION: bool(args.section.nics)}
    return (state(facts), *(ready(part, facts) for part, needed in parts.items() if needed))


def guards(args: Args[NetworkOperatorSection]) -> str:
    """Changes with the operator's release, its policy, and the virtual functions that it makes."""
    return digest(
        CHART.guards(args, helm_values(args)),
        spec(args),
        virtual_functions(args.facts),
        *node_policies(args),
        *nic_templates(args),
    )


def spec(args: Args[NetworkOperatorSection]) -> dict[str, Any]:
    """Only what the fabric needs: two device plugins on one NIC would register it twice."""
    facts, version = args.facts, CHART.at(args.section).version
    parts = {
        **({"ofedDriver": _ofed(args.section.ofed, version)} if args.section.ofed else {}),
        **_device_plugin(args, version),
        **({"nvIpam": image("nvIpam", version) | {"enableWebhook": False}} if facts.fabric.ipam == "nv-ipam" else {}),
        **_secondary_network(facts, version),
        **({"nicConfigurationOperator": _configuration(facts, version)} if args.section.nics else {}),
    }
    return {
        **of_object({name: mirrored(part, args.section) for name, part in parts.items()}, facts.digests),
        **({"tolerations": facts.tolerations} if facts.tolerations else {}),
        **_affinity(facts),
    }


def mirrored(part: dict[str, Any], section: NetworkOperatorSection) -> dict[str, Any]:
    """A part, or parts within it, with images of the site's own registry."""
    if "image" not in part:
        inner = {
            name: cast("dict[str, Any]", inner_part)
            for name, inner_part in part.items()
            if isinstance(inner_part, dict)
        }
        return {**part, **{name: mirrored(inner_part, section) for name, inner_part in inner.items()}}
    own = {"repository": section.image_repository} if section.image_repository else {}
    secrets = {"imagePullSecrets": list(section.image_pull_secrets)} if section.image_pull_secrets else {}
    return {**part, **own, **secrets}


def _configuration(facts: Facts, version: str) -> dict[str, Any]:
    """A restart alone would not do where a BMC keeps the NICs powered."""
    resets = {"name": "FW_RESET_AFTER_CONFIG_UPDATE", "value": "true"}
    keeps = any(pool.keeps_nics_on for pool in facts.fabric_pools)
    return {**configuration_images(version), **({"env": [resets]} if keeps else {})}


def _affinity(facts: Facts) -> dict[str, Any]:
    """Nodes of the fabric alone: else DOCA-OFED and the plugins land wherever a NIC of the same vendor is.

    None where some pool has no labels before its driver is up.
    """
    if not all(pool.found_by for pool in facts.fabric_pools):
        return {}
    terms = [{"matchExpressions": _expressions(pool)} for pool in facts.fabric_pools]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def _expressions(pool: NodePool) -> list[dict[str, Any]]:
    return [{"key": key, "operator": "In", "values": [value]} for key, value in pool.found_by.items()]


def node_policies(args: Args[NetworkOperatorSection]) -> list[dict[str, Any]]:
    """A NicNodePolicy per pool with its device plugin, where the rails of pools are different devices.

    NicClusterPolicy then has no plugin of its own: the operator refuses the same part in both (its
    pkg/policyoverlap). A pool that an autoscaler may empty is not waited for: no node, and it is never ready.
    """
    facts, version = args.facts, CHART.at(args.section).version
    if not plugins_by_pool(facts, version):
        return []
    return [_plugins_of(args, pool, version) for pool in facts.fabric_pools]


def plugins_by_pool(facts: Facts, version: str) -> bool:
    """Whether each pool has a policy of its own for its device plugin."""
    return len(facts.wirings) > 1 and facts.fabric.exposure != "sriov" and line(version) >= NIC_NODE_POLICY_SINCE


def _plugins_of(args: Args[NetworkOperatorSection], pool: NodePool, version: str) -> dict[str, Any]:
    plugin = mirrored(_plugin(args, [pool], version), args.section)
    condition = state(args.facts) if pool.bounds[0] else STATE
    taints = [{"key": taint["key"], "operator": "Exists", "effect": taint["effect"]} for taint in pool.taints]
    return {
        "api_version": "mellanox.com/v1alpha1",
        "kind": "NicNodePolicy",
        "metadata": {"name": pool.name, "annotations": wait_for(condition, guards=digest(plugin, dict(pool.found_by)))},
        "spec": {
            **plugin,
            "nodeSelector": dict(pool.found_by),
            **({"tolerations": taints} if taints else {}),
        },
    }


def _device_plugin(args: Args[NetworkOperatorSection], version: str) -> dict[str, Any]:
    """One for all pools, unless each has its own."""
    return {} if plugins_by_pool(args.facts, version) else _plugin(args, args.facts.fabric_pools, version)


def _plugin(args: Args[NetworkOperatorSection], pools: Sequence[NodePool], version: str) -> dict[str, Any]:
    fabric = args.facts.fabric
    match fabric.exposure:
        case "shared":
            config = shared_plugin_config(fabric, args.section.shared_pods_per_node, pools)
            return {"rdmaSharedDevicePlugin": image("rdmaSharedDevicePlugin", version) | {"config": config}}
        case "exclusive" | "host-device":
            config = exclusive_plugin_config(fabric, pools)
            return {"sriovDevicePlugin": image("sriovDevicePlugin", version) | {"config": config}}
        case _:
            return {}  # the SR-IOV operator brings its own plugin


def _secondary_network(facts: Facts, version: str) -> Mapping[str, Any]:
    """Multus, unless the platform or the site runs it, and the CNI plugins where pods attach networks."""
    if not facts.fabric.attaches_networks:
        return {}
    there = PLATFORMS[facts.platform].multus or "multus" in facts.site_runs
    parts = ["cniPlugins"] if there else ["multus", "cniPlugins"]
    if facts.fabric.kind == "infiniband" and facts.fabric.exposure == "shared":
        parts.append("ipoib")
    return {"secondaryNetwork": {part: image(part, version) for part in parts}}


def _ofed(ofed: OfedDriver, version: str) -> dict[str, Any]:
    """The driver container; upgrades wait for you and never drain, because a node loses its network on the way."""
    switches = {"UNLOAD_STORAGE_MODULES": ofed.unload_storage_modules, "ENABLE_NFSRDMA": ofed.nfs_rdma}
    files = BLACKLIST if line(version) < BLACKLIST_ON_HOST_SINCE else {}
    variables = {**{name: "true" for name, needed in switches.items() if needed}, **files, **ofed.env}
    env = [{"name": name, "value": value} for name, value in variables.items()]
    sites = {"repoConfig": ofed.repo_config, "certConfig": ofed.cert_config}
    return {
        "image": "doca-driver",
        "repository": "nvcr.io/nvidia/mellanox",
        "version": ofed.version or ofed_version(version),
        **({"env": env} if env else {}),
        **{key: {"name": name} for key, name in sites.items() if name},
        "upgradePolicy": {"autoUpgrade": False, "maxParallelUpgrades": 1, "drain": {"enable": False}},
    }
