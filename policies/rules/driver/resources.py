"""What a container may write for devices and huge pages: Kubernetes counts them whole, and lends none out twice."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import Tree, dig, quantity, text, tree, whole

EXTENDED = re.compile(r"(?!([^/]*\.)?kubernetes\.io/)[^/]+/.+")
"""Names with a domain other than Kubernetes' own: IsExtendedResourceName."""
PAGES = re.compile(r"hugepages-(.+)")


def _faults(name: str, request: object, limit: object) -> Iterator[str]:
    """Why Kubernetes refuses the two amounts of one resource."""
    pages = PAGES.fullmatch(name)
    step = quantity(pages[1]) if pages else 1
    written = request if limit is None else limit
    amount = quantity(written)
    if step and amount is not None and amount % step:
        yield f"{name} is {written}, which is no multiple of {pages[1] if pages else 1}"
    elif limit is None:
        yield f"{name} is requested without a limit"
    elif request is not None and quantity(request) != quantity(limit):
        yield f"{name} is requested {request} times with a limit of {limit}"


@rule(
    "GPU-128",
    "Devices and huge pages are whole, and requests equal limits",
    MANDATORY,
    on=Pod,
    why="Kubernetes refuses the pod: such resources are counted in whole units and are never overcommitted",
    fix="Write the same whole number in limits and requests, or in limits alone; share GPUs by MIG or time slicing",
    source="kubernetes/kubernetes@v1.35.4 pkg/apis/core/validation; NVIDIA/k8s-device-plugin#154",
    proof="the container's own resources, which the API server's validation refuses",
)
def whole_and_equal(pod: Pod, _: Facts) -> Complaints:
    """Extended resources and huge pages have a limit, in whole devices or pages, and no other request."""
    for container in pod.all_containers if not (pod.completed or pod.partial) else ():
        requests, limits = (tree(dig(container, "resources", part)) for part in ("requests", "limits"))
        for name in sorted({*requests, *limits}) if whole(container.get("resources")) else ():
            if EXTENDED.fullmatch(name) or PAGES.fullmatch(name):
                for fault in _faults(name, requests.get(name), limits.get(name)):
                    edits = _limit(container, name) if fault.endswith("without a limit") else ()
                    yield Complaint(f"container {text(container.get('name'))}: {fault}", edits=edits)


def _limit(container: Tree, name: str) -> tuple[Edit, ...]:
    """The limit that Kubernetes asks for can only be the request."""
    resources = tree(container.get("resources"))
    amount = dig(resources, "requests", name)
    limits = tree(resources.get("limits"))
    return (Edit(limits, name, amount) if limits else Edit(resources, "limits", {name: amount}),)
