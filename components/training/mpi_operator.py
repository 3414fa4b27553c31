"""MPI Operator: MPIJobs of version v2beta1, of which it is the one owner."""

from pathlib import Path
from typing import Literal

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.section import Section
from bedplate.components.training.kustomization import controller

FOLDER = Path(__file__).parent / "mpi_operator"
MANIFESTS = Manifests.of("mpi-operator", FOLDER)


class MpiOperatorSection(Section):
    """The MPI Operator; presence installs it."""

    version: Literal["v0.8.2"] = "v0.8.2"
    """Release; there is no chart of it."""


class MpiOperator(Component[MpiOperatorSection], token="bedplate:training:MpiOperator"):
    """Applies the upstream manifest; it has no webhooks."""

    def _declare(self, args: Args[MpiOperatorSection], child: pulumi.ResourceOptions) -> None:
        controller(MANIFESTS, args.section.version, args.facts, child)
