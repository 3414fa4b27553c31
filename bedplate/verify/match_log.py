"""What an all-reduce came to, from what its pods wrote (components/verification/all_reduce.py). Pure.

It passed only if it says so itself: its job ended well and the line with the measured sum is there. A log that breaks
off proves nothing; one that ends in an error, or in our own `== hung`, is a failure of the nodes under it.
"""

import re
from dataclasses import dataclass

from bedplate.verify.outcome import Status

SUM = re.compile(r"^network (?P<network>.+) over \d+ HCAs, (?P<gbs>[\d.]+) GB/s, (?P<floor>.+)$", re.MULTILINE)
FAULT = re.compile(r"^rank \d+(?: on (?P<node>\S+))?: (?P<text>.+)$", re.MULTILINE)
HUNG = "== hung"
SHOWN = 4
ERROR = re.compile(r"^(?:\S*Error|.*NCCL (?:error|failure)|.*CUDA error)\b.*$", re.MULTILINE)


@dataclass(frozen=True)
class Match:
    """One all-reduce."""

    status: Status
    text: str
    gbs: float | None = None


def read(log: str, *, ended_well: bool | None) -> Match:
    """From the log of all its pods; `ended_well` is the job's own word, None where it has not ended."""
    measured = SUM.search(log)
    faults = dict.fromkeys(_fault(match) for match in FAULT.finditer(log))
    if faults:
        return Match("failed", _some(list(faults)))
    if HUNG in log:
        return Match("failed", "it hung: nodes met, and never came to an end")
    if ended_well and measured:
        gbs = float(measured["gbs"])
        return Match("passed", f"{gbs:.0f} GB/s, network {measured['network']}, {measured['floor']}", gbs)
    if ended_well is False and (error := ERROR.findall(log)):
        return Match("failed", error[-1].strip())
    if ended_well is None:
        return Match("unknown", "it has not ended")
    return Match("unknown", "its log breaks off" if log.strip() else "there is no log")


def _fault(match: re.Match[str]) -> str:
    return f"{match['node']}: {match['text']}" if match["node"] else match["text"]


def _some(faults: list[str]) -> str:
    rest = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    return "; ".join(faults[:SHOWN]) + rest
