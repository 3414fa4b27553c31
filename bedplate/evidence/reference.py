"""How an image is named, and where manifests and values name one. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, cast

HOSTS = (
    r"(?:[a-z0-9-]+\.)*(?:nvcr\.io|ghcr\.io|quay\.io|registry\.k8s\.io|docker\.io|gcr\.io|pkg\.dev|ecr\.aws|amazonaws\.com"
    r"|mcr\.microsoft\.com|container-registry\.oracle\.com|icr\.io)"
)
REFERENCE = re.compile(rf"(?<![\w./@-]){HOSTS}/[\w./-]+(?::[\w.-]+(?:@sha256:[0-9a-f]{{64}})?|@sha256:[0-9a-f]{{64}})")
NAMED = re.compile(r"^[\w.-]+(?::\d+)?(?:/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$")
DOCA = "ofedDriver"
"""The part of a NicClusterPolicy whose image is one for each system and architecture."""
System = Literal["", "gpu", "nic"]


class Named(NamedTuple):
    """An image as something names it."""

    image: str
    system: System = ""
    """Whose operator ends the tag with the nodes' system: the GPU Operator, or the Network Operator."""


def named(value: object, key: str = "") -> Iterator[Named]:
    """Images that a manifest, a policy or values name: a container's, a triple of NVIDIA's policies, or a reference."""
    if isinstance(value, str):
        yield from map(Named, REFERENCE.findall(value))
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from named(item)
    elif isinstance(value, Mapping):
        held = cast("Mapping[str, object]", value)
        yield from _joined(held, "nic" if key == DOCA else "")
        yield from map(Named, _alone(held))
        for below, item in held.items():
            yield from named(item, below)


def _alone(held: Mapping[str, object]) -> Iterator[str]:
    """A container's image, and one that an operator is told in a variable: these need neither registry nor tag."""
    image, is_named = held.get("image"), "IMAGE" in str(held.get("name")).upper()
    if isinstance(image, str) and NAMED.match(image) and ("/" in image or ":" in image):
        yield image
    if is_named and isinstance(value := held.get("value"), str) and NAMED.match(value) and "/" in value:
        yield value


def _joined(held: Mapping[str, object], system: System) -> Iterator[Named]:
    """`repository`, `image` and `version` of NVIDIA's policies; `registry`, `repository` and `tag` of other charts."""
    repository, tag = held.get("repository"), held.get("version") or held.get("tag")
    if not isinstance(repository, str) or not isinstance(tag, str | int | float) or not str(tag):
        return
    image, registry = held.get("image") or held.get("name"), held.get("registry")
    if isinstance(image, str) and image and "modelURL" not in held:
        name = f"{repository}/{image}"
    else:
        name = f"{registry}/{repository}" if isinstance(registry, str) and registry else repository
    if "/" in name:
        digest = str(tag).startswith("sha256:")
        yield Named(f"{name}{'@' if digest else ':'}{tag}", "" if digest else system)
