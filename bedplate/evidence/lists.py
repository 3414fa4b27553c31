"""A list of images in the form that each tool for mirroring wants. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.answer import answered
from bedplate.components.image_digests import parts

from .images import Images

OC_MIRROR = """kind: ImageSetConfiguration
apiVersion: mirror.openshift.io/v2alpha1
mirror:
  additionalImages:
"""


def written(images: Images, form: str, to: str = "", stack: str = "") -> str:
    """The whole text."""
    match form:
        case "json":
            return answered("Images", as_json(images, stack))
        case "skopeo":
            return skopeo(list(images.found))
        case "crane":
            return "".join(f"crane copy {image} {mirrored(image, to)}\n" for image in images.found)
        case "oc-mirror":
            return OC_MIRROR + "".join(f"    - name: {image}\n" for image in images.found)
        case _:
            return "".join(f"{image}\n" for image in images.found)


def as_json(images: Images, stack: str) -> dict[str, Any]:
    """Each image with who pulls it, and whether its name holds what it is or only what it was called."""
    rows = [{"image": image, "by": pinned_by(image), "pulledBy": owners} for image, owners in images.found.items()]
    return {"stack": stack, "images": rows, "notKnown": images.unknown}


def pinned_by(image: str) -> str:
    """A digest is the image; a tag may be moved to another one."""
    return "digest" if "@sha256:" in image else "tag"


def skopeo(images: Sequence[str]) -> str:
    """For `skopeo sync --src yaml`: registries, their images, and a tag or digest of each (containers/skopeo docs)."""
    held: dict[str, dict[str, list[str]]] = {}
    for image in images:
        named = parts(image)
        held.setdefault(named.registry, {}).setdefault(named.path, []).append(named.digest or named.tag)
    return "".join(f"{registry}:\n  images:\n{_of_registry(paths)}" for registry, paths in held.items())


def _of_registry(paths: Mapping[str, list[str]]) -> str:
    return "".join(
        f"    {path}:\n" + "".join(f'      - "{tag}"\n' for tag in dict.fromkeys(tags)) for path, tags in paths.items()
    )


def mirrored(image: str, to: str) -> str:
    """Behind the mirror's name, without the registry that it comes from; a digest alone gets a tag from it."""
    named = parts(image)
    return f"{to.rstrip('/')}/{named.path}:{named.tag or named.digest.partition(':')[2][:12]}"
