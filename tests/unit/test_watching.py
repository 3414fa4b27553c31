"""How the program waits for a cluster."""

from pathlib import Path

import pytest

from components.watching import Reader

DEAF = "#!/bin/sh\nsleep 20 <&- >&2\necho '{}'\n"
"""A connection that died quietly: nothing comes for longer than was asked for."""


def test_a_watch_whose_server_went_silent_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kubectl").write_text(DEAF)
    (tmp_path / "kubectl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with Reader("here").changes("/api/v1/nodes", "1", 0.1) as changes:
        assert list(changes) == []
