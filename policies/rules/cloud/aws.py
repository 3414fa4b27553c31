"""AWS: placement groups, EFA interfaces, images."""

from collections import Counter
from collections.abc import Iterator

from bedplate.catalog.machines import like, of_type
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import outside
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, text, texts, trees, whole

EFA = {"efa", "efa-only"}
EVERYTHING = "-1"
ARM, ARM_IMAGE = "arm64", "AL2023_ARM_64_NVIDIA"


def _types(stack: Stack, template: Resource) -> list[str]:
    """Instance types that a launch template starts: its own, or those of the node groups that use it."""
    groups = [group for group in stack.of("NodeGroup") if template.urn in group.dependencies]
    named = [
        text(template.at("instanceType")),
        *(name for group in groups for name in texts(group.at("instanceTypes"))),
    ]
    return sorted(set(filter(None, named)))


def _interfaces(template: Resource) -> list[Tree]:
    return trees(template.at("networkInterfaces"))


def _efa(template: Resource) -> list[Tree]:
    return [each for each in _interfaces(template) if each.get("interfaceType") in EFA]


def _templates_of(stack: Stack, group: Resource) -> Iterator[Resource]:
    name = text(group.at("launchTemplate", "name"))
    for template in stack.of("LaunchTemplate"):
        if template.urn in group.dependencies or (name and name == template.object_name):
            yield template


def _clustered(stack: Stack, template: Resource) -> bool:
    """Whether a template places its instances in a cluster placement group, or must because of EFA."""
    name = text(template.at("placement", "groupName"))
    groups = [resource for resource in stack.of("PlacementGroup") if resource.at("strategy") == "cluster"]
    linked = any(resource.urn in template.dependencies or resource.object_name == name for resource in groups)
    return linked or bool(_efa(template))


@rule("CLD-801", MANDATORY, on=Stack)
def one_zone(stack: Stack) -> Complaints:
    """Node groups with a cluster placement group or EFA have one subnet, so one zone."""
    zones = {resource.object_name: text(resource.at("availabilityZone")) for resource in stack.of("Subnet")}
    if "" in zones.values():
        return
    for group in stack.of("NodeGroup", "Group"):
        subnets = group.at("subnetIds") or group.at("vpcZoneIdentifiers")
        names = set(texts(subnets))
        placed = len({zones.get(name, name) for name in names})
        if placed > 1 and any(_clustered(stack, template) for template in _templates_of(stack, group)):
            yield Complaint(f"has {placed} subnets and a cluster placement group or EFA", about=group)


@rule("CLD-802", MANDATORY, on=Stack)
def placed_together(stack: Stack) -> Complaints:
    """Templates with EFA name a placement group of their own, whose strategy is cluster without partitions.

    Not with a reservation: a Capacity Block stands together anyway, and a group of ours finds no capacity that was
    reserved outside it (terraform-aws-modules/terraform-aws-eks#3730).
    """
    users: Counter[str] = Counter()
    for template in stack.of("LaunchTemplate"):
        placement = template.at("placement")
        if not _efa(template) or not whole(placement):
            users.update(_linked(stack, template))
            continue
        named = text(dig(placement, "groupName")) or _linked(stack, template)
        if not named and not _reserved(template):
            yield Complaint("has EFA interfaces and no placement group", about=template)
        users.update(_linked(stack, template))
    for group in stack.of("PlacementGroup"):
        strategy = text(group.at("strategy"))
        if users[group.urn] and strategy not in ("", "cluster"):
            yield Complaint(f"strategy is {strategy} for nodes with EFA", about=group)
        if strategy == "cluster" and group.at("partitionCount") not in (None, UNKNOWN):
            yield Complaint("partitionCount is set with strategy cluster", "Remove partitionCount", about=group)
        if users[group.urn] > 1:
            yield Complaint(f"{users[group.urn]} launch templates share it", about=group)


def _reserved(template: Resource) -> bool:
    """The instances come from a capacity reservation, whatever its name turns out to be."""
    target = template.at("capacityReservationSpecification", "capacityReservationTarget")
    return target is UNKNOWN or bool(target)


def _linked(stack: Stack, template: Resource) -> list[str]:
    name = text(template.at("placement", "groupName"))
    groups = stack.of("PlacementGroup")
    return [
        resource.urn
        for resource in groups
        if resource.urn in template.dependencies or (name and resource.object_name == name)
    ]


