"""Secondary networks: NetworkAttachmentDefinitions and the custom resources that operators turn into them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bedplate.components.bounded_yaml import parsed_json
from bedplate.policies.resources.model import Resource
from bedplate.policies.values import UNKNOWN, Tree, dig, is_map, text, tree, trees, whole

RESOURCE_NAME = "k8s.v1.cni.cncf.io/resourceName"
NAD = "NetworkAttachmentDefinition"
MADE_BY_OPERATOR = {
    "HostDeviceNetwork": "host-device",
    "MacvlanNetwork": "macvlan",
    "IPoIBNetwork": "ipoib",
    "SriovNetwork": "sriov",
    "SriovIBNetwork": "ib-sriov",
}
"""Kinds that become a NetworkAttachmentDefinition of the same name, and its plugin."""
SRIOV = {"SriovNetwork", "SriovIBNetwork"}
SRIOV_PREFIXES = ("nvidia.com", "openshift.io")
"""RESOURCE_PREFIX of the SR-IOV operator: first what the network operator's chart sets, then the operator's own."""
DEVICE_PLUGINS = {"host-device", "sriov", "ib-sriov"}
"""CNI plugins that move one device into the pod."""
LINK_PLUGINS = {"macvlan", "ipvlan"}
RDMA_PLUGINS = DEVICE_PLUGINS | LINK_PLUGINS | {"ipoib"}
KINDS = (NAD, *MADE_BY_OPERATOR)


@dataclass(frozen=True)
class Attachment:
    """One secondary network that pods can name in their annotation."""

    resource: Resource

    @property
    def name(self) -> str:
        """The name that pods use."""
        return self.resource.object_name

    @cached_property
    def namespace(self) -> str:
        """The namespace in which pods find it."""
        if self.resource.kind == NAD:
            return self.resource.namespace
        target = self.resource.spec.get("networkNamespace")
        return "" if target is UNKNOWN else text(target) or "default"

    @cached_property
    def known(self) -> bool:
        """Whether its configuration is fully known."""
        return whole(self.resource.at("spec")) and whole(self.resource.at("metadata"))

    @cached_property
    def config(self) -> object:
        """The CNI configuration: None where it is no JSON, UNKNOWN where it is not known."""
        if self.resource.kind != NAD:
            ipam = self.resource.spec.get("ipam")
            made = {**self.resource.spec, "type": MADE_BY_OPERATOR[self.resource.kind], "ipam": parsed(ipam)}
            return {"cniVersion": "1.0.0", **made}
        return parsed(self.resource.spec.get("config"))

    @cached_property
    def plugins(self) -> list[Tree]:
        """The plugins of its chain, mostly one."""
        return trees(dig(self.config, "plugins")) or ([self.config] if is_map(self.config) else [])

    def plugin(self, kinds: Iterable[str]) -> Tree | None:
        """The first plugin of these types."""
        return next((plugin for plugin in self.plugins if text(plugin.get("type")) in kinds), None)

    @cached_property
    def ipams(self) -> list[Tree]:
        """Address management of each plugin."""
        return [tree(plugin.get("ipam")) for plugin in self.plugins if plugin.get("ipam")]

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The extended resource that goes with it, under each prefix that it may have; none where none is named."""
        if self.resource.kind == NAD:
            return tuple(filter(None, [text(self.resource.annotations.get(RESOURCE_NAME))]))
        name = text(self.resource.spec.get("resourceName"))
        prefixes = SRIOV_PREFIXES if self.resource.kind in SRIOV else SRIOV_PREFIXES[:1]
        return () if not name else (name,) if "/" in name else tuple(f"{prefix}/{name}" for prefix in prefixes)


def parsed(value: object) -> object:
    """A JSON text as a value; what is no text stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return parsed_json(value) if value.strip() else {}
    except ValueError:
        return None


def attachments(resources: Iterable[Resource]) -> list[Attachment]:
    """The secondary networks among the resources."""
    return [Attachment(resource) for resource in resources if resource.kind in KINDS]
