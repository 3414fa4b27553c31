"""Who acts on sick nodes: profiles on either side of one owner, a breaker that is heeded, and a way back in."""

from tests.unit.checks.case import GONE, Case, edited, refused, taken
from tests.unit.checks.edges_cloud import with_test

ROCE, EKS, GKE = "onprem-h100-roce", "eks-p5", "gke-a3-mega"
REPAIR = {"health": {"level": "remediate"}, "verification.qualify": {}}
BREAKER = {"level": "remediate", "breaker": {"atOnce": 2}}
EDGES: dict[str, Case] = {
    "nobody looks for sick nodes": taken(edited(ROCE, {"health": GONE})),
    "people act": taken(edited(ROCE, {"health": {"level": "observe", "breaker": {"unhealthyPercent": 10}}})),
    "people act, and a bound of repairs": refused(
        edited(ROCE, {"health": {"breaker": {"atOnce": 2}}}), ("health.breaker = 2", "at level observe nobody repairs")
    ),
    "EKS repairs": taken(edited(EKS, {**REPAIR, "health": BREAKER, "pools.1.autoscale": GONE})),
    "EKS repairs by its own key": taken(edited(EKS, {"health": GONE, "cloud.nodeRepair": True})),
    "two keys say that EKS repairs": refused(
        edited(EKS, {**REPAIR, "cloud.nodeRepair": True}), ("cloud.nodeRepair = true", "says it again")
    ),
    "GKE repairs": taken(edited(GKE, REPAIR)),
    "GKE repairs by our bounds": refused(edited(GKE, {**REPAIR, "health": BREAKER}), ("health.breaker", "takes none")),
    "GKE repairs what it cannot": refused(
        edited(with_test("there"), REPAIR), ("pools[0].capacity = queued", "GKE repairs no node of flex-start")
    ),
    "nobody owns the machines": refused(
        edited(ROCE, {"health": {"level": "remediate"}}),
        ("health.level = remediate", "no cloud of this stack owns the machines (kubeadm)"),
    ),
    "repaired nodes come back without a test": refused(
        edited(EKS, {"health": {"level": "remediate"}, "verification": GONE}), ("health.level", "without a test")
    ),
    "repaired nodes come back without theirs": refused(
        edited(EKS, {"health": {"level": "remediate"}, "verification.qualify": GONE}),
        ("health.level", "without a test"),
    ),
}
