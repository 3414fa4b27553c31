"""Which modules have their functions turned round: in CI all, at the desk those that differ from `origin/main`.

All of them again and again are a quarter of what the tests cost. `BEDPLATE_MUTANTS=all make test` asks for all.
"""

import os
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

from bedplate.folders import PROJECT

BASE = "origin/main"


def in_scope(modules: Iterable[ModuleType]) -> list[ModuleType]:
    """Of these modules, those to turn round."""
    if os.environ.get("CI") or os.environ.get("BEDPLATE_MUTANTS") == "all":
        return [*modules]
    changed = differing(PROJECT)
    return [one for one in modules if changed is None or Path(str(one.__file__)).resolve() in changed]


@cache
def differing(project: Path) -> frozenset[Path] | None:
    """Files that are not as where our branch left its base, committed or not; None where there is no such base."""
    if (base := _git(project, "merge-base", "HEAD", BASE)) is None:
        return None
    changed = _git(project, "diff", "--name-only", base.strip()) or ""
    untracked = _git(project, "ls-files", "--others", "--exclude-standard") or ""
    return frozenset((project / line).resolve() for line in (*changed.splitlines(), *untracked.splitlines()))


def _git(project: Path, *words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=project, capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout
