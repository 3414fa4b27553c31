"""A document as the resource that it declares, also where it is a Helm release.

Flux's HelmRelease, Argo CD's Application and a bare file of values become what the rules know as a release: chart,
version, namespace and values. Where a part of the values is kept elsewhere (valuesFrom, valueFiles), none of them is
known.
"""

from collections.abc import Mapping

import yaml

from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.policies.resources.model import RELEASE, Resource
from bedplate.policies.values import Tree, dig, is_map, text, tree, trees

ELSEWHERE = "valueYamlFiles"
"""The property of a release that says that its values are not all here."""


def release_in(document: Tree) -> Tree | None:
    """The release that a document declares, if it does, in the spelling of our `helmRelease:` documents."""
    if "helmRelease" in document:
        return tree(document.get("helmRelease"))
    group = text(document.get("apiVersion")).partition("/")[0]
    if (group, document.get("kind")) == ("helm.toolkit.fluxcd.io", "HelmRelease"):
        return _flux(document)
    if (group, document.get("kind")) == ("argoproj.io", "Application"):
        return _argo(document)
    return None


def of_values(values: Tree, chart: str) -> Tree:
    """A file of values as a release of `NAME@VERSION`."""
    name, _, version = chart.partition("@")
    return {"helmRelease": {"chart": name, **({"version": version} if version else {}), "values": values}}


def _flux(document: Tree) -> Tree | None:
    spec = tree(document.get("spec"))
    chart = tree(dig(spec, "chart", "spec"))
    if not text(chart.get("chart")):
        return None
    metadata = tree(document.get("metadata"))
    release: dict[str, object] = {
        "chart": chart["chart"],
        "name": spec.get("releaseName") or metadata.get("name"),
        "namespace": spec.get("targetNamespace") or metadata.get("namespace"),
        "version": chart.get("version"),
        "values": spec.get("values"),
        ELSEWHERE: spec.get("valuesFrom") or chart.get("valuesFiles"),
    }
    return _said(release)


def _argo(document: Tree) -> Tree | None:
    spec = tree(document.get("spec"))
    sources = [tree(spec.get("source")), *trees(spec.get("sources"))]
    source = next((each for each in sources if text(each.get("chart"))), None)
    if source is None:
        return None
    helm = tree(source.get("helm"))
    release: dict[str, object] = {
        "chart": source["chart"],
        "name": helm.get("releaseName") or dig(document, "metadata", "name"),
        "namespace": dig(spec, "destination", "namespace"),
        "version": source.get("targetRevision"),
        "values": _values_of(helm),
        ELSEWHERE: helm.get("valueFiles") or helm.get("fileParameters"),
    }
    return _said(release)


def _values_of(helm: Tree) -> Tree:
    """Values as an object, else as text, with single parameters over them."""
    values = dict(tree(helm.get("valuesObject")) or _parsed(text(helm.get("values"))))
    for parameter in trees(helm.get("parameters")):
        _put(values, text(parameter.get("name")).split("."), parameter.get("value"))
    return values


def _put(values: dict[str, object], path: list[str], value: object) -> None:
    for key in path[:-1]:
        below = dict(tree(values.get(key)))
        values[key] = below
        values = below
    values[path[-1]] = {"true": True, "false": False}.get(text(value), value)


def _parsed(value: str) -> Tree:
    try:
        found = yaml.load(value, Loader=BoundedLoader)  # noqa: S506 (safe, and the fast one where PyYAML was built with it)
    except yaml.YAMLError:
        return {}
    return found if is_map(found) else {}


def _said(release: Mapping[str, object]) -> Tree:
    return {key: value for key, value in release.items() if value}


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
