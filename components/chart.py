"""A pinned Helm chart, and the one way to release it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.facts import Args, ChartSource
from components.section import HelmSection


@dataclass(frozen=True)
class Chart:
    """A chart at one version; bumping our pin is a one-line diff."""

    repo: str
    """An https repository or an `oci://` prefix."""
    name: str
    version: str

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

    def release(
        self,
        name: str,
        args: Args[HelmSection],
        *,
        namespace: pulumi.Input[str],
        values: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
    ) -> k8s.helm.v3.Release:
        """Release this chart into `namespace` and wait until Helm calls it ready.

        A fixed name, because a generated one breaks selectors and URLs; not atomic, because the evidence of a failed
        install is worth more than its removal; delete before replace, because cluster-scoped objects would collide.
        `timeout` and not `custom_timeouts`: the provider ignores the latter on a Release.
        """
        chart = self.at(args.section)
        return k8s.helm.v3.Release(
            name,
            name=name,
            namespace=namespace,
            version=chart.version,
            values=merged(values, args.section.overrides),
            timeout=1800,
            atomic=False,
            cleanup_on_fail=True,
            wait_for_jobs=True,
            max_history=5,
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
            **chart.location(args.facts.charts),
        )


def merged(values: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with `overrides` laid over them: mappings merge, anything else replaces."""
    if not overrides:
        return dict(values)
    from deepmerge import Merger  # noqa: PLC0415 - only a profile with overrides pays for the import

    merger = Merger([(dict, ["merge"])], ["override"], ["override"])
    return merger.merge(merger.merge({}, dict(values)), dict(overrides))


def version_tuple(version: str) -> tuple[int, ...]:
    """The numbers of a version such as `v25.10.1`, for comparison."""
    return tuple(int(number) for number in re.findall(r"\d+", version.split("-", maxsplit=1)[0]))
