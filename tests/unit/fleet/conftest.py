"""A repository with a project of small clusters, for fleets."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.rooms import ROOT

WHOLE = (ROOT / "tests" / "profiles" / "l40s-lab.yaml").read_text()
PROJECT = "name: clusters\nruntime: python\nstackConfigDir: clusters\nconfig: {bedplate:profile: {type: object}}\n"
Write = Callable[..., Path]


def cluster(name: str, *, nodes: int = 2, more: str = "") -> str:
    """A profile upon the one base."""
    pools = f"pools:\n  - {{name: l40s, nodes: {nodes}}}\n"
    return f"base: bases/l40s.yaml\nname: {name}\ncontext: {name}\n{pools}{more}"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """A repository whose files are given, with the user in it; the path of `fleet.yaml` comes back."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clusters" / "bases").mkdir(parents=True)
    (tmp_path / "clusters" / "bases" / "l40s.yaml").write_text(WHOLE)
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "__main__.py").write_text("from bedplate import deploy\n\ndeploy()\n")

    def written(fleet: str, **clusters: str) -> Path:
        for name, text in clusters.items():
            (tmp_path / "clusters" / f"{name}.yaml").write_text(text)
        (tmp_path / "fleet.yaml").write_text(dedent(fleet))
        return Path("fleet.yaml")

    return written
