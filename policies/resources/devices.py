"""Extended resources that device plugins in the stack advertise, and the NICs that each plugin takes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bedplate.policies.resources.attachments import SRIOV_PREFIXES, parsed
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.values import UNKNOWN, Tree, dig, text, texts, tree, trees

ALWAYS = re.compile(r"nvidia\.com/(gpu(\.shared)?|mig-.+)|networking\.gke\.io\.networks/.*|[^/]*")
EFA = "vpc.amazonaws.com/efa"
EFA_PLUGIN = "aws-efa-k8s-device-plugin"


@dataclass(frozen=True)
class Plugin:
    """One entry of a device plugin's configuration: a resource and the NICs behind it."""

    resource: Resource
    plugin: str
    """rdmaSharedDevicePlugin, sriovDevicePlugin or SriovNetworkNodePolicy."""
    names: tuple[str, ...]
    """Full names of the extended resource."""
    nics: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Selectors by one vocabulary: vendors, devices, interfaces, links, addresses; an absent one selects all."""


SHARED = {"vendors": "vendors", "deviceIDs": "devices", "ifNames": "interfaces", "linkTypes": "links"}
EXCLUSIVE = {
    "vendors": "vendors",
    "devices": "devices",
    "pfNames": "interfaces",
    "linkTypes": "links",
    "pciAddresses": "addresses",
    "rootDevices": "addresses",
}
NODE_POLICY = {"vendor": "vendors", "deviceID": "devices", "pfNames": "interfaces", "rootDevices": "addresses"}
PLUGIN_CONFIG = "config.json"
Source = tuple[str, str, str, dict[str, str]]
SOURCES: tuple[Source, ...] = (
    ("rdmaSharedDevicePlugin", "configList", "rdma", SHARED),
    ("sriovDevicePlugin", "resourceList", "nvidia.com", EXCLUSIVE),
)


def plugins(stack: Stack) -> Iterator[Plugin]:
    """Every device plugin entry of the NIC policies and SR-IOV policies."""
    for policy in stack.of("NicClusterPolicy"):
        for source in SOURCES:
            yield from _entries(policy, dig(policy.spec, source[0], "config"), source)
    for config in stack.of("ConfigMap"):
        yield from _from_config_map(config)
    for policy in stack.of("SriovNetworkNodePolicy"):
        name = text(policy.spec.get("resourceName"))
        names = tuple(f"{prefix}/{name}" for prefix in SRIOV_PREFIXES)
        yield Plugin(policy, policy.kind, names, _nics(tree(policy.spec.get("nicSelector")), NODE_POLICY))


def _from_config_map(resource: Resource) -> Iterator[Plugin]:
    """Plugins that were deployed by hand read the same configuration from a ConfigMap."""
    for source in SOURCES:
        yield from _entries(resource, dig(resource.props, "data", PLUGIN_CONFIG), source)


def _entries(resource: Resource, config: object, source: Source) -> Iterator[Plugin]:
    key, entries, prefix, words = source
    for entry in trees(dig(parsed(config), entries)):
        name = f"{text(entry.get('resourcePrefix')) or prefix}/{text(entry.get('resourceName'))}"
        selectors = entry.get("selectors")
        first = trees(selectors)[0] if trees(selectors) else tree(selectors)
        yield Plugin(resource, key, (name,), _nics(first, words))


def _nics(selectors: Tree, words: dict[str, str]) -> Mapping[str, frozenset[str]]:
    return {
        word: frozenset(texts(selectors[key]) or [text(selectors[key])])
        for key, word in words.items()
        if selectors.get(key) not in (None, "", [])
    }


def overlap(one: Plugin, other: Plugin) -> bool:
    """Whether a NIC can be behind both."""
    return all(one.nics[key] & other.nics[key] for key in one.nics.keys() & other.nics.keys())


def within(one: Plugin, other: Plugin) -> bool:
    """Whether every NIC behind one is behind the other as well: whatever the other selects by, the first does more."""
    return all(one.nics.get(key, frozenset()) and one.nics[key] <= nics for key, nics in other.nics.items())


def all_known(stack: Stack) -> bool:
    """Whether every device plugin configuration can be read."""
    configs = [dig(spec, key, "config") for spec in stack.policies() for key, *_ in SOURCES]
    names = [policy.spec.get("resourceName") for policy in stack.of("SriovNetworkNodePolicy")]
    specs = [policy.at("spec") for policy in stack.of("NicClusterPolicy", "SriovNetworkNodePolicy")]
    return (
        stack.charts_known
        and UNKNOWN not in [*configs, *names, *specs]
        and None not in [parsed(each) for each in configs if each]
    )


def produced(stack: Stack) -> set[str]:
    """Every extended resource for fabric devices that the stack or the profile says will exist."""
    names = {name for plugin in plugins(stack) for name in plugin.names} | set(stack.facts.rdma_resources)
    if stack.releases(EFA_PLUGIN) or _runs(stack, EFA_PLUGIN) or any(pool.efa_per_node for pool in stack.facts.pools):
        names.add(EFA)
    return names


def _runs(stack: Stack, name: str) -> bool:
    """Whether a DaemonSet among the manifests is the plugin."""
    return any(name in resource.object_name for resource in stack.of("DaemonSet"))
