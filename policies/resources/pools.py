"""Which nodes a pod can land on, and whether several pods can be on one node."""

from collections.abc import Iterator

from bedplate.policies.facts import Facts, Pool, Taint
from bedplate.policies.resources.pod import Pod
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, text, tree, trees, whole

BLOCKING = {"NoSchedule", "NoExecute"}


def pools_of(pod: Pod, facts: Facts) -> tuple[Pool, ...]:
    """The GPU pools whose nodes carry every label that the pod selects by; none where a label is not known."""
    selector = tree(pod.spec.get("nodeSelector"))
    if pod.spec.get("nodeSelector") is UNKNOWN or UNKNOWN in selector.values() or pod.partial:
        return ()
    return tuple(pool for pool in facts.gpu_pools if all(_carries(pool, key, selector[key]) for key in selector))


def _carries(pool: Pool, key: str, value: object) -> bool:
    if key == "nvidia.com/gpu.product":
        return not pool.gpu_product or text(value).startswith(pool.gpu_product)
    return pool.labels.get(key, value) == value


def tolerated(taint: Taint, tolerations: list[Tree]) -> bool:
    """Whether one of the tolerations lets a pod onto a node with the taint."""
    return taint.effect not in BLOCKING or any(_tolerates(each, taint) for each in tolerations)


def _tolerates(toleration: Tree, taint: Taint) -> bool:
    key, effect = toleration.get("key"), toleration.get("effect")
    value = toleration.get("operator") == "Exists" or toleration.get("value", "") == (taint.value or "")
    return key in (None, "", taint.key) and effect in (None, "", taint.effect) and value


def untolerated(pool: Pool, tolerations: object) -> list[Taint]:
    """The pool's taints that keep a pod with these tolerations away."""
    known = trees(tolerations)
    return [taint for taint in pool.taints if not tolerated(taint, known)]


def outside(facts: Facts, name: object) -> bool:
    """Whether the profile keeps a pool out of the fabric, or may do so where its name is not known yet."""
    apart = {pool.name for pool in facts.pools if pool.nics_per_node == 0}
    return bool(apart) and (name is UNKNOWN or text(name) in apart)


HOST = "kubernetes.io/hostname"
LARGEST_NODE = 16
"""GPUs of the largest node that anybody sells: Google's a2-megagpu-16g, NVIDIA's DGX-2."""
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _terms(pod: Pod, affinity: str) -> Iterator[Tree]:
    found = dig(pod.spec, "affinity", affinity, REQUIRED)
    yield from trees(dig(found, "nodeSelectorTerms")) if affinity == "nodeAffinity" else trees(found)


def together(pod: Pod) -> bool:
    """Whether all pods of this template are held on one node, or whether that is not known."""
    place = [pod.spec.get("nodeName"), pod.spec.get("nodeSelector"), pod.spec.get("affinity")]
    if not whole(place):
        return True
    named = [each.get("key") for term in _terms(pod, "nodeAffinity") for each in trees(term.get("matchExpressions"))]
    beside = any(text(term.get("topologyKey")) == HOST for term in _terms(pod, "podAffinity"))
    return bool(pod.spec.get("nodeName") or dig(pod.spec, "nodeSelector", HOST) or HOST in named or beside)


def apart(pod: Pod, replicas: object, facts: Facts) -> bool:
    """Whether so many pods surely take more than one node: they keep apart, or need more GPUs than a node has."""
    if any(text(term.get("topologyKey")) == HOST for term in _terms(pod, "podAntiAffinity")):
        return (integer(replicas) or 1) > 1
    sizes = [pool.gpus_per_node for pool in pools_of(pod, facts)] or [LARGEST_NODE]
    return pod.gpus * (integer(replicas) or 1) > max(sizes)
