"""What a container may write for devices and huge pages: Kubernetes counts them whole, and lends none out twice."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import MANDATORY, Complaints, rule
from bedplate.policies.values import dig, quantity, text, tree, whole

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


@rule("GPU-128", MANDATORY, on=Pod)
def whole_and_equal(pod: Pod, _: Facts) -> Complaints:
    """Extended resources and huge pages have a limit, in whole devices or pages, and no other request."""
    for container in pod.all_containers if not (pod.completed or pod.partial) else ():
        requests, limits = (tree(dig(container, "resources", part)) for part in ("requests", "limits"))
        for name in sorted({*requests, *limits}) if whole(container.get("resources")) else ():
            if EXTENDED.fullmatch(name) or PAGES.fullmatch(name):
                for fault in _faults(name, requests.get(name), limits.get(name)):
                    yield f"container {text(container.get('name'))}: {fault}"
