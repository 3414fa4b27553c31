"""The policy pack with a repository's own rules beside ours, as the engine starts it."""

import os
from pathlib import Path

from bedplate.policies.command.own import of_repository
from bedplate.policies.pack import serve as answer

SETTINGS = "BEDPLATE_CHECK"
"""The variable that says where the repository's settings are: the pack runs in a folder of its own."""


def serve() -> None:
    """Answer the engine; does not return."""
    file = os.environ.get(SETTINGS)
    with of_repository(Path(file) if file else None):
        answer()
