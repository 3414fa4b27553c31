"""The NicClusterPolicy and what it gives each NIC to."""

from itertools import combinations

from bedplate.policies.facts import Facts
from bedplate.policies.resources.devices import ALWAYS, all_known, overlap, plugins, produced, within
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import RDMA, requested
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import UNKNOWN, dig, integer, text, tree, trees, whole

NAME = "nic-cluster-policy"
MADE_BY_HAND = (24, 10)
REMOVED = {
    ("secondaryNetwork", "ipamPlugin"): "Install whereabouts by its own chart, or use nvIpam",
    ("psp",): "Label the namespace for pod security",
    ("nvPeerDriver",): "Use DMA-BUF, or driver.rdma.enabled of the GPU operator",
}
SPEC_KEYS = {
    *("global", "ofedDriver", "rdmaSharedDevicePlugin", "sriovDevicePlugin", "ibKubernetes", "secondaryNetwork"),
    *("nvIpam", "nicFeatureDiscovery", "docaTelemetryService", "nicConfigurationOperator", "spectrumXOperator"),
    *("nodeAffinity", "tolerations", "deploymentNodeAffinity", "deploymentTolerations"),
}
"""What spec may hold: the CRD nicclusterpolicies.mellanox.com of network operator 26.4.1."""
SWITCHES = ("deploy", "enabled")
MAX_VFS = 16


@rule(
    "NET-201",
    "The NicClusterPolicy exists and has its name",
    MANDATORY,
    on=Stack,
    why="The operator ignores any other name and deploys nothing without one",
    fix=f"Declare exactly one NicClusterPolicy named {NAME}",
    source="Mellanox/network-operator pkg/consts/consts.go 34; 24.10.0 release notes",
    proof="the object's name, which the operator compares with a constant",
)
def nic_policy_exists(stack: Stack) -> Complaints:
    """Since 24.10 the chart makes none: it is a resource of its own with a fixed name."""
    policies = stack.of("NicClusterPolicy")
    for policy in policies:
        if whole(policy.at("metadata", "name")) and policy.object_name != NAME:
            edits = (Edit(policy.metadata, "name", NAME),) if len(policies) == 1 else ()
            yield Complaint(f"is named {policy.object_name}", f"Name it {NAME}", about=policy, edits=edits)
    if len(policies) > 1:
        yield Complaint(f"{len(policies)} NicClusterPolicies are declared", about=policies[-1])
    for release in stack.releases("network-operator"):
        if stack.complete and not policies and release.numbers >= MADE_BY_HAND:
            yield Complaint(f"network-operator {release.version} has no NicClusterPolicy", about=release.resource)


@rule(
    "NET-202",
    "The NicClusterPolicy has no removed fields",
    MANDATORY,
    also=ADVISORY,
    on=("NicClusterPolicy",),
    why="The API server prunes the field silently and its component is absent",
    fix="Use the fields of the CRD of network operator 26.4",
    source="CRD nicclusterpolicies.mellanox.com of Mellanox/network-operator 26.4.1; 25.10 release notes",
    proof="a switch that no version of the CRD has",
)
def no_removed_fields(policy: Resource, _: Facts) -> Complaints:
    """Presence of a component deploys it: there are no deploy switches, and some components are gone.

    Which operator a manifest is for it does not say, so that a field of other versions is a hint.
    """
    for path, fix in REMOVED.items():
        if dig(policy.spec, *path) not in (None, UNKNOWN):
            yield Complaint(f"spec.{'.'.join(path)} is gone from the CRD", fix, ADVISORY)
    for key, component in policy.spec.items():
        if key not in SPEC_KEYS and (key,) not in REMOVED and component is not UNKNOWN:
            yield Complaint(f"spec.{key} is not in the CRD", severity=ADVISORY)
        for switch in SWITCHES if (key,) not in REMOVED else ():
            if tree(component).get(switch) not in (None, UNKNOWN):
                yield Complaint(f"spec.{key}.{switch} is not in the CRD", "Delete it: presence deploys the component")


