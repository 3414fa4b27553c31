"""What teams may request, as the plan declares it: theirs by the queue, and the most by the quota."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

GPU = "nvidia.com/"
NOT_GPU = "nvidia.com/rdma"
"""Of NVIDIA's vendor domain, and an interface (k8s-rdma-shared-dev-plugin, sriov-network-device-plugin)."""


@dataclass(frozen=True)
class Quota:
    """Of one team and one kind of GPU."""

    team: str
    resource: str
    own: int | None
    """What its queue gives it for certain; None where no queue says so."""
    most: int
    """With what others lend it."""


def quotas(resources: list[Mapping[str, Any]]) -> list[Quota]:
    """Every team's GPUs, in the plan's order of teams."""
    queues = dict(_queues(resources))
    return [
        Quota(team, name, queues.get((team, name)), amount)
        for team, hard in _hard(resources)
        for name, amount in sorted(hard.items())
    ]


def _hard(resources: list[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, int]]]:
    for resource in resources:
        if resource["type"].endswith(":ResourceQuota"):
            limits: Mapping[str, str] = resource["inputs"]["spec"]["hard"]
            named = {name.removeprefix("requests."): amount for name, amount in limits.items()}
            yield (
                resource["inputs"]["metadata"]["namespace"],
                {name: int(n) for name, n in named.items() if is_gpu(name)},
            )


def _queues(resources: list[Mapping[str, Any]]) -> Iterator[tuple[tuple[str, str], int]]:
    for resource in resources:
        spec: Mapping[str, Any] = resource["inputs"].get("spec") or {}
        if resource["type"].endswith(":ClusterQueue"):
            yield from _of_kueue(spec)
        elif resource["type"].endswith(":Queue"):  # Volcano's; KAI's has no numbers of devices by name
            team = resource["inputs"]["metadata"]["name"]
            deserved: Mapping[str, str] = spec.get("deserved") or {}
            yield from (((team, name), int(n)) for name, n in deserved.items() if is_gpu(name))


def _of_kueue(spec: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], int]]:
    selector: Mapping[str, Any] = spec.get("namespaceSelector") or {}
    labels: Mapping[str, str] = selector.get("matchLabels") or {}
    team = labels.get("kubernetes.io/metadata.name", "")
    total = dict[str, int]()
    flavors = (flavor for group in spec.get("resourceGroups") or () for flavor in group["flavors"])
    for item in (item for flavor in flavors for item in flavor["resources"] if is_gpu(item["name"])):
        total[item["name"]] = total.get(item["name"], 0) + int(item["nominalQuota"])
    yield from (((team, name), amount) for name, amount in total.items())


def is_gpu(name: str) -> bool:
    """`nvidia.com/gpu`, its shared kind, and slices of MIG."""
    return name.startswith(GPU) and not name.startswith(NOT_GPU)
