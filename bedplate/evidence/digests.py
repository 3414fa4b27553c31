"""What the tags of images stand for at their registries now: the digests that a profile may have them go by."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import repeat

from bedplate.cluster.errors import ClusterError
from bedplate.components.credentials import login
from bedplate.components.download import download
from bedplate.components.image_digests import parts
from bedplate.evidence.lists import mirrored, pinned_by

MANIFESTS = (
    "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"
)
"""An image for every architecture first: a node then takes its own, and the digest is of them all."""
DOCKER_HUB = "registry-1.docker.io"
AT_ONCE = 8


def looked_up(images: Iterable[str], mirror: str = "") -> tuple[dict[str, str], list[str]]:
    """The digest of each that goes by a tag, and what could not be had, with the reason."""
    names = [image for image in images if pinned_by(image) == "tag"]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(names, pool.map(_asked, names, repeat(mirror)), strict=True))
    digests = {image: said for image, said in found.items() if said.startswith("sha256:")}
    return digests, [f"{image}: {said}" for image, said in found.items() if image not in digests]


def _asked(image: str, mirror: str) -> str:
    """The digest of what is there (distribution-spec: it is that of the manifest's bytes), or why there is none."""
    where = parts(mirrored(image, mirror) if mirror else image)
    host = DOCKER_HUB if where.registry == "docker.io" else where.registry
    url = f"https://{host}/v2/{where.path}/manifests/{where.tag}"
    try:
        return f"sha256:{sha256(download(url, MANIFESTS, login(host))).hexdigest()}"
    except (ClusterError, ValueError) as error:
        return str(error)


def written(digests: dict[str, str]) -> str:
    """The file that `images.file` of a profile names."""
    return "digests:\n" + "".join(f'  "{image}": {digest}\n' for image, digest in sorted(digests.items()))
