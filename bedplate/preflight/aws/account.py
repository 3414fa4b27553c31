"""What AWS answered, as the checks read it."""

from datetime import UTC, datetime

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import NodePool
from bedplate.preflight.aws.questions import group_question
from bedplate.preflight.known import Item, Known


class Account(Known[AwsCloud]):
    """An AWS account in one region, at one moment, and what is wanted of it."""

    @property
    def instances(self) -> list[Item]:
        """All that run or start."""
        return [
            instance
            for group in self.one("instances").get("Reservations", [])
            for instance in group.get("Instances", [])
        ]

    @property
    def reservations(self) -> dict[str, Item]:
        """By their id: On-Demand Capacity Reservations and Capacity Blocks."""
        return {row["CapacityReservationId"]: row for row in self.one("reservations").get("CapacityReservations", [])}

    @property
    def cluster_name(self) -> str:
        """What EKS calls the cluster."""
        return self.section.cluster.name or self.facts.cluster

    @property
    def vpc(self) -> str | None:
        """The cluster's network; None where nobody says."""
        if create := self.section.cluster.create:
            return create.vpc
        described: Item = self.one("cluster").get("cluster", {}) if self.knows("cluster") else {}
        return described.get("resourcesVpcConfig", {}).get("vpcId")

    def running(self, pool: NodePool) -> int:
        """Nodes of the pool that are there already; EKS marks them with its own tags."""
        ours = {"eks:cluster-name": self.cluster_name, "eks:nodegroup-name": pool.name}
        return sum(ours.items() <= tags(instance).items() for instance in self.instances)

    def lacking(self, pool: NodePool) -> int:
        """Nodes that are still to come, when all are there that an autoscaler may add."""
        return max(0, pool.most - self.running(pool))

    def in_group(self, arn: str) -> list[str]:
        """Ids of a resource group's reservations."""
        resources = self.one(group_question(arn))
        new = [resource["Identifier"] for resource in resources.get("Resources", []) if "Identifier" in resource]
        arns = [resource.get("ResourceArn", "") for resource in (*new, *resources.get("ResourceIdentifiers", []))]
        return list(dict.fromkeys(resource_arn.rpartition("/")[2] for resource_arn in arns))


def tags(item: Item) -> dict[str, str]:
    """Of any resource."""
    return {tag["Key"]: tag["Value"] for tag in item.get("Tags", [])}


def moment(value: object) -> datetime | None:
    """A time of AWS's: text in JSON, a datetime from an SDK; None where there is none."""
    if value is None or isinstance(value, datetime):
        return value
    parsed = datetime.fromisoformat(str(value))
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
