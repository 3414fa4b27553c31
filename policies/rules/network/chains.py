"""CNI chains and kernel modes that must agree: ib-sriov, rdma, Multus."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.attachments import KINDS, NAD, attachments
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, flatten, quantity, text, trees, whole

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


@rule("NET-212", MANDATORY, on=Stack)
def one_netns_mode(stack: Stack) -> Complaints:
    """The shared device plugin needs the kernel's shared mode; chaining `rdma` needs the exclusive one."""
    shared = [policy for policy in stack.of("NicClusterPolicy") if _shares(policy)]
    if shared and any(map(_exclusive, stack.of("SriovNetworkPoolConfig"))):
        yield Complaint("uses the shared plugin but nodes are set to rdmaMode exclusive", about=shared[0])
    for each in attachments(stack.of(*KINDS)) if shared else ():
        if each.plugin({"rdma"}):
            yield Complaint("chains the rdma plugin but devices come from the shared plugin", about=each.resource)


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
