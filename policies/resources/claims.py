"""Dynamic resource allocation: what the claims of pods bring.

Source: Kubernetes documentation on dynamic resource allocation, `resource.k8s.io/v1` and its betas.
"""

from collections.abc import Iterable, Iterator

from bedplate.policies.resources.model import Resource
from bedplate.policies.values import Tree, dig, integer, text, tree, trees

GPU_CLASSES = {"gpu.nvidia.com"}
"""Device classes of whole GPUs of NVIDIA's driver; those of slices are others."""


def requests(template: Resource) -> Iterator[tuple[str, int]]:
    """Device class and count of each request of a claim or of its template; alternatives count as their first."""
    spec = tree(template.spec.get("spec")) or template.spec
    for request in trees(dig(spec, "devices", "requests")):
        options = trees(request.get("firstAvailable"))
        exact = tree(request.get("exactly")) or (options[0] if options else request)
        yield text(exact.get("deviceClassName")), _count(exact)


def _count(request: Tree) -> int:
    return 0 if request.get("allocationMode") == "All" else integer(request.get("count")) or 1


def claimed_devices(resources: Iterable[Resource]) -> dict[tuple[str, str], int]:
    """GPUs that each claim template asks for, by namespace and name."""
    templates = (resource for resource in resources if resource.kind == "ResourceClaimTemplate")
    return {
        (resource.namespace, resource.object_name): sum(
            count for name, count in requests(resource) if name in GPU_CLASSES
        )
        for resource in templates
    }
