"""Where in git the files will stand that a controller reads, and the files of kustomizations, which go with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from bedplate.folders import PROJECT
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Node

File = tuple[str, str]
"""Its name below the folder of the emission, and what it holds."""


@dataclass(frozen=True)
class Place:
    """What the command says of it."""

    repository: str
    revision: str
    path: str
    """Of `--out DIR` in the repository."""
    image: str = ""
    """With Bedplate and kubectl."""

    def at(self, *parts: str) -> str:
        """A folder there, from the top of the repository."""
        return "/".join(filter(None, (self.path.strip("/"), *parts)))


def below(node: Node) -> str:
    """Where a kustomization's folder stands in the emission."""
    return _below(PROJECT / node.inputs["directory"])


def kustomization(node: Node) -> Iterator[File]:
    """Its files, and those of the folders beside it that it builds on."""
    left, seen = [PROJECT / node.inputs["directory"]], set[Path]()
    while left:
        folder = left.pop()
        if folder in seen:
            continue
        seen.add(folder)
        if not folder.is_dir():
            raise PlanError([f"--emit: {folder} is no folder: the kustomization {node.name} cannot be written"])
        for file in sorted(folder.glob("*.yaml")):
            yield f"{_below(folder)}/{file.name}", file.read_text(encoding="utf-8")
        stated = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
        left += [base for each in stated.get("resources", ()) if (base := (folder / each).resolve()).is_dir()]


def _below(folder: Path) -> str:
    parts = folder.parts
    ours = len(parts) - parts[::-1].index("components") if "components" in parts else len(parts) - 1
    return "/".join(("kustomize", *parts[ours:]))
