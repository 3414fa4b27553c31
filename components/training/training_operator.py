"""Kubeflow Training Operator v1: PyTorchJob and its kin. A legacy, for clusters whose jobs still use it."""

from pathlib import Path
from typing import Literal

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.section import Section
from bedplate.components.training.kustomization import controller

FOLDER = Path(__file__).parent / "training_operator"
MANIFESTS = Manifests.of("training-operator", FOLDER)


class TrainingOperatorSection(Section):
    """The Training Operator; presence installs it."""

    version: Literal["v1.9.4", "v1.8.1"] = "v1.9.4"
    """Release; 1.9 adds JAXJob. There is no chart of either."""


class TrainingOperator(Component[TrainingOperatorSection], token="bedplate:training:TrainingOperator"):
    """Applies the upstream overlay without MPIJob; its Deployment is available only when its webhook answers."""

    def _declare(self, args: Args[TrainingOperatorSection], child: pulumi.ResourceOptions) -> None:
        controller(MANIFESTS, args.section.version, args.facts, child)
