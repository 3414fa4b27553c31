"""Whether routes lead to a Service that is there, and to a port that it has."""

from collections.abc import Iterator

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, text, tree, trees, whole

ROUTES = ("HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute")


def _backends(route: Resource) -> Iterator[tuple[str, object]]:
    """The Services of a route or an Ingress in its own namespace, each with the port that it names."""
    for rule_ in trees(route.spec.get("rules")):
        for each in trees(rule_.get("backendRefs")):
            if each.get("kind") in (None, "Service") and each.get("namespace") in (None, route.namespace):
                yield text(each.get("name")), each.get("port")
        for path in trees(dig(rule_, "http", "paths")):
            yield from _of_ingress(tree(path.get("backend")))
    yield from _of_ingress(tree(route.spec.get("defaultBackend")))


def _of_ingress(backend: Tree) -> Iterator[tuple[str, object]]:
    service = tree(backend.get("service"))
    if service:
        yield text(service.get("name")), dig(service, "port", "number") or dig(service, "port", "name")


@rule("NET-229", ADVISORY, on=Stack)
def routes_lead_somewhere(stack: Stack) -> Complaints:
    """Judged where the Service stands beside the route, in its namespace."""
    for route in stack.of(*ROUTES, "Ingress"):
        for name, port in _backends(route) if whole(route.spec) else ():
            service = stack.find("Service", name, route.namespace)
            if service is None or not stack.deployed_together(service, route) or not whole(service.props):
                continue
            ports = trees(service.spec.get("ports"))
            numbers, names = {integer(each.get("port")) for each in ports}, {text(each.get("name")) for each in ports}
            wrong = integer(port) not in numbers if integer(port) is not None else text(port) not in names
            if port is not None and ports and wrong:
                yield Complaint(f"leads to the port {port} of Service {name}, which it does not have", about=route)
