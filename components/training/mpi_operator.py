"""MPI Operator: MPIJobs of version v2beta1, of which it is the one owner."""

from typing import Literal

import pulumi
import pulumi_kubernetes as k8s

from components.facts import Args
from components.section import Section
from components.training.kustomization import directory


class MpiOperatorSection(Section):
    """The MPI Operator; presence installs it."""

    version: Literal["v0.8.2"] = "v0.8.2"
    """Release; there is no chart of it."""


class MpiOperator(pulumi.ComponentResource):
    """Applies the upstream manifest; it has no webhooks."""

    def __init__(self, name: str, args: Args[MpiOperatorSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:training:MpiOperator", name, opts=opts)
        source = directory("mpi_operator", args.section.version, args.facts)
        k8s.kustomize.v2.Directory(name, directory=source, opts=pulumi.ResourceOptions(parent=self))
        self.register_outputs({})
