"""Placement groups for moto, which has none (5.2.5): create, describe and delete, by account and region.

Only what a launch template needs to refer to: names, strategy and partitions. It places nothing, and it does not know
capacity, so whether a group finds any is beyond these tests.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response


@dataclass(frozen=True)
class Group:
    """One placement group."""

    name: str
    strategy: str
    partitions: str

    def xml(self) -> str:
        """As EC2 answers."""
        partitions = f"<partitionCount>{self.partitions}</partitionCount>" if self.partitions else ""
        return (
            f"<groupName>{escape(self.name)}</groupName><strategy>{self.strategy}</strategy>"
            f"<state>available</state><groupId>pg-{abs(hash(self.name)):017x}</groupId>{partitions}"
        )


GROUPS: dict[tuple[str, str], dict[str, Group]] = defaultdict(dict)


def install() -> None:
    """Add the three calls; must happen before the server starts."""
    for call in (create_placement_group, describe_placement_groups, delete_placement_group):
        setattr(EC2Response, call.__name__, call)


def create_placement_group(self: Any) -> str:
    groups, name = _groups(self), _asked(self, "GroupName")
    if name in groups:
        raise EC2ClientError("InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists.")
    groups[name] = Group(name, _asked(self, "Strategy") or "cluster", _asked(self, "PartitionCount"))
    return _answer("CreatePlacementGroup", f"<placementGroup>{groups[name].xml()}</placementGroup>")


def describe_placement_groups(self: Any) -> str:
    groups = _groups(self)
    names = [value[0] for key, value in self.querystring.items() if key.startswith("GroupName.")] or list(groups)
    found = "".join(f"<item>{_known(groups, name).xml()}</item>" for name in names)
    return _answer("DescribePlacementGroups", f"<placementGroupSet>{found}</placementGroupSet>")


def delete_placement_group(self: Any) -> str:
    groups, name = _groups(self), _asked(self, "GroupName")
    del groups[_known(groups, name).name]
    return _answer("DeletePlacementGroup", "<return>true</return>")


def _groups(response: Any) -> dict[str, Group]:
    return GROUPS[response.current_account, response.region]


def _known(groups: dict[str, Group], name: str) -> Group:
    if name not in groups:
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
    return groups[name]


def _asked(response: Any, key: str) -> str:
    return response.querystring.get(key, [""])[0]


def _answer(call: str, body: str) -> str:
    space = "http://ec2.amazonaws.com/doc/2016-11-15/"
    return f'<{call}Response xmlns="{space}"><requestId>0</requestId>{body}</{call}Response>'
