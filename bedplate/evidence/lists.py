"""A list of images in the form that each tool for mirroring wants. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.answer import answered

from .images import Images
from .reference import parts

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
            return "".join(f"crane copy {one} {mirrored(one, to)}\n" for one in images.found)
        case "oc-mirror":
            return OC_MIRROR + "".join(f"    - name: {one}\n" for one in images.found)
        case _:
            return "".join(f"{one}\n" for one in images.found)


def as_json(images: Images, stack: str) -> dict[str, Any]:
    """Each image with who pulls it, and whether its name holds what it is or only what it was called."""
    found = [{"image": one, "by": pinned_by(one), "pulledBy": owners} for one, owners in images.found.items()]
    return {"stack": stack, "images": found, "notKnown": images.unknown}


def pinned_by(image: str) -> str:
    """A digest is the image; a tag may be moved to another one."""
    return "digest" if "@sha256:" in image else "tag"


def skopeo(images: Sequence[str]) -> str:
    """For `skopeo sync --src yaml`: registries, their images, and a tag or digest of each (containers/skopeo docs)."""
    held: dict[str, dict[str, list[str]]] = {}
    for image in images:
        one = parts(image)
        held.setdefault(one.registry, {}).setdefault(one.path, []).append(one.digest or one.tag)
    return "".join(f"{registry}:\n  images:\n{_of_registry(paths)}" for registry, paths in held.items())


def _of_registry(paths: Mapping[str, list[str]]) -> str:
    return "".join(
        f"    {path}:\n" + "".join(f'      - "{tag}"\n' for tag in dict.fromkeys(tags)) for path, tags in paths.items()
    )


def mirrored(image: str, to: str) -> str:
    """Behind the mirror's name, without the registry that it comes from; a digest alone gets a tag from it."""
    one = parts(image)
    return f"{to.rstrip('/')}/{one.path}:{one.tag or one.digest.partition(':')[2][:12]}"
