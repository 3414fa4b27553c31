"""What a company's own program goes on from: the cluster's provider, and what to wait for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.nearest import meant
from bedplate.stacks.platform.step import Step


@dataclass(frozen=True)
class Cluster:
    """A cluster as it is declared."""

    workload_contract: str | None
    """Name of the ConfigMap in each team's namespace that says what its jobs must carry."""
    providers: tuple[pulumi.ProviderResource, ...]
    steps: Mapping[str, Step[Any]]
    """Every step, present or not, by its name."""
    built: Mapping[str, pulumi.Resource]
    """The component of each step that this cluster has."""

    @property
    def provider(self) -> k8s.Provider:
        """Of the cluster that the profile names; with any other one a resource could land on another cluster."""
        for provider in self.providers:
            if isinstance(provider, k8s.Provider):
                return provider
        raise pulumi.RunError("cluster.provider: this stack makes the cluster, and another deploys on it")

    def after(self, *steps: str) -> pulumi.ResourceOptions:
        """Options of a resource on the cluster that waits for these steps, and is deleted before they are.

        Of a step that this cluster does without, for those that it would have waited for.
        """
        waits_for = [built for name in steps for built in self._built(name)]
        return pulumi.ResourceOptions(provider=self.provider, depends_on=waits_for)

    def _built(self, name: str) -> list[pulumi.Resource]:
        if name not in self.steps:
            fix = meant(name, [*self.steps]) or "`bedplate plan` shows the names of steps in its order"
            raise pulumi.RunError(f'cluster.after("{name}"): no such step; {fix}')
        if name in self.built:
            return [self.built[name]]
        return [self.built[ancestor.name] for ancestor in self.steps[name].ancestors() if ancestor.name in self.built]
