"""What is short in an account is named by name, count and zone; of an account that has all, nothing is said."""

import copy
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from bedplate.preflight.ask import Answer
from bedplate.preflight.asked import judged, of, unanswered
from bedplate.preflight.finding import Finding
from bedplate.stacks.load import load
from tests import cloud_accounts as account
from tests.cloud_accounts import Account, good
from tests.cloud_profiles import AWS_CAPACITIES, GCP_CAPACITIES, eks, gke

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
GROUP = {"kind": "odcr", "group": f"arn:aws:resource-groups:us-east-2:{account.OWNER}:group/bought"}
CPU: dict[str, Any] = {
    "name": "cpu",
    "shape": {"cpus": 16, "memoryGib": 64},
    "instanceType": "m7i.4xlarge",
    "zone": None,
    "zones": ["us-east-2a", "us-east-2b"],
}
NEW = {"create": {"vpc": account.VPC, "zones": ["us-east-2a", "us-east-2b"]}}


def p5(capacity: str = "on-demand", nodes: int = 4, **more: Any) -> dict[str, Any]:
    chosen = {"group": GROUP, "spot": {"kind": "spot"}, **AWS_CAPACITIES}[capacity]
    return eks({"name": "p5", "shape": "p5.48xlarge", "nodes": nodes, "capacity": chosen, **more})


def mega(capacity: str = "on-demand", shape: str = "a3-megagpu-8g", fabric: str = "tcpxo") -> dict[str, Any]:
    pool = {"name": "gpu", "shape": shape, "nodes": 4, "capacity": GCP_CAPACITIES[capacity]}
    return gke(pool, fabric=fabric)


def without_efa(**more: Any) -> dict[str, Any]:
    """A new cluster's own stack, with a system pool and nothing that needs GPUs."""
    made = eks(CPU, fabric={"kind": "none"}, **more)
    return {key: value for key, value in made.items() if key not in ("efaDevicePlugin", "existingDevicePlugin")}


def l4(**more: Any) -> dict[str, Any]:
    return gke({"name": "l4", "shape": "g2-standard-48", "nodes": 2, **more}, fabric="none")


TEAM = {"tenancy": {"teams": [{"name": "research"}]}}


def findings(profile: dict[str, Any], answers: Mapping[str, Any]) -> list[Finding]:
    loaded = load(profile)
    asked = {name: Answer(answers[name]) for name in of(loaded)}
    return [*unanswered(of(loaded), asked), *judged(loaded, asked, NOW)]


def with_running(answers: Account, *instances: Mapping[str, Any]) -> Account:
    return {**answers, "instances": account.running(*instances)}


OWN = [account.instance("p5.48xlarge", 192, cluster="test", nodegroup="p5")] * 4

GOOD: dict[str, tuple[dict[str, Any], Callable[[Account], Account]]] = {
    "on demand within the quota": (p5(), dict),
    "a reservation": (p5("odcr"), dict),
    "a reservation in its placement group": (p5("odcr-in-group"), dict),
    "a capacity block with days left": (
        p5("capacity-block"),
        lambda a: change(a, "reservations.CapacityReservations.0.EndDate", "2026-12-01T11:30:00+00:00"),
    ),
    "spot within its own quota": (p5("spot"), lambda a: change(a, "quotas.Quotas.0.Value", 0.0)),
    "a group of two reservations": (p5("group"), dict),
    "nodes that run already, by a quota and a block that are used up": (
        p5(),
        lambda a: with_running({**a, "quotas": {"Quotas": [account.quota("L-417A185B", 768)]}}, *OWN),
    ),
    "the pool's own nodes in its reservation": (
        p5("odcr"),
        lambda a: with_running(change(a, "reservations.CapacityReservations.0.AvailableInstanceCount", 0), *OWN),
    ),
    "others' blocks and spot, which no quota on demand counts": (
        p5(),
        lambda a: with_running(
            {**a, "quotas": {"Quotas": [account.quota("L-417A185B", 768)]}},
            *({**account.instance("p5.48xlarge", 192), "InstanceLifecycle": one} for one in ("spot", "capacity-block")),
        ),
    ),
    "three families over two zones": (
        eks({"name": "p5", "shape": "p5.48xlarge"}, {"name": "l4", "shape": "g6.12xlarge"}, CPU),
        dict,
    ),
    "a cluster of ours that is not there yet": (
        without_efa(cloud={"kind": "aws", "region": "us-east-2", "cluster": NEW}),
        dict,
    ),
    "TCPXO on demand": (mega(), dict),
    "a block of a shared reservation": (mega("reservation"), dict),
    "a reservation with its placement policy": (mega("reservation-with-policy"), dict),
    "L4 with a metric of the region": (l4(), dict),
    "a node pool that is there and fills its reservation": (
        mega("reservation-with-policy"),
        lambda a: change(
            change(a, "reservations example-project.0.specificReservation.inUseCount", "4"),
            "cluster.nodePools.0.name",
            "gpu",
        ),
    ),
}


