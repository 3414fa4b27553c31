"""The NicClusterPolicy, what it gives each NIC to, and the CNI chains and kernel modes that must agree with it."""

from itertools import combinations

from bedplate.policies.facts import Facts
from bedplate.policies.resources.attachments import KINDS, NAD, attachments
from bedplate.policies.resources.devices import ALWAYS, all_known, overlap, plugins, produced, within
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import RDMA, requested
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import UNKNOWN, Tree, dig, flatten, integer, quantity, text, tree, trees, whole

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
"""Virtual functions of an InfiniBand port."""


@rule("NET-201", MANDATORY, also=ADVISORY, on=Stack)
def nic_policy_exists(stack: Stack) -> Complaints:
    """Since 24.10 the chart makes none: it is a resource of its own with a fixed name."""
    policies = stack.of("NicClusterPolicy")
    for policy in policies:
        if whole(policy.at("metadata", "name")) and policy.object_name != NAME:
            edits = (Edit(policy.metadata, "name", NAME),) if len(policies) == 1 else ()
            yield Complaint(f"is named {policy.object_name}", f"Name it {NAME}", about=policy, edits=edits)
    if len(policies) > 1:
        what = f"{len(policies)} NicClusterPolicies are declared"
        yield Complaint(what, about=policies[-1], beside=policies[-2])
    for release in stack.releases("network-operator"):
        if stack.complete and not policies and release.numbers >= MADE_BY_HAND:
            yield Complaint(f"network-operator {release.version} has no NicClusterPolicy", about=release.resource)


@rule("NET-202", MANDATORY, also=ADVISORY, on=("NicClusterPolicy",))
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


@rule("NET-203", MANDATORY, also=ADVISORY, on=Stack)
def one_plugin_per_nic(stack: Stack) -> Complaints:
    """The selectors of the shared plugin, the SR-IOV plugin and SR-IOV node policies do not meet."""
    readable = (plugin for plugin in plugins(stack) if whole(plugin.resource.at("spec")))
    for one, other in combinations(readable, 2):
        if one.plugin != other.plugin and overlap(one, other):
            what = f"{one.plugin} ({one.names[0]}) and {other.plugin} ({other.names[0]}) select the same NICs"
            surely = within(one, other) or within(other, one)
            severity = None if surely else ADVISORY
            yield Complaint(what, severity=severity, about=other.resource, beside=one.resource)


@rule("NET-204", MANDATORY, also=ADVISORY, on=Stack)
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


@rule("NET-213", MANDATORY, on=("SriovNetworkNodePolicy",))
def virtual_functions(policy: Resource, _: Facts) -> Complaints:
    """An InfiniBand port makes fewer virtual functions than an Ethernet port."""
    number = integer(policy.spec.get("numVfs"))
    if number is not None and number > MAX_VFS and text(policy.spec.get("linkType")).lower() == "ib":
        yield Complaint(f"numVfs is {number} on InfiniBand")


@rule("NET-223", ADVISORY, on=("NicClusterPolicy",))
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


MULTUS_MEMORY = 150 * 2**20


@rule("NET-211", MANDATORY, on=Stack)
def coherent_ib_sriov(stack: Stack) -> Complaints:
    """GUIDs come from ib-kubernetes; rdmaIsolation and the chained rdma plugin exclude each other.

    `pkey` is for ib-kubernetes, and the plugin itself does not read it.
    """
    policies = stack.of("NicClusterPolicy")
    managed = any("ibKubernetes" in policy.spec or not whole(policy.at("spec")) for policy in policies)
    for each in attachments(stack.of(NAD)):
        plugin = each.plugin({"ib-sriov"})
        if plugin is None or not each.known:
            continue
        enabled = plugin.get("ibKubernetesEnabled") is True
        if enabled and not managed and (stack.complete or policies):
            yield Complaint("ibKubernetesEnabled is true but nothing deploys ib-kubernetes", about=each.resource)
        if plugin.get("rdmaIsolation") is True and each.plugin({"rdma"}):
            what = "rdmaIsolation is true and the rdma plugin is chained as well"
            yield Complaint(what, "Keep one of them", about=each.resource)


def _exclusive(policy: Resource) -> bool:
    return any("exclusive" in value for value in flatten(policy.at("spec", "rdmaMode")))


@rule("NET-212", MANDATORY, also=ADVISORY, on=Stack)
def one_netns_mode(stack: Stack) -> Complaints:
    """The shared device plugin needs the kernel's shared mode; chaining `rdma` needs the exclusive one."""
    shared = [policy for policy in stack.of("NicClusterPolicy") if _shares(policy)]
    exclusive = [nodes for nodes in stack.of("SriovNetworkPoolConfig") if _exclusive(nodes)]
    if shared and exclusive:
        what = "uses the shared plugin but nodes are set to rdmaMode exclusive"
        yield Complaint(what, about=shared[0], beside=exclusive[0])
    for each in attachments(stack.of(*KINDS)) if shared else ():
        if each.plugin({"rdma"}):
            what = "chains the rdma plugin but devices come from the shared plugin"
            yield Complaint(what, about=each.resource, beside=shared[0])


def _shares(policy: Resource) -> bool:
    return bool(text(policy.at("spec", "rdmaSharedDevicePlugin", "config")))


@rule("NET-215", ADVISORY, on=("DaemonSet",))
def multus_memory(resource: Resource, _: Facts) -> Complaints:
    """The limit of the project's own manifest, 50Mi, is too tight for nodes with many pods."""
    if not resource.object_name.startswith("kube-multus"):
        return
    containers: list[Tree] = trees(dig(resource.spec, "template", "spec", "containers"))
    for container in containers:
        limit = quantity(dig(container, "resources", "limits", "memory"))
        if limit is not None and limit < MULTUS_MEMORY:
            yield f"container {text(container.get('name'))} has {limit / 2**20:.0f}Mi of memory"
