"""Whether the pods of a workload can be on one node: what is right there may be wrong over two."""

from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.values import Tree, dig, integer, text, trees, whole

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