def change(answers: Account, path: str, value: Any) -> Account:
    """A copy with one field set; None takes it away."""
    made = copy.deepcopy(answers)
    *way, key = path.split(".")
    place: Any = made
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    if isinstance(place, list):
        place[int(key)] = value
    elif value is None:
        place.pop(key)
    else:
        place[key] = value
    return made


@pytest.mark.parametrize("name", GOOD)
def test_of_an_account_that_has_all_nothing_is_said(name: str) -> None:
    profile, adapt = GOOD[name]
    assert list(map(str, findings(profile, adapt(good(load(profile)))))) == []


RESERVED = "reservations.CapacityReservations.0"
SHARED = "reservations shared.0"
OURS = "reservations example-project.0"
PLANTED: tuple[tuple[dict[str, Any], str, Any, tuple[str, ...]], ...] = (
    # profile, field, its value, and what must be said
    (p5(), "account", {"Account": "999999999999"}, ()),
    (p5(), "cluster.cluster.status", "UPDATING", ("EKS cluster test", "UPDATING")),
    (p5(), "cluster.cluster.version", "1.33", ("Kubernetes", "1.34 needed", "1.33 there")),
    (p5(), "offers.InstanceTypeOfferings.0.Location", "us-east-2b",
     ("p5", "p5.48xlarge", "us-east-2a", "4 of it", "use us-east-2b")),
    (p5(), "quotas.Quotas.0.Value", 384.0,
     ("p5", "Running On-Demand P instances", "us-east-2", "768 vCPUs needed", "384 left of 384", "L-417A185B")),
    (p5(nodes=2, autoscale={"max": 8}), "quotas.Quotas.0.Value", 768.0, ("1,536 vCPUs needed", "768 left of 768")),
    (p5(), "instances", account.running(*[account.instance("p5en.48xlarge", 192)] * 20),
     ("768 vCPUs needed", "256 left of 4,096", "ask Service Quotas for 4,608")),
    (p5(), "reservations.CapacityReservations",
     [{**account.reservation("cr-0fff0000000000000", account.facts(load(p5())).own_pools[0]), **account.counts(20)}],
     ("768 vCPUs needed", "256 left of 4,096")),
    (p5("spot"), "quotas.Quotas.3.Value", 192.0, ("p5", "All P5 Spot Instance Requests", "768 vCPUs needed", "192 left")),
    (eks({"name": "l4", "shape": "g6.12xlarge"}), "quotas.Quotas.1.Value", 48.0,
     ("l4", "Running On-Demand G and VT instances", "96 vCPUs needed", "48 left of 48")),
    (p5("odcr"), "reservations.CapacityReservations", [],
     ("p5", "cr-0123456789abcdef0", "us-east-2", "4 machines needed", "no such reservation")),
    (p5("odcr"), f"{RESERVED}.AvailableInstanceCount", 3,
     ("p5", "cr-0123456789abcdef0", "us-east-2a", "4 machines needed", "3 of its 4 are free")),
    (p5("odcr"), f"{RESERVED}.InstanceType", "p5en.48xlarge", ("machine", "p5.48xlarge needed", "it has p5en.48xlarge")),
    (p5("odcr"), f"{RESERVED}.AvailabilityZone", "us-east-2c", ("zone", "us-east-2a needed", "it has us-east-2c")),
    (p5("odcr"), f"{RESERVED}.InstancePlatform", "Windows", ("platform", "Linux/UNIX needed", "it has Windows")),
    (p5("odcr"), f"{RESERVED}.Tenancy", "dedicated", ("tenancy", "default needed", "it has dedicated")),
    (p5("odcr"), f"{RESERVED}.State", "expired", ("cr-0123456789abcdef0: state", "us-east-2a", "it is expired")),
    (p5("odcr"), f"{RESERVED}.PlacementGroupArn", f"{account.PLACEMENT}bought-together",
     ("placement group", "none needed", "it has bought-together")),
    (p5("odcr-in-group"), f"{RESERVED}.PlacementGroupArn", None,
     ("placement group", "bought-together needed", "it has none")),
    (p5("odcr-in-group"), "placement.PlacementGroups", [], ("placement group bought-together", "no such group")),
    (p5("odcr-in-group"), "placement.PlacementGroups.0.Strategy", "spread", ("an available cluster group", "spread")),
    (p5("capacity-block"), f"{RESERVED}.ReservationType", "default",
     ("kind", "Capacity Block needed", "it has On-Demand Capacity Reservation")),
    (p5("capacity-block"), f"{RESERVED}.State", "scheduled",
     ("cr-0123456789abcdef2: state", "scheduled and begins 2026-11-01 11:30 UTC")),
    (p5("capacity-block"), f"{RESERVED}.EndDate", "2026-11-22T12:30:00+00:00",
     ("cr-0123456789abcdef2: time", "us-east-2a", "it ends 2026-11-22 12:30 UTC")),
    (p5("group"), f"{RESERVED}.State", "cancelled",
     ("resource group bought", "us-east-2a", "4 machines needed", "2 free in 1 of its 2 reservations")),
    (p5(), "subnets.Subnets", [], ("subnet with kubernetes.io/role/internal-elb=1", "us-east-2a", "1 needed", "0 in")),
    (p5(), "subnets.Subnets", [account.subnet("us-east-2a"), account.subnet("us-east-2a")], ("1 needed", "2 in vpc-")),
    (p5(), "subnets.Subnets.0.VpcId", "vpc-0fff0000000000000", ("1 needed", "0 in vpc-0123456789abcdef0")),
    (p5(), "subnets.Subnets.0.AvailableIpAddressCount", 3, ("free addresses", "us-east-2a", "4 needed", "3 free for 4")),
    (mega(), "cluster.status", "DEGRADED", ("GKE cluster test", "it is DEGRADED")),
    (mega(), "cluster.currentMasterVersion", "1.33.5-gke.1", ("Kubernetes", "1.34 needed", "1.33 there")),
    (mega(), "cluster.networkConfig.enableMultiNetworking", False, ("multi-networking", "us-central1", "enabled needed")),
    (mega(), "offers.0.zone", "us-central1-c", ("gpu", "a3-megagpu-8g", "us-central1-a", "not offered")),
    (mega(), "families.dimensionsInfos.0.details.value", "16",
     ("gpu", "NVIDIA_H100_MEGA", "us-central1", "32 GPUs needed", "16 left")),
    (l4(), "region.quotas.0.usage", 60.0, ("l4", "NVIDIA_L4_GPUS", "us-central1", "8 GPUs needed", "4 left")),
    (mega("reservation"), "reservations shared", [],
     ("reservation gpus", "us-central1-a", "4 machines needed", "project shared has no such reservation")),
    (mega("reservation"), f"{SHARED}.zone", "zones/us-central1-b", ("4 machines needed", "it is in us-central1-b")),
    (mega("reservation"), f"{SHARED}.status", "CREATING", ("state", "READY needed", "it has CREATING")),
    (mega("reservation"), f"{SHARED}.specificReservationRequired", False, ("affinity", "by name only needed")),
    (mega("reservation"), f"{SHARED}.specificReservation.instanceProperties.machineType", "a3-highgpu-8g",
     ("machine", "a3-megagpu-8g needed", "it has a3-highgpu-8g")),
    (mega("reservation"), f"{SHARED}.specificReservation.inUseCount", "1",
     ("reservation gpus", "us-central1-a", "4 machines needed", "3 of its 4 are free")),
    (mega("reservation"), f"{SHARED}.deleteAtTime", "2026-11-22T11:00:00Z", ("reservation gpus: time", "it ends")),
    (mega("reservation"), "blocks shared/gpus.0.inUseCount", 2, ("block block-1 of gpus", "2 of its 4 are free")),
    (mega("reservation"), "blocks shared/gpus.0.name", "block-9", ("block block-1 of gpus", "it has block-9")),
    (mega("reservation-with-policy"), f"{OURS}.resourcePolicies", None,
     ("placement policy", "made-with needed", "it has none")),
)  # fmt: skip


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: f"{case[1]}={str(case[2])[:24]}")
def test_what_is_short_is_named_once_by_name_count_and_zone(
    case: tuple[dict[str, Any], str, Any, tuple[str, ...]],
) -> None:
    profile, path, value, words = case
    if path == "account":
        profile = {**profile, "cloud": {**profile["cloud"], "account": account.OWNER}}
        words = ("account", "111122223333 needed", "999999999999")
    (found,) = findings(profile, change(good(load(profile)), path, value))
    assert found.grade == "short"
    assert [word for word in words if word not in str(found)] == []


