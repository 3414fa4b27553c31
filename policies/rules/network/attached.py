"""Secondary networks and the pods that name them."""

import re

from bedplate.components.platforms import CLOUDS, PLATFORMS
from bedplate.policies.facts import Facts
from bedplate.policies.resources.attachments import DEVICE_PLUGINS, KINDS, LINK_PLUGINS, NAD, Attachment, attachments
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod, asked
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, integer, is_map, text, whole

PRIMARY = re.compile(r"eth0|ens5|ens3|enp0s\d")
NAMED_DEVICE = ("device", "hwaddr", "kernelpath", "pciBusID", "deviceID")
"""Keys by which a plugin takes one certain device, which no device plugin hands out: CNI host-device documentation."""
RDMA_DEVICE = re.compile(r"(mlx[45]_|roce(P[0-9]+)?p)[0-9]\w*")


def _all(stack: Stack) -> list[Attachment]:
    return attachments(stack.of(*KINDS))


@rule("NET-205", MANDATORY, also=ADVISORY, on=Stack)
def networks_resolve(stack: Stack) -> Complaints:
    """A bare name resolves in the pod's own namespace; `namespace/name` anywhere.

    In a folder that holds no network of that name or namespace, it is taken to be elsewhere.
    """
    found = _all(stack)
    unknown = any(not (each.name and each.namespace and whole(each.resource.at("metadata"))) for each in found)
    if unknown or not (stack.complete or found):
        return
    names = {(each.namespace, each.name) for each in found}
    for pod in stack.pods:
        for network in pod.networks:
            near = sorted(place for place, name in names if name == network.name)
            judged = stack.complete or near or any(place == network.namespace for place, _ in names)
            if judged and network.namespace and (network.namespace, network.name) not in names:
                what = f"{pod.role or 'pod'} names the network {network.namespace}/{network.name}, which does not exist"
                fix = f"Write {near[0]}/{network.name}, where it is" if near else ""
                yield Complaint(what, fix, stack.elsewhere, pod.resource)


@rule("NET-206", MANDATORY, also=ADVISORY, on=Stack)
def networks_match_devices(stack: Stack) -> Complaints:
    """Networks that move a device name its extended resource, and pods request as many as they attach."""
    found = _all(stack)
    for each in found:
        plugin = each.plugin(DEVICE_PLUGINS)
        if plugin is None or not each.known:
            continue
        if not each.devices and not any(key in plugin for key in NAMED_DEVICE):
            yield Complaint(f"is {text(plugin.get('type'))} and names no resource", about=each.resource)
        for device in each.devices:
            if device.startswith("rdma/"):
                what = f"moves a device into one pod but names {device}, which many pods share"
                yield Complaint(what, about=each.resource)
    moving = {(each.namespace, each.name): each.devices for each in found if each.plugin(DEVICE_PLUGINS)}
    for pod in stack.pods:
        if pod.devices_known and all(each.known for each in found):
            yield from _counts(pod, [moving.get((each.namespace, each.name), ()) for each in pod.networks])


def _counts(pod: Pod, devices: list[tuple[str, ...]]) -> Complaints:
    for names in sorted(set(filter(None, devices))):
        requested = {
            name: sum(integer(asked(container).get(name)) or 0 for container in pod.containers) for name in names
        }
        attached, total = devices.count(names), sum(requested.values())
        device = max(names, key=lambda name: requested[name])
        if total != attached:
            # None at all may be added by the network resources injector, and one more is only left over.
            severity = MANDATORY if 0 < total < attached else ADVISORY
            what = f"attaches {attached} networks of {device} but requests {total}"
            yield Complaint(what, severity=severity, about=pod.resource)


@rule("NET-210", MANDATORY, also=ADVISORY, on=(NAD,))
def real_device(resource: Resource, facts: Facts) -> Complaints:
    """host-device takes netdevs, not RDMA devices; macvlan needs a master that cloud networks do not filter."""
    each = Attachment(resource)
    if each.config is UNKNOWN or resource.spec.get("config") is None:
        return
    if not is_map(each.config):
        yield Complaint("spec.config is no JSON", "Write one JSON object as text")
        return
    if each.config.get("cniVersion") is None:
        yield Complaint("spec.config has no cniVersion", 'Add "cniVersion": "0.3.1" or later', ADVISORY)
    for plugin in each.plugins:
        yield from _plugin_faults(text(plugin.get("type")), plugin.get("type"), plugin, facts)


def _plugin_faults(kind: str, raw: object, plugin: object, facts: Facts) -> Complaints:
    if not is_map(plugin):
        return
    device, master = plugin.get("device"), plugin.get("master")
    if raw is None:
        yield Complaint("spec.config has no plugin type", "Name the CNI plugin in type")
    if kind == "host-device" and RDMA_DEVICE.fullmatch(text(device)):
        yield f"host-device takes {text(device)}, which is an RDMA device"
    if kind in LINK_PLUGINS and master is None:
        yield Complaint(f"{kind} has no master", "Name the NIC of this rail: else it is the default route's", ADVISORY)
    if kind in LINK_PLUGINS and facts.platform in CLOUDS and PRIMARY.fullmatch(text(master)):
        yield Complaint(f"{kind} on {text(master)} in a cloud", "Clouds drop unknown MACs: use the provider's NICs")


@rule("NET-214", MANDATORY, also=ADVISORY, on=Stack)
def one_multus(stack: Stack) -> Complaints:
    """The network operator, a manifest, a chart, the platform or the site brings Multus: one of them."""
    found = [policy for policy in stack.of("NicClusterPolicy") if _brings_multus(policy)]
    found += [resource for resource in stack.of("DaemonSet") if resource.object_name.startswith("kube-multus")]
    found += [release.resource for release in stack.releases("multus")]
    found += stack.installs("multus")
    managed = [name for name, row in PLATFORMS.items() if row.multus and name == stack.facts.platform]
    managed += ["the site"] if "multus" in stack.facts.site_runs else []
    if len(found) + len(managed) > 1:
        names = ", ".join([each.title for each in found] + [f"{name} itself" for name in managed])
        other = None if managed else found[-2]
        yield Complaint(f"Multus comes from {names}", about=found[-1], beside=other)


def _brings_multus(policy: Resource) -> bool:
    return policy.at("spec", "secondaryNetwork", "multus") not in (None, UNKNOWN)


@rule("NET-216", ADVISORY, on=Stack)
def one_mtu(stack: Stack) -> Complaints:
    """RoCE networks have one MTU, the profile's; where it states none, a macvlan takes its port's."""
    if stack.facts.fabric != "roce":
        return
    sizes: dict[int, Attachment] = {}
    for each in _all(stack):
        plugin = each.plugin({*LINK_PLUGINS, "sriov"})
        if plugin is None or not each.known:
            continue
        size = integer(plugin.get("mtu"))
        # sriov-cni has no such key: a virtual function has its port's (k8snetworkplumbingwg/sriov-cni, pkg/sriov).
        if size is None and stack.facts.mtu and plugin.get("type") in LINK_PLUGINS:
            yield Complaint("has no mtu", f"Set mtu: {stack.facts.mtu}", about=each.resource)
        if size and stack.facts.mtu and size != stack.facts.mtu:
            yield Complaint(f"has mtu {size}, the fabric has {stack.facts.mtu}", about=each.resource)
        if size:
            sizes.setdefault(size, each)
    if len(sizes) > 1:
        yield Complaint(f"networks have the MTUs {sorted(sizes)}", about=sizes[max(sizes)].resource)
