"""A pinned Helm chart, what it takes of the cluster, and the one way to release it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import pulumi
import pulumi_kubernetes as k8s

from bedplate.charts import pin
from bedplate.components.crds import ChartCrds
from bedplate.components.digest import digest
from bedplate.components.facts import Args, ChartSource
from bedplate.components.image_digests import of_release
from bedplate.components.names import scoped
from bedplate.components.section import HelmSection
from bedplate.components.version import is_semantic, line

TIMEOUT = 1800
"""Seconds in which a controller must be there, its images pulled; what loads more than itself says how long."""
CrdOwner = Literal["none", "template", "release", "hook", "folder", "step"]
"""A template that Helm keeps; one that it deletes with the release, which is protected therefore; a hook of the chart;
or we, because Helm never upgrades a `crds/` folder: with the release, or in a step before it, for others' sake."""
KEEP = {"helm.sh/resource-policy": "keep"}
"""Annotation for CRDs that are templates: Helm would delete them with the release, and with them every object."""


@dataclass(frozen=True)
class Chart:
    """A chart at one version; our pin is the newest version set's (`bedplate/charts/sets.py`), the rest its folder's.

    Read once, as `CHART` in the file of the component that installs it: whoever asks which versions are known, which
    names are taken or which kinds the chart brings, asks here.
    """

    repo: str
    """An https repository or an `oci://` prefix; empty where it is published in git only, and so in a mirror."""
    name: str
    version: str
    namespace: str = ""
    """Where it is released; empty: where its section says."""
    older: tuple[str, ...] = ()
    """Releases besides the pin that a profile may ask for, oldest first; a patch release of a line is taken too."""
    groups: tuple[str, ...] = ()
    """API groups whose kinds it brings, by its CRDs."""
    crds: CrdOwner = "none"
    """Who brings its CRDs to the release's version (docs/crds.md)."""
    takes: tuple[str, ...] = ()
    """Names that a team cannot have besides the namespace: further namespaces, and queues."""

    @classmethod
    def of(cls, name: str) -> "Chart":
        """The chart of that name, as its folder has it."""
        return cls(name=name, **pin(name, cls))

    @property
    def versions(self) -> tuple[str, ...]:
        """Every release whose keys we know, oldest first."""
        return (*self.older, self.version)

    @property
    def line(self) -> tuple[int, int]:
        """Major and minor number of its version: releases of one line share their keys."""
        return line(self.version)

    def knows(self, version: str) -> bool:
        """The version is of a known line (major and minor), spelt as the chart spells it (with or without `v`)."""
        spelt = version.startswith("v") == self.version.startswith("v")
        return spelt and is_semantic(version) and line(version) in {line(known) for known in self.versions}

    def at(self, section: HelmSection) -> "Chart":
        """This chart at the version that the profile asks for, or at our pin."""
        return replace(self, version=section.version or self.version)

    def location(self, source: ChartSource) -> dict[str, Any]:
        """The Release arguments that say where the chart is: repository, OCI registry or mirror."""
        if source.mirror is None:
            if self.repo.startswith("oci://"):
                return {"chart": f"{self.repo}/{self.name}"}
            return {"chart": self.name, "repository_opts": {"repo": self.repo}}
        if source.mirror.startswith("oci://"):
            return {"chart": f"{source.mirror.rstrip('/')}/{self.name}"}
        return {"chart": f"{source.mirror.rstrip('/')}/{self.name}-{self.version}.tgz"}

    def title(self, name: str, namespace: pulumi.Input[str]) -> str:
        """What the stack calls a release: with its namespace where others may have one of the same name."""
        return scoped(namespace, name) if isinstance(namespace, str) and not self.namespace else name

    def _by_digest(self, values: Mapping[str, Any], args: Args[HelmSection]) -> dict[str, Any]:
        return of_release(self.name, self.at(args.section).version, values, args.facts.digests)

    def guards(self, args: Args[HelmSection], values: Mapping[str, Any]) -> str:
        """A digest of what a release of it would be: whoever guards it waits again when this changes."""
        return digest(self.at(args.section).version, self._by_digest(merged(values, args.section.overrides), args))

    def release(  # noqa: PLR0913 - a release is just these facts
        self,
        name: str,
        args: Args[HelmSection],
        *,
        namespace: pulumi.Input[str],
        values: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
        timeout: int = TIMEOUT,
    ) -> k8s.helm.v3.Release:
        """Release this chart into `namespace` and wait until Helm calls it ready.

        A fixed name, because a generated one breaks selectors and URLs, and a literal one, because a release that
        followed its step's name would be installed anew with it; not atomic, because the evidence of a failed install
        is worth more than its removal; delete before replace, because cluster-scoped objects would collide.
        `timeout` and not `custom_timeouts`: the provider ignores the latter on a Release.
        """
        chart, title = self.at(args.section), self.title(name, namespace)
        if self.crds == "folder":
            namespace = chart.definitions(title, args, namespace, opts)
        return k8s.helm.v3.Release(
            title,
            name=name,
            namespace=namespace,
            version=chart.version,
            values=(asked := self._by_digest(merged(values, args.section.overrides), args)),
            allow_null_values=True if removes(asked) else None,
            skip_crds=True if self.crds in ("folder", "step") else None,
            timeout=timeout,
            atomic=False,
            cleanup_on_fail=True,
            wait_for_jobs=True,
            max_history=5,
            opts=pulumi.ResourceOptions.merge(
                opts,
                # One that was taken over keeps the name that it had (docs/adopting.md).
                pulumi.ResourceOptions(
                    delete_before_replace=True, protect=self.crds == "release", ignore_changes=["name"]
                ),
            ),
            **chart.location(args.facts.charts),
        )

    def definitions(
        self, title: str, args: Args[HelmSection], namespace: pulumi.Input[str], opts: pulumi.ResourceOptions
    ) -> pulumi.Output[str]:
        """Apply the CRDs of this version; the release's namespace, once they are there."""
        where = self.location(args.facts.charts)
        source = {"source": where["chart"], "repo": where.get("repository_opts", {}).get("repo", "")}
        desired = {"context": args.facts.context, "of": self.name, "version": self.version, "namespace": namespace}
        return ChartCrds(f"{title}-crds", {**desired, **source}, opts).namespace


def removes(value: object) -> bool:
    """Whether a null takes something out that the chart has by default; the provider drops nulls unless told."""
    if isinstance(value, Mapping):
        return any(removes(inner) for inner in cast("Mapping[str, object]", value).values())
    return value is None


def merged(values: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with `overrides` laid over them: mappings merge, anything else replaces."""
    if not overrides:
        return dict(values)
    from deepmerge import Merger  # noqa: PLC0415 - only a profile with overrides pays for the import

    merger = Merger([(dict, ["merge"])], ["override"], ["override"])
    return merger.merge(merger.merge({}, dict(values)), dict(overrides))