def test_two_pools_of_one_reservation_are_added_up() -> None:
    pools = [{"name": name, "shape": "p5.48xlarge", "nodes": 3, "capacity": AWS_CAPACITIES["odcr"]} for name in "ab"]
    profile = eks(*({**one, "selector": {"pool": one["name"]}} for one in pools))
    (found,) = findings(profile, good(load(profile)))
    assert "a, b: cr-0123456789abcdef0 in us-east-2a: 6 machines needed, 3 of its 3 are free" in str(found)


def test_what_runs_but_may_not_grow_or_stay_is_advice() -> None:
    crowded = change(good(load(p5())), "subnets.Subnets.0.AvailableIpAddressCount", 20)
    ending = change(good(load(p5("odcr"))), f"{RESERVED}.EndDate", "2026-11-23T11:00:00+00:00")
    shared = change(good(load(mega("reservation"))), f"{SHARED}.deleteAtTime", "2026-11-23T10:00:00Z")
    found = [*findings(p5(), crowded), *findings(p5("odcr"), ending), *findings(mega("reservation"), shared)]
    assert [one.grade for one in found] == ["advice", "advice", "advice"]
    assert "68 needed, 20 free for 4 nodes and 16 pods on each" in str(found[0])


def test_what_nobody_answers_is_neither_short_nor_enough() -> None:
    loaded = load(p5("odcr"))
    answers = {name: Answer(good(loaded)[name]) for name in of(loaded)}
    denied = {**answers, "reservations": Answer(failure="AccessDenied")}
    found = [*unanswered(of(loaded), denied), *judged(loaded, denied, NOW)]
    assert [(one.grade, one.what, one.there) for one in found] == [
        ("unknown", "ec2 DescribeCapacityReservations", "AccessDenied")
    ]


