"""Values as they travel between a Pulumi program and its engine: decode, encode, and mask what is secret.

`mask` is the only way out: nothing of a plan is printed, written or judged before it went through it.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from google.protobuf import struct_pb2

from bedplate.folders import PACKAGE

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - the wire's marker for "this is a secret"
RESOURCE_SIGNATURE = "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT_SIGNATURE = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN_SENTINEL = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

Json: TypeAlias = Any
"""Any JSON value: what a resource's properties are made of."""

OURS = f"{PACKAGE}/"
MASK = "[secret]"
UNKNOWN = "[unknown]"


def decode(value: struct_pb2.Struct | struct_pb2.Value) -> Json:
    """Plain Python, keys sorted; secret wrappers, unknown sentinels and nulls survive, whole floats become ints."""
    if isinstance(value, struct_pb2.Struct):  # protobuf keeps no order of its own
        return {key: decode(item) for key, item in sorted(value.fields.items())}
    match value.WhichOneof("kind"):
        case "struct_value":
            return decode(value.struct_value)
        case "list_value":
            return [decode(item) for item in value.list_value.values]
        case "number_value":
            return int(value.number_value) if value.number_value.is_integer() else value.number_value
        case None | "null_value":
            return None
        case kind:
            return getattr(value, kind)


def encode(values: Mapping[str, Json]) -> struct_pb2.Struct:
    """The way back."""
    struct = struct_pb2.Struct()
    struct.update(dict(values))
    return struct


def mask(value: Json, *, hidden: bool = False) -> Json:
    """A copy to show: every leaf of a secret becomes `[secret]`, an unknown `[unknown]`, a resource its URN.

    The keys of a secret mapping stay: a Kubernetes Secret without them would be no manifest.
    """
    if isinstance(value, dict):
        return _mask_mapping(cast("dict[str, Json]", value), hidden=hidden)
    if isinstance(value, list):
        return [mask(item, hidden=hidden) for item in cast("list[Json]", value)]
    if value == UNKNOWN_SENTINEL:
        return UNKNOWN
    if hidden:
        return MASK
    # What comes with Bedplate is named from its own folder: where that is installed is not of the plan.
    return value.removeprefix(OURS) if isinstance(value, str) else value


def _mask_mapping(value: dict[str, Json], *, hidden: bool) -> Json:
    signature = value.get(SIGNATURE)
    if signature == SECRET_SIGNATURE:
        return mask(value.get("value"), hidden=True)
    if signature == RESOURCE_SIGNATURE:
        return value.get("urn", UNKNOWN)
    if signature == OUTPUT_SIGNATURE:
        return mask(value.get("value", UNKNOWN_SENTINEL), hidden=hidden or bool(value.get("secret")))
    # What is left of an asset or an archive is its path or text, without the marker.
    return {key: mask(item, hidden=hidden) for key, item in value.items() if key != SIGNATURE}
