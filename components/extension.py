"""A part of the site's own in the order of the cluster: a chart or manifests that Bedplate does not know.

It is released, applied and waited for as ours is, and so it is in the plan, the policies, the list of images, the
review and the doctor. What only charts of ours have it lacks: values are held against no list of keys, and images of a
chart that nobody has listed are named as unknown.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pulumi
import pulumi_kubernetes as k8s
from pydantic import AfterValidator, Field, model_validator

from bedplate.components.chart import TIMEOUT, Chart
from bedplate.components.component import Component
from bedplate.components.digest import digest
from bedplate.components.facts import Args
from bedplate.components.manifest import declare
from bedplate.components.namespace import PodSecurity, namespace
from bedplate.components.readiness import gate
from bedplate.components.section import DnsLabel, HelmSection, Seconds, Section
from bedplate.components.version import is_semantic

FIRST = ("CustomResourceDefinition", "Namespace")
"""Kinds that the other objects of a part may need."""


def _exact(value: str) -> str:
    if not is_semantic(value):
        raise ValueError("no exact version, so two previews can differ; write one such as v1.16.2")
    return value


class Gate(Section):
    """A status of a custom resource that the part is done by."""

    api_version: str = Field(pattern="^[a-z0-9.-]+/v[a-z0-9]+$")
    """With its group, such as `cert-manager.io/v1`."""
    kind: str = Field(min_length=1)
    name: str = Field(min_length=1)
    namespace: DnsLabel | None = None
    condition: str = Field(pattern="^(condition|jsonpath)=")
    """As `kubectl wait --for` has it: `condition=Ready`."""
    timeout: Seconds = 600


class Extension(Section):
    """What both kinds have."""

    name: DnsLabel
    """What the stack and other parts call it; also the release's name."""
    pod_security: PodSecurity | None = None
    """Level of Pod Security of the namespace, which is made; absent: the namespace is there."""
    after: tuple[str, ...] = ()
    """Steps and other parts that come first, by the names that a plan shows; absent: the nodes alone."""
    before: tuple[str, ...] = ()
    """Steps and other parts that wait for this one."""
    gate: Gate | None = None
    """What those that come after wait for, besides the release or the objects."""


class ChartExtension(Extension):
    """A Helm chart."""

    kind: Literal["chart"]
    chart: str = Field(pattern="^[a-z0-9][a-zA-Z0-9._-]*$")
    """Its name in the repository, and in `charts.mirror`."""
    repository: str = Field(pattern="^(https|oci)://[^@]+$")
    """Where it is published; with `charts.mirror` it is taken from there."""
    version: Annotated[str, AfterValidator(_exact)]
    namespace: DnsLabel
    values: Mapping[str, Any] = Field(default_factory=dict)
    timeout: Seconds = TIMEOUT
    """For all that it starts to be ready."""


class ManifestsExtension(Extension):
    """Objects as they go to the API server."""

    kind: Literal["manifests"]
    namespace: DnsLabel | None = None
    """A namespace to make, with `podSecurity`; each object says its own in `metadata`."""
    file: str | None = None
    """Their file of YAML, from the profile's folder."""
    manifests: tuple[Mapping[str, Any], ...] = ()
    """The same in place."""

    @model_validator(mode="after")
    def _whole(self) -> "ManifestsExtension":
        if not self.manifests:
            raise ValueError("no objects; name their `file`, or list them as `manifests`")
        for one in self.manifests:
            name = (one.get("metadata") or {}).get("name")
            if not (one.get("apiVersion") and one.get("kind") and name):
                raise ValueError(f"{one.get('kind', 'an object')} {name or ''}: write apiVersion, kind, metadata.name")
            if one["kind"] == "Secret":
                raise ValueError(f"Secret {name}: a plan would show it; make it with `kubectl`, or External Secrets")
        return self


AnyExtension = Annotated[ChartExtension | ManifestsExtension, Field(discriminator="kind")]


class SitePart(Component[Any], token="bedplate:site:SitePart"):
    """The namespace if asked for, the release or the objects, and the gate."""

    def _declare(self, args: Args[Any], child: pulumi.ResourceOptions, /) -> None:
        section, inner = args.section, child
        if section.namespace and section.pod_security:
            home = namespace(section.namespace, section.pod_security, child)
            inner = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[home]))
        made = _release(args, inner) if isinstance(section, ChartExtension) else _objects(section, inner)
        if section.gate:
            own = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=made))
            _wait(section.gate, section.name, section, own)


def _release(args: Args[ChartExtension], opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    section = args.section
    chart = Chart(section.repository, section.chart, section.version, section.namespace)
    plain = Args(HelmSection(), args.facts)
    where = {"namespace": section.namespace, "values": section.values, "timeout": section.timeout}
    return [chart.release(section.name, plain, **where, opts=opts)]


def _objects(section: ManifestsExtension, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """Kinds and namespaces first: others may be of them."""
    first = [_declared(section.name, one, opts) for one in section.manifests if one["kind"] in FIRST]
    later = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=first))
    return first + [_declared(section.name, one, later) for one in section.manifests if one["kind"] not in FIRST]


def _declared(part: str, one: Mapping[str, Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    place = one["metadata"]
    title = "/".join(filter(None, (part, place.get("namespace"), one["kind"], place["name"])))
    return declare(title, one, opts)


def _wait(
    one: Gate, name: str, section: Section, opts: pulumi.ResourceOptions
) -> k8s.apiextensions.CustomResourcePatch:
    metadata = {"name": one.name, **({"namespace": one.namespace} if one.namespace else {})}
    stated = {"api_version": one.api_version, "kind": one.kind, "metadata": metadata, "condition": one.condition}
    return gate(f"{name}-ready", **stated, guards=digest(section.model_dump_json()), timeout=one.timeout, opts=opts)
