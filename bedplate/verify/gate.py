"""Who may enter the queues, decided from what the API server holds and nothing else: it may die at any time.

Pure. A node is in only while it carries the label; the label is written in one step, after its test was read and
before its job is taken away. Whoever is started anew finds the jobs of its predecessor, counts them against the bound
and reads them. A node that failed stays out, with the reason on it, until it is asked for by name.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.cluster.objects import Object, annotations, is_true, labels, part
from bedplate.cluster.objects import name as name_of
from bedplate.components.facts import NodePool
from bedplate.components.verification.qualification import PROVEN_ON, QUALIFIED, REASON, TESTED_ON
from bedplate.verify.outcome import Case

NODE_LABEL = "bedplate/qualifies"
UID_NOTE, DIGEST_NOTE = "bedplate/node-uid", "bedplate/foundation"
"""Of a test's job: which machine it tests, and on which operators, driver and fabric."""
LONGEST = 800
"""Characters of a reason."""


@dataclass(frozen=True)
class Next:
    """What is to be done now."""

    start: tuple[Object, ...] = ()
    """Nodes to test."""
    read: tuple[Object, ...] = ()
    """Jobs that have ended."""
    drop: tuple[Object, ...] = ()
    """Jobs for a node that is gone, or was made anew, or that test what has changed since, or that were read before."""
    running: int = 0


def next_(
    nodes: Iterable[Object],
    jobs: Sequence[Object],
    digest: str,
    at_once: int,
    requested: Collection[str] = (),
) -> Next:
    """From the nodes of gated pools and the jobs that test them."""
    by_name = {name_of(node): node for node in nodes}
    drop = [job for job in jobs if not _is_of(job, by_name, digest)]
    mine = [job for job in jobs if job not in drop]
    over = [job for job in mine if _over(job)]
    # Whoever was killed may have taken its pods already: read again, without a log, it would put a sound node out.
    read = [job for job in over if not _was_read(by_name[_tested(job)], digest)]
    busy = {_tested(job) for job in mine}
    # Jobs that are dropped hold their GPUs until they are gone: they count.
    room = max(0, at_once - (len(jobs) - len(over)))
    waiting = [node for title, node in sorted(by_name.items()) if title not in busy and due(node, digest, requested)]
    # Those that are out come before those that run on and only prove themselves again.
    waiting.sort(key=is_in)
    drop += [job for job in over if job not in read]
    return Next(tuple(waiting[:room]), tuple(read), tuple(drop), len(mine) - len(over))


def due(node: Object, digest: str, requested: Collection[str] = ()) -> bool:
    """It was never tested on this foundation, or somebody asks for it by name and it is out.

    Never while it is cordoned: no job of ours would start on it, and whoever cordoned it is not done.
    """
    if is_cordoned(node):
        return False
    notes = annotations(node)
    if name_of(node) in requested and not is_in(node):
        return True
    if is_in(node):
        return notes.get(PROVEN_ON) != digest
    return notes.get(TESTED_ON) != digest or notes.get(PROVEN_ON) == digest


def is_in(node: Object) -> bool:
    """The queues may hand it out."""
    return labels(node).get(QUALIFIED) == "true"


def is_cordoned(node: Object) -> bool:
    """Somebody, or an operator, has closed it to new pods."""
    return bool(part(node, "spec").get("unschedulable"))


def is_out(node: Object) -> bool:
    """No queue hands it out, and nothing is left of an earlier test: it may be tested as it is."""
    return not is_in(node) and not {PROVEN_ON, TESTED_ON, REASON} & annotations(node).keys()


def state(node: Object) -> Case:
    """In the queues, or out and why."""
    reason = annotations(node).get(REASON)
    if is_in(node):
        return Case("qualified", name_of(node), "passed", "in the queues")
    if is_cordoned(node) and not reason:
        return Case("qualified", name_of(node), "unknown", "cordoned, so it is not tested: `bedplate node return`")
    return Case("qualified", name_of(node), "failed" if reason else "unknown", reason or "not tested yet: --qualify")


def out(node: Object) -> dict[str, Any]:
    """A patch that takes a node out of the queues while it is tested; nothing that runs on it is touched."""
    return _patch(node["metadata"]["uid"], {QUALIFIED: None}, {PROVEN_ON: None, TESTED_ON: None, REASON: None})


def refused(node: Object, digest: str, reason: str) -> dict[str, Any]:
    """A patch that takes a node out for what showed only between nodes."""
    notes = {PROVEN_ON: None, TESTED_ON: digest, REASON: reason[:LONGEST]}
    return _patch(node["metadata"]["uid"], {QUALIFIED: None}, notes)


def result(job: Object, cases: Sequence[Case]) -> dict[str, Any]:
    """A patch with what a test came to; it is refused if the node is another one by now."""
    notes = job["metadata"]["annotations"]
    digest, uid = notes[DIGEST_NOTE], notes[UID_NOTE]
    wrong = [f"{case.check}: {case.text}" for case in cases if case.status != "passed"]
    if wrong or not cases:
        reason = ("; ".join(wrong) or "nothing was checked")[:LONGEST]
        return _patch(uid, {QUALIFIED: None}, {PROVEN_ON: None, TESTED_ON: digest, REASON: reason})
    return _patch(uid, {QUALIFIED: "true"}, {PROVEN_ON: digest, TESTED_ON: digest, REASON: None})


def marked(job: Mapping[str, Any], node: Object, digest: str) -> dict[str, Any]:
    """A test's job that says what it tests."""
    metadata = job["metadata"]
    marks = {**labels(job), NODE_LABEL: name_of(node)}
    notes = {**annotations(job), UID_NOTE: node["metadata"]["uid"], DIGEST_NOTE: digest}
    return {**job, "metadata": {**metadata, "labels": marks, "annotations": notes}}


def gated(pools: Iterable[NodePool], nodes: Iterable[Object]) -> list[tuple[NodePool, Object]]:
    """Nodes of pools that have a gate."""
    with_gate = [pool for pool in pools if pool.gate]
    with_pool = ((_pool(with_gate, node), node) for node in nodes)
    return [(pool, node) for pool, node in with_pool if pool]


def _pool(pools: Sequence[NodePool], node: Object) -> NodePool | None:
    return next((pool for pool in pools if pool.selector.items() <= labels(node).items()), None)


def _is_of(job: Object, nodes: Mapping[str, Object], digest: str) -> bool:
    notes = annotations(job)
    node = nodes.get(_tested(job))
    same = node is not None and node["metadata"]["uid"] == notes.get(UID_NOTE)
    return same and notes.get(DIGEST_NOTE) == digest and not job["metadata"].get("deletionTimestamp")


def _was_read(node: Object, digest: str) -> bool:
    """What its last test came to is on it; before a test begins that is taken off."""
    return annotations(node).get(TESTED_ON) == digest


def _over(job: Object) -> bool:
    return is_true(job, "Complete") or is_true(job, "Failed")


def _tested(job: Object) -> str:
    return str(labels(job).get(NODE_LABEL, ""))


def _patch(uid: str, marks: Mapping[str, str | None], notes: Mapping[str, str | None]) -> dict[str, Any]:
    return {"metadata": {"uid": uid, "labels": dict(marks), "annotations": dict(notes)}}
