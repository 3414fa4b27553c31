"""What a site runs itself, on either side of what is refused."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
OWN = {"networkOperator": GONE, "fabric.existingDevices": {"example.com/hca": 1}, "fabric.ipam.kind": "whereabouts"}
RUNS: dict[str, Any] = {"multus": {"version": "v4.2.2"}, "whereabouts": {}}
OPENSHIFT: dict[str, Any] = {
    "platform": "openshift",
    "nodeOs": "rhcos",
    "gpuOperator": GONE,
    "nfd": GONE,
    "monitoring": GONE,
    "autoscaling": GONE,
    "serving": GONE,
}


def site(stack: str, runs: dict[str, Any], changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """A stack whose site runs these."""
    return edited(stack, {"existing": runs, **(changes or {})})


def too_old(version: str) -> dict[str, Any]:
    """A driver of the node image."""
    b200 = {"pools.1.shape": "dgx-b200", "driverOwner": "image", "gpuOperator.gdrcopy": GONE, "serving": GONE}
    return site(ROCE, {"driver": {"version": version}}, b200)


EDGES: dict[str, Case] = {
    "the site's own Multus and Whereabouts": taken(site(ROCE, RUNS, OWN)),
    "nobody's Multus": refused(
        site(ROCE, {"whereabouts": {}}, OWN), ("multus = absent", "nothing here runs Multus", "existing.multus")
    ),
    "nobody's Whereabouts": refused(
        site(ROCE, {"multus": {}}, OWN), ("whereabouts = absent", "nothing installs it", "existing.whereabouts")
    ),
    "the site's own Multus beside the Network Operator": taken(site(ROCE, {"multus": {}})),
    "the site's own NFD": taken(site(ROCE, {"nfd": {"version": "0.14"}}, {"nfd": GONE})),
    "nobody's NFD": refused(site(ROCE, {"multus": {}}, {"nfd": GONE}), ("nfd = absent", "existing.nfd")),
    "an NFD that reads no objects": refused(
        site(ROCE, {"nfd": {"version": "v0.13.6"}}, {"nfd": GONE}),
        ("existing.nfd.version = v0.13.6", "NodeFeature", "0.14"),
    ),
    "an NFD of no known release": taken(site(ROCE, {"nfd": {}}, {"nfd": GONE})),
    "an old NFD beside the site's own plugin": taken(
        site(
            L40S,
            {"nfd": {"version": "0.13.0"}, "devicePlugin": {}},
            {"nfd": GONE, "gpuOperator": GONE, "driverOwner": "image"},
        )
    ),
    "the site's own plugin": taken(
        site(L40S, {"devicePlugin": {"version": "0.18.1"}}, {"gpuOperator": GONE, "driverOwner": "image"})
    ),
    "two of each": refused(
        site(
            ROCE,
            {"multus": {}, "whereabouts": {}, "nfd": {}, "devicePlugin": {}},
            {**OWN, "multus": {}, "whereabouts": {}},
        ),
        ("existing.multus = present", "beside the site's", "remove it, or multus"),
        ("existing.whereabouts = present", "remove it, or whereabouts"),
        ("existing.nfd = present", "remove it, or nfd"),
        ("existing.devicePlugin = present", "remove it, or gpuOperator"),
    ),
    "what OpenShift brings": refused(
        site(L40S, {"multus": {}, "whereabouts": {}, "nfd": {}, "devicePlugin": {}}, OPENSHIFT),
        ("existing.multus = present", "openshift brings it"),
        ("existing.whereabouts = present", "openshift brings it"),
        ("existing.nfd = present", "openshift brings it"),
    ),
    "a driver that two bring": refused(
        site(L40S, {"driver": {}}), ("existing.driver = present", "driverOwner is operator")
    ),
    "a driver of the image": taken(site(L40S, {"driver": {}}, {"driverOwner": "image"})),
    "a driver that just knows a B200": taken(too_old("570.133.20")),
    "a driver that does not know a B200": refused(
        too_old("570.86.10"),
        ("existing.driver.version = 570.86.10", "NVIDIA-B200 of pool h100 needs 570.133.20", "upgrade the node image"),
    ),
}