def _places(template: Resource) -> Counter[tuple[int, int]]:
    return Counter(
        (integer(each.get("networkCardIndex")) or 0, integer(each.get("deviceIndex")) or 0)
        for each in _interfaces(template)
    )


@rule("CLD-803", MANDATORY, on=Stack)
def efa_interfaces(stack: Stack) -> Complaints:
    """The launch template of an EFA type attaches all its interfaces, each at a card and index of its own.

    The first interface carries IP as well, so it is not efa-only, and the security group admits itself. Nodes that the
    profile keeps out of the fabric, such as those of servers within one node, need none.
    """
    for template in stack.of("LaunchTemplate"):
        machines = filter(None, map(of_type, _types(stack, template)))
        expected = {machine.efa for machine in machines if machine.efa}
        if not whole(template.at("networkInterfaces")) or not expected:
            continue
        if len(_efa(template)) not in expected and not _outside(stack, template):
            what = f"has {len(_efa(template))} EFA interfaces, {_types(stack, template)[0]} has {max(expected)}"
            yield Complaint(what, about=template)
        yield from _misplaced(stack, template)
    yield from _closed_groups(stack)


def _outside(stack: Stack, template: Resource) -> bool:
    """Without EFA, and the profile says that the nodes have no part in a fabric."""
    names = [group.at("nodeGroupName") for group in stack.of("NodeGroup") if template.urn in group.dependencies]
    return not _efa(template) and bool(names) and all(outside(stack.facts, name) for name in names)


def _misplaced(stack: Stack, template: Resource) -> Complaints:
    twice = [place for place, count in _places(template).items() if count > 1]
    if twice:
        card, device = twice[0]
        yield Complaint(f"has two interfaces at network card {card}, device {device}", about=template)
    for each in _efa(template):
        card, device = integer(each.get("networkCardIndex")) or 0, integer(each.get("deviceIndex")) or 0
        if (card, device) == (0, 0) and each.get("interfaceType") == "efa-only":
            yield Complaint("the first interface is efa-only and carries no IP", about=template)
        if card == 0 and any(machine.ena_card for machine in filter(None, map(of_type, _types(stack, template)))):
            yield Complaint("has EFA on network card 0, which carries ENA only", about=template)


def _closed_groups(stack: Stack) -> Complaints:
    fabric = [template for template in stack.of("LaunchTemplate") if _efa(template)]
    for group in stack.of("SecurityGroup"):
        if not any(group.urn in template.dependencies for template in fabric) or not whole(group.props):
            continue
        separate = stack.of("SecurityGroupIngressRule", "SecurityGroupEgressRule", "SecurityGroupRule")
        if any(group.urn in each.dependencies for each in separate):
            continue
        for direction in ("ingress", "egress"):
            rules = [each for each in trees(group.at(direction)) if text(each.get("protocol")) == EVERYTHING]
            if not any(_open(each, direction) for each in rules):
                yield Complaint(f"{direction} does not admit all traffic of the group itself", about=group)


def _open(each: Tree, direction: str) -> bool:
    anywhere = direction == "egress" and "0.0.0.0/0" in texts(each.get("cidrBlocks"))
    return each.get("self") is True or anywhere


def _has_gpus(group: Resource) -> bool:
    return any(map(like, texts(group.at("instanceTypes"))))


@rule("CLD-804", MANDATORY, on=Stack)
def image_with_driver(stack: Stack) -> Complaints:
    """The image brings the driver, unless the GPU operator does; Amazon Linux 2 ended in November 2025."""
    operators = [release.switch("driver", "enabled", default=True) for release in stack.releases("gpu-operator")]
    off = bool(operators) and all(each is False for each in operators)
    for group in stack.of("NodeGroup"):
        image = text(group.at("amiType"))
        if image.startswith("AL2_"):
            yield Complaint(f"amiType {image} is Amazon Linux 2", about=group)
        elif image.endswith("_STANDARD") and _has_gpus(group) and off:
            yield Complaint(f"amiType {image} has no driver and the operator's is off", about=group)
        arm = sorted({each.gpu for name in texts(group.at("instanceTypes")) for each in like(name) if each.arch == ARM})
        if image and arm and image != ARM_IMAGE:
            yield Complaint(f"amiType {image} on {arm[0]}", about=group)
