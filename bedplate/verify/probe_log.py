"""What the probes of storage and servers wrote, against what the profile says. Pure."""

import re
from collections.abc import Iterator

from bedplate.verify.outcome import Case

TOLERANCE = 0.9
"""Part of `readGbs` that is still taken as reached."""
RATE = re.compile(r"^(write|read) ([\d.]+) GB/s$", re.MULTILINE)
SEEN = re.compile(r"^asks (.+)\nsees ?(.*)$", re.MULTILINE)
NONE = ("nothing", "void", "none")
"""What an image says to be given no GPU (NVIDIA/nvidia-container-toolkit, NVIDIA_VISIBLE_DEVICES)."""
CALLED = re.compile(r"^names (yes|no)\ntries ?(.*)\nreaches ?(.*)$", re.MULTILINE)
SAID = re.compile(r"^(completion|metrics) (ok|bad) ?(.*)$", re.MULTILINE)


def volume(log: str, read_gbs: float, subject: str) -> Iterator[Case]:
    """Reading is held against `readGbs`, which servers' start-up probes are computed from; writing is told."""
    rates = {what: float(rate) for what, rate in RATE.findall(log)}
    if "write" in rates:
        yield Case("storage, write", subject, "passed", f"{rates['write']:.2f} GB/s; the profile says nothing of it")
    if "read" not in rates:
        yield Case("storage, read", subject, "unknown", last_line(log))
        return
    text = f"{rates['read']:.2f} GB/s, readGbs {read_gbs:g}"
    yield Case("storage, read", subject, "passed" if rates["read"] >= read_gbs * TOLERANCE else "failed", text)


def server(log: str, subject: str) -> Iterator[Case]:
    """The first completion, and that it can be measured."""
    states = {what: (state, text) for what, state, text in SAID.findall(log)}
    for what, named in (("completion", "server, completion"), ("metrics", "server, metrics")):
        if what not in states:
            yield Case(named, subject, "unknown", last_line(log))
            continue
        state, text = states[what]
        yield Case(named, subject, "passed" if state == "ok" else "failed", text)


def devices(log: str, subject: str) -> Case:
    """Nobody has GPUs that the queue does not count; an image that asks for none shows nothing."""
    match, check = SEEN.search(log), "no GPUs unasked"
    if match is None:
        return Case(check, subject, "unknown", last_line(log))
    asks, sees = match.groups()
    if sees:
        return Case(check, subject, "failed", f"a pod that asks for no GPU sees {sees}: docs/security.md#gpus-unasked")
    if asks in NONE:
        return Case(check, subject, "unknown", f"the image asks the runtime for {asks}, so that it proves nothing")
    return Case(check, subject, "passed", f"none, though the image asks the runtime for {asks}")


def borders(log: str, subject: str) -> Case:
    """The API server takes NetworkPolicies, and whether somebody keeps them only a pod can tell."""
    match, check = CALLED.search(log), "borders"
    if match is None:
        return Case(check, subject, "unknown", last_line(log))
    names, tries, reaches = match.groups()
    if reaches:
        return Case(check, subject, "failed", f"nobody keeps NetworkPolicies: a pod reaches {reaches} (docs/teams.md)")
    if names == "no" or not tries:
        return Case(check, subject, "unknown", "the pod has no name service, or nothing to call: it proves nothing")
    return Case(check, subject, "passed", f"closed to the team's pods, and closed: {tries}")


def last_line(log: str) -> str:
    """Where a log ends that does not say what it should."""
    return (log.strip().splitlines() or ["there is no log"])[-1]
