"""What is wrong with nodes and operands, in words for whoever has to mend them. API objects in, faults out."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.components.quantity import amount

Objects = Sequence[Mapping[str, Any]]
SHOWN = 12
"""Nodes that a message names; with hundreds the first tell the tale."""


class Pools:
    """Pools with too few whole nodes, kept up to date node by node: a change costs one node, however many there are."""

    def __init__(self, pools: Objects) -> None:
        self._pools = pools
        self._nodes: dict[str, tuple[str, Mapping[str, list[str]]]] = {}
        """By uid: its name, and what is wrong with it as one of each pool that it is of."""
        self._whole = Counter[str]()

    def see(self, uid: str, one: Mapping[str, Any] | None) -> None:
        """The node is so from now on; None: it is gone."""
        _, before = self._nodes.pop(uid, ("", {}))
        self._whole.subtract(pool for pool, wrong in before.items() if not wrong)
        if one is not None:
            mine = [
                pool for pool in self._pools if (pool["selector"].items() <= one["metadata"].get("labels", {}).items())
            ]
            now = {str(pool["name"]): list(node_faults(pool, one)) for pool in mine}
            self._nodes[uid] = str(one["metadata"]["name"]), now
            self._whole.update(pool for pool, wrong in now.items() if not wrong)

    def faults(self) -> Iterator[str]:
        """A paragraph for each pool that is short; its last line names nodes that no pool claims."""
        short = [pool for pool in self._pools if self._whole[str(pool["name"])] < pool["required"]]
        for pool in short:
            yield from self._paragraph(pool)
        strays = sorted(name for name, pools in self._nodes.values() if not pools) if short else []
        if strays and any(len(self._of(pool)) < pool["required"] for pool in short):
            yield f"nodes that carry no pool's labels: {_some(strays)}"

    def _paragraph(self, pool: Mapping[str, Any]) -> Iterator[str]:
        whole, required = self._whole[str(pool["name"])], int(pool["required"])  # the engine's are all floats
        yield f"pool {pool['name']}: {whole} of {int(pool['nodes'])} nodes are whole, {required} must be"
        mine = self._of(pool)
        if len(mine) < required:
            labels = ", ".join(f"{key}={value}" for key, value in pool["selector"].items())
            yield f"  {len(mine)} nodes carry its labels ({labels})"
        broken = [f"  {name}: {'; '.join(wrong)}" for name, wrong in sorted(mine.items()) if wrong]
        yield from broken[:SHOWN]
        if len(broken) > SHOWN:
            yield f"  and {len(broken) - SHOWN} more"

    def _of(self, pool: Mapping[str, Any]) -> dict[str, list[str]]:
        """What is wrong with each node of the pool, by name."""
        return {name: pools[pool["name"]] for name, pools in self._nodes.values() if pool["name"] in pools}


def node_faults(pool: Mapping[str, Any], node: Mapping[str, Any]) -> Iterator[str]:
    """What a node lacks of what each node of its pool must have."""
    conditions = {one["type"]: one["status"] for one in node["status"].get("conditions", ())}
    if conditions.get("Ready") != "True":
        yield "is not Ready"
    allocatable = node["status"].get("allocatable", {})
    for label in pool.get("labels", ()):
        if label not in node["metadata"].get("labels", {}):
            yield f"lacks the label {label}"
    for name, desired in pool["each"].items():
        found = allocatable.get(name, "0")
        if amount(found) < amount(desired):
            yield f"has {found} of {desired} {name}"


def late_operands(policies: Objects, spare: int, operands: Objects) -> list[str]:
    """DaemonSets of these policies that run another image than the policy names, or that have not rolled out."""
    owners = {policy["metadata"]["uid"]: tags(policy["spec"]) for policy in policies}
    return [
        f"{operand['metadata']['name']}: {fault}"
        for operand in operands
        for owner in operand["metadata"].get("ownerReferences", ())
        if owner["uid"] in owners
        for fault in _operand_faults(operand, owners[owner["uid"]], spare)
    ]


def _operand_faults(operand: Mapping[str, Any], named: Mapping[str, set[str]], spare: int) -> Iterator[str]:
    for image in _images(operand):
        name, tag = split(image)
        if name in named and not any(_is(tag, allowed) for allowed in named[name]):
            yield f"runs {image}, its policy names {' or '.join(sorted(named[name]))}"
    status = operand.get("status", {})
    if status.get("observedGeneration", 0) < operand["metadata"].get("generation", 0):
        yield "its change has not been seen yet"
        return
    desired = status.get("desiredNumberScheduled", 0)
    for what, key in (("run its present form", "updatedNumberScheduled"), ("are available", "numberAvailable")):
        if status.get(key, 0) < desired - spare:
            yield f"{status.get(key, 0)} of {desired} pods {what}"


def _is(tag: str, named: str) -> bool:
    """Whether it is the tag that the policy names; a driver's has the node's system behind it: `580.95-ubuntu24.04`."""
    return tag == named or tag.startswith(f"{named}-")


def _images(operand: Mapping[str, Any]) -> Iterator[str]:
    pod = operand["spec"]["template"]["spec"]
    yield from dict.fromkeys(one["image"] for one in (*pod.get("initContainers", ()), *pod["containers"]))


def tags(part: Mapping[str, Any]) -> dict[str, set[str]]:
    """Tags or digests by image, of every part of a policy that names a repository, an image and a version."""
    found: dict[str, set[str]] = {}
    if all(part.get(key) for key in ("repository", "image", "version")):
        found[f"{part['repository']}/{part['image']}"] = {str(part["version"])}
    for below in part.values():
        for name, versions in (tags(below) if isinstance(below, dict) else {}).items():  # pyright: ignore[reportUnknownArgumentType]
            found[name] = found.get(name, set()) | versions
    return found


def split(image: str) -> tuple[str, str]:
    """Name, and tag or digest."""
    name, at, digest = image.partition("@")
    if at:
        return name.rpartition(":")[0] if ":" in name.rpartition("/")[2] else name, digest
    head, slash, last = image.rpartition("/")
    last, _, tag = last.partition(":")
    return f"{head}{slash}{last}", tag


def _some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + rest
