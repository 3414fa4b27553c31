"""Machines that nobody keeps: spot of both clouds, and Google's flex-start."""

from typing import Any

import pytest
import yaml

from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.cloud_profiles import eks, gke, one
from tests.stack_files import graph_of
from tests.tools.golden_objects import PROFILES
from tests.training_jobs import all_templates, job, rendered

SPOT = {"kind": "spot"}


def test_spot_on_eks_is_asked_for_by_the_node_group_and_stands_together() -> None:
    graph = graph_of(eks({"name": "p5", "shape": "p5.48xlarge", "capacity": SPOT}))
    assert one(graph, "NodeGroup", "p5").inputs["capacityType"] == "SPOT"
    template = one(graph, "LaunchTemplate", "p5").inputs
    assert template["placement"]["groupName"] == "test-p5"
    assert "instanceMarketOptions" not in template, "a managed node group takes none but a block's"


def node_config(**pool: Any) -> dict[str, Any]:
    graph = graph_of(gke({"name": "l4", "shape": "g2-standard-48", **pool}, fabric="none"))
    return one(graph, "NodePool", "l4").inputs["nodeConfig"]


def test_spot_on_gke_takes_from_no_reservation() -> None:
    found = node_config(capacity=SPOT)
    assert found["spot"] is True
    assert found["reservationAffinity"]["consumeReservationType"] == "NO_RESERVATION"
    assert "flexStart" not in found


def test_flex_start_has_an_end_and_an_autoscaler_that_asks() -> None:
    capacity = {"kind": "flex-start", "maxRunHours": 24}
    found = node_config(capacity=capacity, nodes=0, autoscale={"max": 4})
    assert (found["flexStart"], found["maxRunDuration"]) == (True, "86400s")
    assert "spot" not in found


def flex_pool(**capacity: Any) -> dict[str, Any]:
    """The inputs of a pool of flex-start whose jobs Kueue queues."""
    pool = {"name": "l4", "shape": "g2-standard-48", "nodes": 0, "autoscale": {"max": 4}}
    queue = {"scheduling": {"kind": "kueue"}, "tenancy": {"teams": [{"name": "research"}]}}
    made = gke({**pool, "capacity": {"kind": "flex-start", **capacity}}, fabric="none", **queue)
    return dict(one(graph_of(made), "NodePool", "l4").inputs)


def test_gke_neither_repairs_nodes_of_flex_start_nor_upgrades_them_as_others() -> None:
    found = flex_pool()
    assert found["management"] == {"autoRepair": False, "autoUpgrade": True}
    assert "upgradeSettings" not in found
    assert "queuedProvisioning" not in found
    kept = one(graph_of(gke({"name": "l4", "shape": "g2-standard-48"}, fabric="none")), "NodePool", "l4").inputs
    assert "management" not in kept
    assert kept["upgradeSettings"]["strategy"] == "SURGE"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            "karpenter",
            "Karpenter makes its nodes itself, from a NodePool of the site's; remove capacity and pick its nodes",
        ),
        ("auto-mode", "EKS Auto Mode takes neither an image nor user data"),
    ],
)
def test_nodes_that_somebody_else_makes_are_refused_as_capacity_with_what_to_write(kind: str, said: str) -> None:
    with pytest.raises(ProfileError) as refused:
        load(eks({"name": "p5", "shape": "p5.48xlarge", "capacity": {"kind": kind}}))
    assert f"pools[0].capacity.kind = {kind}: {said}" in str(refused.value)


def test_jobs_find_the_nodes_that_karpenter_makes_and_ask_it_for_their_efa() -> None:
    known = facts(load(yaml.safe_load((PROFILES / "eks-karpenter.yaml").read_text())))
    pods = [pod["spec"] for pod in all_templates(rendered(job(), known))]
    assert pods
    for pod in pods:
        assert pod["nodeSelector"] == {"karpenter.sh/nodepool": "p5"}
        assert pod["containers"][0]["resources"]["requests"]["vpc.amazonaws.com/efa"] == "32"


def test_a_queued_pool_is_had_by_requests_alone_and_its_taint_is_gkes() -> None:
    found = flex_pool(queued=True)
    assert found["queuedProvisioning"] == {"enabled": True}
    assert [taint["key"] for taint in found["nodeConfig"]["taints"]] == ["nvidia.com/gpu"]
