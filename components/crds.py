"""CRDs of a chart's `crds/` folder, kept at the release's version.

Helm installs that folder once and never looks at it again: an upgraded operator would run on the CRDs of the release
that came first. So where no hook of the chart does it, they are applied here before each release, server-side, as Helm
upgrades nothing of them; and they are never deleted, because every object of theirs would go with them.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pulumi
from pulumi import dynamic

from bedplate.charts import sets
from bedplate.cluster.errors import ClusterError
from bedplate.cluster.identity import refuse_another
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Whole, until
from bedplate.components.archive import definitions, fetch
from bedplate.components.dynamic import DynamicResource, KubectlProvider, here

NO_KUBECTL = "there is no kubectl on the PATH: CRDs are applied through it (docs/crds.md)"
ASKED = ("of", "version")
APPLY = ("apply", "--server-side", "--force-conflicts", "--field-manager=bedplate", "-f", "-", "-o", "name")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SECONDS = 360
"""Usually one. But a CRD whose API server ended between its names and its establishment is established only when the
next one's informer syncs again, every five minutes (apiextensions-apiserver v0.35,
`updateCustomResourceDefinition`)."""


class CrdsProvider(KubectlProvider):
    """Applies; deletes nothing."""

    asked = ASKED
    """A chart elsewhere is the same chart; another version is not."""
    no_kubectl = NO_KUBECTL

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Whether they are there already does not matter."""
        return dynamic.CreateResult(props["of"], applied(props))

    def update(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.UpdateResult:
        """In place, with all objects in them."""
        refuse_another(_news, _olds)
        return dynamic.UpdateResult(applied(_news))


class ChartCrds(DynamicResource):
    """Stands for the CRDs of one chart."""

    namespace: pulumi.Output[str]
    """The release's, handed through: whoever takes it from here comes after the CRDs."""

    def __init__(self, name: str, desired: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("chart:Crds", CrdsProvider, name, desired, opts)


def applied(props: Mapping[str, Any]) -> dict[str, Any]:
    """Apply them and wait until the API server serves them; what the state keeps."""
    known = sets.digest(props["of"], props["version"])
    stream = definitions(fetch(props["source"], props["repo"], props["version"], known))
    names = [name.partition("/")[2] for name in kubectl(props["context"], *APPLY, stdin=stream).split()]
    # Not `kubectl wait`: it fails on a CRD that has no status yet.
    deadline = time.monotonic() + SECONDS
    if faults := until(Reader(props["context"]), DEFINITIONS, Whole(partial(unserved, frozenset(names))), deadline)[0]:
        raise ClusterError("\n".join(faults))
    return {**here(props), "names": names}


def unserved(names: frozenset[str], found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which of them the API server does not serve."""
    served = {one["metadata"]["name"] for one in found if established(one)}
    return [f"{name} is not established" for name in sorted(names - served)]


def established(definition: Mapping[str, Any]) -> bool:
    """Whether the API server serves it."""
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)
