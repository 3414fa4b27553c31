"""What goes into a wheel and an sdist: what git keeps, and nothing that merely lies in the folders.

`stacks/` of a checkout may hold the profiles of somebody's clusters, kept by git or not: the examples alone are
shipped, each by its name. In a checkout `components/`, `policies/` and `stacks/` are linked into the package; in a
wheel they are folders of it. What declares a profile and nothing else is a folder, too, there (bedplate/folders.py).
"""

import subprocess
from pathlib import Path, PurePosixPath
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINKED = ("components", "policies", "stacks")
"""Beside the package in a checkout, in it in a wheel."""
DOCS = "docs"
TOP = ("CHANGELOG.md", "UPGRADING.md")
"""What `bedplate docs` shows where there is no checkout."""
PROJECT = ("Pulumi.yaml", "__main__.py")
EXAMPLES = ("eks-p5", "gke-a3-mega", "inference-l40s", "lab", "onprem-h100-ib", "onprem-h100-roce")
STACKS = frozenset(f"stacks/Pulumi.{name}.yaml" for name in EXAMPLES)
SOURCES = "SOURCES.txt"
"""In an sdist, which has no git: what belongs to it."""


class FilesOfGit(BuildHookInterface[Any]):
    """Hatchling's own lists are patterns over what lies in the folders."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface's
        """Name every file with its place."""
        root, files = Path(self.root), kept(Path(self.root))
        if self.target_name == "wheel":
            places = {path: to for path in files if (to := place(path))}
        else:
            places = {path: path for path in files}
            self.sources = Path(self.directory, SOURCES)
            self.sources.write_text("\n".join(files), encoding="utf-8")
            build_data["force_include"][str(self.sources)] = SOURCES
        build_data["force_include"] |= {str(root / path): to for path, to in places.items()}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - the interface's
        """The list is in the sdist, and nowhere else."""
        if self.target_name != "wheel":
            self.sources.unlink()


def kept(root: Path) -> list[str]:
    """Every file that may be shipped; links are left out."""
    files = sorted(path for path in listed(root) if (root / path).is_file() and not (root / path).is_symlink())
    return [path for path in files if path in STACKS or not PurePosixPath(path).match("stacks/Pulumi.*.yaml")]


def listed(root: Path) -> list[str]:
    """What belongs to a clone or an sdist; of an archive of a commit, such as a GitHub action is, all that is there."""
    if (root / ".git").exists():
        command = ["git", "ls-files", "-z"]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")  # noqa: S603 - our own words
    if (root / SOURCES).is_file():
        return (root / SOURCES).read_text(encoding="utf-8").splitlines()
    return [path.relative_to(root).as_posix() for path in root.rglob("*") if path.suffix != ".pyc"]


def place(path: str) -> str | None:
    """Where a file of ours stands in a wheel; None if nowhere."""
    top = path.split("/", maxsplit=1)[0]
    if path in PROJECT or path in STACKS:
        return f"bedplate/project/{path}"
    if path in TOP:
        return f"bedplate/{DOCS}/{path}"
    return path if top == "bedplate" else f"bedplate/{path}" if top in (*LINKED, DOCS) else None
