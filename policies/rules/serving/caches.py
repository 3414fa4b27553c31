"""What a server keeps beside its GPUs: whether it fits the container."""

from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.servers import command, number, plain, ranks, servers
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, quantity, text, trees, whole

GIB = 2**30
IN_MEMORY = ("--cpu_offload_gb", "--swap_space")
"""Options of vLLM that take as many GiB of the host's memory for each GPU."""
LMCACHE_MEMORY, LMCACHE_DISK, LMCACHE_FOLDER = (
    *("LMCACHE_MAX_LOCAL_CPU_SIZE", "LMCACHE_MAX_LOCAL_DISK_SIZE"),
    "LMCACHE_LOCAL_DISK",
)
"""GiB that LMCache keeps for each worker in memory and on disk, and where."""


def _variables(container: Tree) -> dict[str, object]:
    return {text(each.get("name")): each.get("value") for each in trees(container.get("env"))}


def _kept(pod: Pod, container: Tree) -> Iterator[tuple[str, int, str]]:
    """What each rank keeps: how it is told, GiB, and the resource that counts it."""
    for option in IN_MEMORY:
        yield option.replace("_", "-"), number(command(container), option) or 0, "memory"
    told = _variables(container)
    yield LMCACHE_MEMORY, integer(told.get(LMCACHE_MEMORY)) or 0, "memory"
    if not _elsewhere(pod, container, text(told.get(LMCACHE_FOLDER)).removeprefix("file://")):
        yield LMCACHE_DISK, integer(told.get(LMCACHE_DISK)) or 0, "ephemeral-storage"


def _elsewhere(pod: Pod, container: Tree, folder: str) -> bool:
    """Whether a folder is on a volume of its own: an emptyDir counts as the pod's storage."""
    over = [each for each in trees(container.get("volumeMounts")) if folder.startswith(text(each.get("mountPath")))]
    return any("emptyDir" not in pod.volumes.get(text(each.get("name")), {}) for each in over)


@rule("INF-621", ADVISORY, on=Workload)
def caches_fit(workload: Workload, _: Facts) -> Complaints:
    """What all ranks of a server keep in memory or on the node's disk is less than the container's limit."""
    for pod, container in servers(workload):
        for how, size, resource in _kept(pod, container) if plain(container) and whole(pod.spec) else ():
            limit = quantity(dig(container, "resources", "limits", resource))
            if limit and size * ranks(container) * GIB >= limit:
                what = f"{how} is {size} GiB for each of {ranks(container)} ranks"
                yield f"{what}, and the limit of {resource} is {limit / GIB:.0f} GiB"
