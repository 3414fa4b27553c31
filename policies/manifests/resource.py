"""A document as the resource that it declares."""

from collections.abc import Mapping

from bedplate.policies.manifests.charts import release_in
from bedplate.policies.resources.model import RELEASE, Resource
from bedplate.policies.values import Tree, dig, text


def from_manifest(document: Mapping[str, object], file: str = "") -> Resource:
    """A Kubernetes document as a resource; one that declares a Helm release stands for that."""
    release = release_in(document)
    if release is not None:
        return _release(release, file)
    version, kind = text(document.get("apiVersion")), text(document.get("kind"))
    name = text(dig(document, "metadata", "name"))
    api = version if "/" in version else f"core/{version}"
    namespace = text(dig(document, "metadata", "namespace"))
    return Resource(f"kubernetes:{api}:{kind}", name, f"{file}#{kind}/{namespace}/{name}", document, file=file)


def _release(release: Tree, file: str) -> Resource:
    props = {key: value for key, value in release.items() if key != "repo"}
    if repo := release.get("repo"):
        props["repositoryOpts"] = {"repo": repo}
    name = text(release.get("name")) or text(release.get("chart")).rsplit("/", 1)[-1]
    return Resource(RELEASE, name, f"{file}#Release/{text(release.get('namespace'))}/{name}", props, file=file)
