"""A `kubectl` on the PATH that plays what a cluster answers, and counts how often it was started."""

from pathlib import Path

import pytest

SCRIPT = """#!/bin/sh
cd {here} || exit 9
echo "$*" | tr '\\n' ' ' >> calls
echo >> calls
case "$*" in *watch=true*) kind=watch ;; *) kind=list ;; esac
number=$(($(cat $kind.count 2> /dev/null || echo 0) + 1))
echo $number > $kind.count
act=$kind.$number
[ -e $act ] || act=$kind
. ./$act
"""


class Stub:
    """Answers by shell: one act for every list and one for every watch, or one for the nth of them."""

    def __init__(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here = here
        (here / "kubectl").write_text(SCRIPT.format(here=here))
        (here / "kubectl").chmod(0o755)
        monkeypatch.setenv("PATH", str(here), prepend=":")

    def plays(self, **acts: str) -> "Stub":
        """`list="…"`, `watch="…"`, or of the second one `watch_2="…"`."""
        for name, act in acts.items():
            (self.here / name.replace("_", ".")).write_text(act)
        return self

    @property
    def calls(self) -> list[str]:
        """The arguments of each process that was started."""
        calls = self.here / "calls"
        return [call.strip() for call in calls.read_text().splitlines()] if calls.exists() else []

    @property
    def watches(self) -> list[str]:
        return [call for call in self.calls if "watch=true" in call]
