"""Whether routes, and pools of model servers, lead to what is there, and to a port that it has."""

from collections.abc import Iterator

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, text, tree, trees, whole

ROUTES = ("HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute")
PICKERS = ("endpointPickerRef", "extensionRef")
"""Where an InferencePool names the Service that chooses among its servers, in v1 and before."""


def _backends(route: Resource) -> Iterator[tuple[str, object]]:
    """The Services of a route or an Ingress in its own namespace, each with the port that it names."""
    for rule_ in trees(route.spec.get("rules")):
        for each in trees(rule_.get("backendRefs")):
            if each.get("kind") in (None, "Service") and each.get("namespace") in (None, route.namespace):
                yield text(each.get("name")), each.get("port")
        for path in trees(dig(rule_, "http", "paths")):
            yield from _of_ingress(tree(path.get("backend")))
    yield from _of_ingress(tree(route.spec.get("defaultBackend")))
    for picker in (tree(route.spec.get(key)) for key in PICKERS):
        if picker.get("kind") in (None, "Service"):
            yield text(picker.get("name")), dig(picker, "port", "number") or picker.get("portNumber")


def _elsewhere(stack: Stack, route: Resource) -> Iterator[str]:
    """What a route names in an API group in which it is not."""
    for each in (each for rule_ in trees(route.spec.get("rules")) for each in trees(rule_.get("backendRefs"))):
        kind, name, group = (text(each.get(key)) for key in ("kind", "name", "group"))
        found = [one for one in stack.of(kind) if (one.object_name, one.namespace) == (name, route.namespace)]
        if group and found and group not in {one.group for one in found} and each.get("namespace") is None:
            yield f"leads to {kind} {name} of the API group {group}, and it is of {found[0].group}"


def _of_ingress(backend: Tree) -> Iterator[tuple[str, object]]:
    service = tree(backend.get("service"))
    if service:
        yield text(service.get("name")), dig(service, "port", "number") or dig(service, "port", "name")


@rule("NET-229", ADVISORY, on=Stack)
def routes_lead_somewhere(stack: Stack) -> Complaints:
    """Judged where the Service, or the other object, stands beside the route, in its namespace."""
    for route in stack.of(*ROUTES):
        yield from (Complaint(said, about=route) for said in _elsewhere(stack, route) if whole(route.props))
    for route in stack.of(*ROUTES, "Ingress", "InferencePool"):
        for name, port in _backends(route) if whole(route.spec) else ():
            service = stack.find("Service", name, route.namespace)
            if service is None or not stack.deployed_together(service, route) or not whole(service.props):
                continue
            ports = trees(service.spec.get("ports"))
            numbers, names = {integer(each.get("port")) for each in ports}, {text(each.get("name")) for each in ports}
            wrong = integer(port) not in numbers if integer(port) is not None else text(port) not in names
            if port is not None and ports and wrong:
                yield Complaint(f"leads to the port {port} of Service {name}, which it does not have", about=route)
