"""The shape that every profile section shares, and the field types that they have in common."""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    Tag,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

from bedplate.components.quantity import UNSIGNED, amount

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
DnsLabel = Annotated[str, Field(pattern=DNS_LABEL)]
"""A name that Kubernetes takes for a namespace or a Service (RFC 1123 label)."""

LABEL_VALUE = r"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"
LabelValue = Annotated[str, Field(pattern=LABEL_VALUE)]
"""Of a label, as Kubernetes takes it (k8s.io/apimachinery, pkg/util/validation, IsValidLabelValue)."""

Quantity = Annotated[str, Field(pattern=f"^{UNSIGNED}$")]
"""A Kubernetes resource quantity, such as `64Gi`."""


def _large(value: str) -> str:
    """Kubernetes would take a size without its unit for bytes, and nothing fits into it."""
    if amount(value) < LEAST:
        raise ValueError("less than a MiB: without a unit it is in bytes; write it with one, such as 64Gi")
    return value


LEAST = 2**20
Size = Annotated[Quantity, AfterValidator(_large)]
"""Of memory or a disk, such as `64Gi`."""

INTERFACE_NAME = r"^[A-Za-z0-9_.-]{1,15}$"
InterfaceName = Annotated[str, Field(pattern=INTERFACE_NAME)]
"""A Linux network interface; the kernel allows 15 characters."""


HCA_NAME = r"^[A-Za-z0-9_]{1,63}$"
Hca = Annotated[str, Field(pattern=HCA_NAME)]
"""An RDMA device, such as `mlx5_0`, or `ibP2p3s0` on machines of several PCI domains (rdma-core, rdma_rename)."""


def _text(value: object) -> object:
    """Only text: a bare number would be taken for an address."""
    if not isinstance(value, str | IPv4Network | IPv6Network):
        raise ValueError("not a network; write it as text, such as 10.64.0.0/16")  # noqa: TRY004 - pydantic reports only ValueError
    if str(value) in ("0.0.0.0", "::"):  # noqa: S104 - what is refused
        raise ValueError(f"without a prefix it is a single address, which nobody has; write {value}/0 for all of them")
    if "%" in str(value):
        raise ValueError("has the interface of one machine behind a %; write the addresses alone")
    return value


def _own(value: IPv6Network) -> IPv6Network:
    """No policy of a network sees what IPv4 address a packet to it has."""
    if value.network_address.ipv4_mapped:
        raise ValueError("addresses of IPv4 written as IPv6; write them as IPv4")
    return value


Cidr = Annotated[IPv4Network, BeforeValidator(_text)]
"""An IPv4 network."""
Cidr6 = Annotated[IPv6Network, BeforeValidator(_text), AfterValidator(_own)]
"""An IPv6 network."""


def _version(value: object) -> str:
    """By which pydantic reports the faults of one version of IP alone, and not of both."""
    return "6" if ":" in str(value) else "4"


Network = Annotated[
    Annotated[Cidr, Tag("4")] | Annotated[Cidr6, Tag("6")],
    Discriminator(_version),
]
"""A network of either."""


def _network(value: str) -> str:
    if "/" in value:
        ip_network(value)  # its own error names the fault
    return value


Caller = Annotated[
    str, Field(pattern=r"^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?|[0-9a-f.:]+/[0-9]+)$"), AfterValidator(_network)
]
"""A namespace of the cluster, or addresses outside it."""

Seconds = Annotated[int, Field(ge=1, le=86_400)]
"""A time limit, in seconds."""


PLAIN = frozenset({"int", "float", "bool"})
"""Types of pydantic's core schema of which another may not take the place: `true` is no 1, and `"8"` no 8."""


def _literally(schema: object) -> None:
    """Make the plain types of a section's fields strict; sections within it are so already."""
    if isinstance(schema, list):
        for each in cast("list[object]", schema):
            _literally(each)
    elif isinstance(schema, dict):
        found = cast("dict[str, object]", schema)
        if found.get("type") in PLAIN:
            found["strict"] = True
        for each in found.values() if found.get("type") != "model" else ():
            _literally(each)


class Section(BaseModel):
    """Immutable, refuses unknown keys, camelCase in YAML, documented by its attributes."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        defer_build=True,
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Strict for numbers and switches alone: YAML has no tuples, enums or addresses, which it writes otherwise."""
        schema = handler(source)
        _literally(schema.get("schema"))
        return schema


class HelmSection(Section):
    """A section that a Helm chart answers to."""

    version: Annotated[str, Field(min_length=1)] | None = None
    """Chart version instead of our pin; only versions whose keys we know are taken."""
    overrides: Mapping[str, Any] = Field(default_factory=dict)
    """Values merged last, for keys that the pinned chart honours and the profile does not own."""
