"""The gate as its users start it, SIGKILL at moments drawn by lot, and the gate started again."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from bedplate.lab import LabError
from bench.witness import Witness

JITTER = 1.0
"""Seconds within which a kill follows its cue: somewhere in the gate's next requests."""
ROOT = Path(__file__).parents[1]


def work(witness: Witness, folder: Path, lots: Random, cues: Sequence[int], patience: float) -> int:
    """Start the gate until it comes to its end by itself, each cue within `patience` seconds; how many kills."""
    kills, said = 0, folder / "said"
    while True:
        with said.open("a") as out, _gate(folder, out.fileno()) as gate:
            if kills < len(cues):
                _at_work(witness, gate, said, cues[kills], patience)
                with suppress(subprocess.TimeoutExpired):
                    gate.wait(lots.uniform(0, JITTER))
            if kills < len(cues) and gate.poll() is None:
                gate.kill()
                kills += 1
                continue
            if gate.wait() != 1 or kills < len(cues):  # it found bad nodes
                raise LabError(f"the gate ended with {gate.returncode}: {said.read_text()[-2000:]}")
            return kills


def _at_work(witness: Witness, gate: "subprocess.Popen[bytes]", said: Path, cue: int, patience: float) -> None:
    """Wait until so many nodes are tested and it has said something: before its first request a kill shows nothing."""
    before = said.stat().st_size

    def due() -> bool:
        busy = len(witness.tested) >= cue and said.stat().st_size > before
        return busy or gate.poll() is not None

    witness.until(due, patience)


def _gate(folder: Path, said: int) -> "subprocess.Popen[bytes]":
    """As its users start it."""
    words = [sys.executable, "-m", "bedplate.verify", str(folder / "site.yaml"), "--qualify"]
    return subprocess.Popen(words, cwd=ROOT, stdout=said, stderr=said)  # noqa: S603 - our own words