def test_a_cluster_that_keeps_no_network_policies_is_named_where_there_are_teams() -> None:
    old = change(good(load(mega())), "cluster.networkConfig.datapathProvider", "LEGACY_DATAPATH")
    (found,) = findings(mega() | TEAM, old)
    assert (found.grade, found.there) == ("advice", "nobody keeps them")
    assert "--enable-network-policy" in found.fix
    assert findings(mega(), old) == []
    assert findings(mega() | TEAM, old | {"cluster": {**old["cluster"], "networkPolicy": {"enabled": True}}}) == []


MEMBER = {"Key": "kubernetes.io/cluster/test", "Value": "owned"}
CLOSED = {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 1}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (CLOSED, 0),
        (CLOSED | {"HttpPutResponseHopLimit": 2}, 1),
        (CLOSED | {"HttpTokens": "optional"}, 1),
        ({"HttpEndpoint": "disabled", "HttpTokens": "optional", "HttpPutResponseHopLimit": 2}, 0),
    ],
)
def test_a_node_of_anybodys_whose_metadata_service_answers_pods_is_named(
    options: Mapping[str, Any], named: int
) -> None:
    node = account.instance("m7i.4xlarge", 16) | {"MetadataOptions": options}
    here = with_running(good(load(p5())), node | {"Tags": [MEMBER]}, node | {"Tags": [MEMBER]})
    found = findings(p5() | TEAM, here)
    assert [one.grade for one in found] == ["advice"] * named
    if found:
        assert "metadata service of i-0123456789abcdef0 and 1 more in us-east-2: tokens and one hop needed" in str(
            found[0]
        )
    assert findings(p5(), here) == []  # without teams
    assert findings(p5() | TEAM, with_running(good(load(p5())), node)) == []  # another cluster's


def test_a_node_pool_whose_pods_have_the_nodes_rights_is_named() -> None:
    modes = {"ours": "GKE_METADATA", "theirs": "GCE_METADATA"}
    pools = [{"name": name, "config": {"workloadMetadataConfig": {"mode": mode}}} for name, mode in modes.items()]
    here = change(good(load(mega())), "cluster.nodePools", [*pools, {"name": "old", "config": {}}])
    (found,) = findings(mega() | TEAM, here)
    assert (found.grade, "metadata of node pools theirs, old" in found.what) == ("advice", True)
    assert findings(mega(), here) == []
    assert findings(mega() | TEAM, change(here, "cluster.autopilot", {"enabled": True})) == []
