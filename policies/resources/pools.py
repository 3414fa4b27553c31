"""Which nodes a pod can land on."""

from bedplate.policies.facts import Facts, Pool, Taint
from bedplate.policies.resources.pod import Pod
from bedplate.policies.values import UNKNOWN, Tree, text, tree, trees

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