@rule(
    "NET-203",
    "One device plugin per NIC",
    MANDATORY,
    also=ADVISORY,
    on=Stack,
    why="The same NIC is registered twice and given to more pods than it serves",
    fix="Choose the shared or the exclusive plugin for a NIC, and make the selectors disjoint",
    source="Mellanox/network-operator release notes 1.2.0",
    proof="selectors of which one takes nothing but what the other takes as well",
)
def one_plugin_per_nic(stack: Stack) -> Complaints:
    """The selectors of the shared plugin, the SR-IOV plugin and SR-IOV node policies do not meet."""
    readable = (plugin for plugin in plugins(stack) if whole(plugin.resource.at("spec")))
    for one, other in combinations(readable, 2):
        if one.plugin != other.plugin and overlap(one, other):
            what = f"{one.plugin} ({one.names[0]}) and {other.plugin} ({other.names[0]}) select the same NICs"
            surely = within(one, other) or within(other, one)
            yield Complaint(what, severity=None if surely else ADVISORY, about=other.resource)


@rule(
    "NET-204",
    "Every requested device has a producer",
    MANDATORY,
    also=ADVISORY,
    on=Stack,
    why="The pod stays Pending with `Insufficient <resource>`",
    fix="Request a resource that a device plugin of this cluster advertises",
    source="Kubernetes device plugins; the network operator's documentation itself has such a typo",
    proof="the profile, or the whole deployment, which names every resource that there is",
)
def devices_have_producers(stack: Stack) -> Complaints:
    """Extended resources in pod templates are named by a device plugin's configuration or by the profile.

    In a folder that is not the whole cluster only fabric devices are judged, and only if it says what there is.
    """
    names = produced(stack)
    if not all_known(stack) or not (stack.complete or names):
        return
    for pod in stack.pods:
        for key in sorted({key for container in pod.containers for key in requested(container)}):
            if key in names or ALWAYS.fullmatch(key) or not (stack.complete or RDMA.fullmatch(key)):
                continue
            fix = f"Request one of {', '.join(sorted(names))}" if names else ""
            what = f"{pod.role or 'pod'} asks for {key}, which nothing produces"
            yield Complaint(what, fix, None if stack.facts.rdma_resources else stack.elsewhere, pod.resource)


@rule(
    "NET-213",
    "Virtual functions are few enough and enough",
    MANDATORY,
    on=("SriovNetworkNodePolicy",),
    why="The NIC refuses the configuration",
    fix=f"Set numVfs to {MAX_VFS} or less on InfiniBand",
    source="Mellanox/network-operator release notes, known issues",
    proof="numVfs and linkType of the policy itself",
)
def virtual_functions(policy: Resource, _: Facts) -> Complaints:
    """An InfiniBand port makes at most 16 virtual functions."""
    number = integer(policy.spec.get("numVfs"))
    if number is not None and number > MAX_VFS and text(policy.spec.get("linkType")).lower() == "ib":
        yield f"numVfs is {number} on InfiniBand"


@rule(
    "NET-223",
    "The OFED container does not take the node's own network away",
    ADVISORY,
    on=("NicClusterPolicy",),
    why="Reloading the NIC driver drops storage over fabrics, and a draining upgrade evicts running jobs",
    fix="Set UNLOAD_STORAGE_MODULES and an upgradePolicy without automatic drain, or use the host's driver",
    source="Mellanox/network-operator release notes, known issues",
)
def careful_ofed(policy: Resource, facts: Facts) -> Complaints:
    """The driver container says what to do with storage modules and how upgrades go, and on which nodes it runs."""
    ofed = policy.spec.get("ofedDriver")
    if not tree(ofed) or not whole(ofed):
        return
    env = [text(each.get("name")) for each in trees(dig(ofed, "env"))]
    if "UNLOAD_STORAGE_MODULES" not in env and dig(ofed, "upgradePolicy") is None:
        yield "spec.ofedDriver has neither UNLOAD_STORAGE_MODULES nor an upgradePolicy"
    if dig(ofed, "upgradePolicy", "autoUpgrade") is True and dig(ofed, "upgradePolicy", "drain", "enable") is True:
        yield "spec.ofedDriver.upgradePolicy drains nodes by itself"
    outside = [pool.name for pool in facts.pools or () if not pool.nics_per_node]
    if outside and "nodeAffinity" not in policy.spec:
        nodes = f"nodes of pool {outside[0]} too, if they have a NIC of NVIDIA's"
        yield Complaint(f"without spec.nodeAffinity the driver is replaced on {nodes}", "Select the fabric's nodes")
