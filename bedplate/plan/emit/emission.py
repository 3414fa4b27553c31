"""The files of one controller, and what it has no equal for."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from bedplate.plan.emit import argocd, flux
from bedplate.plan.emit.place import Place
from bedplate.plan.emit.waves import Delivery
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Graph

CONTROLLERS: Mapping[str, ModuleType] = {"argocd": argocd, "flux": flux}


@dataclass(frozen=True)
class Emission:
    """What `--emit` adds to a plan's folder."""

    files: Mapping[str, str]
    lost: tuple[str, ...]


def emission(graph: Graph, controller: str, place: Place) -> Emission:
    """Of a plan."""
    chosen, delivery = CONTROLLERS[controller], Delivery(graph, place.image)
    files = {f"{controller}/{name}": text for name, text in chosen.files(delivery, place)}
    return Emission(files, (*delivery.lost(), *chosen.lost(delivery)))


def check(controller: str, *, repository: str, written: bool) -> None:
    """What must be said, before any work is done."""
    if not written:
        raise PlanError([f"--emit {controller}: it writes files: name a folder by --out DIR"])
    if controller == "argocd" and not repository:
        raise PlanError(["--emit argocd: an Application names its repository: say --repository URL"])
