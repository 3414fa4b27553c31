"""What the engine deployed, as the stack's state says."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Deployed: TypeAlias = Sequence[Mapping[str, Any]]
"""The resources of a state, as `pulumi stack export` writes them."""


def deployed(cli: str, stack: str, root: Path) -> Deployed:
    """The stack's resources; none where the state cannot be had: Pulumi itself says why, and deletes nothing."""
    words = [cli, "stack", "export", "--stack", stack, "--non-interactive"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    state: dict[str, Any] = {} if done.returncode else json.loads(done.stdout)
    deployment: Mapping[str, Any] = state.get("deployment") or {}
    return deployment.get("resources") or ()
