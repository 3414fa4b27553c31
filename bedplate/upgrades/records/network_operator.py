"""NVIDIA's Network Operator: its default DOCA-OFED is another one in each release, and two of its APIs have gone."""

from bedplate.upgrades.records.transition import Transition, Verdict

NOTES = "Mellanox/network-operator-docs docs/release-notes.rst"
LIFE = "Mellanox/network-operator-docs docs/life-cycle-management.rst"
VALUES = "Mellanox/network-operator deployment/network-operator/values.yaml at both tags"
DRILL = "tests/engine/test_drills.py, upgrade from the previous releases and back"
_MOFED = "pods with rails, node by node, where the Network Operator owns DOCA-OFED: its default is another one"
_DRIVER = "set the version of DOCA-OFED yourself if it is to stay: the operator changes it by its upgradePolicy"
_MAJOR = "be at {} first: NVIDIA supports upgrades within a major release and to the next one"


def _step(old: str, new: str, steps: tuple[str, ...], *sources: str) -> Transition:
    return Transition("network-operator", old, new, Verdict.MANUAL, _MOFED, (*steps, _DRIVER), (NOTES, *sources))


TRANSITIONS = (
    _step(
        "24.7.0",
        "24.10.0",
        (
            (
                "deployCR and the sections of NicClusterPolicy are gone from the values: NicClusterPolicy is an "
                "object of its own (this stack's)"
            ),
            "ibKubernetes needs pKeyGUIDPoolRangeStart, pKeyGUIDPoolRangeEnd and ufmSecret",
            "Multus before v4.1.0 is supported no more: raise secondaryNetwork.multus.version",
            "take care that the chart's hook applies the new CRDs (upgradeCRDs, on by default: docs/crds.md)",
        ),
        VALUES,
    ),
    _step("24.10.0", "25.1.0", (_MAJOR.format("24.10.0"),), LIFE),
    _step("25.1.0", "25.4.0", ("Whereabouts is deprecated as IPAM of NicClusterPolicy: move to nvIpam",)),
    _step(
        "25.4.0",
        "25.7.0",
        (
            "take spectrumXOperator.spectrumXConfig and sriovObjNamespace out of NicClusterPolicy: they are dropped",
            "MOFED drivers before 5.7-0.1.2.0 are supported no more",
        ),
    ),
    _step(
        "25.7.0",
        "25.10.0",
        (
            "move to nvIpam first: secondaryNetwork.ipamPlugin (Whereabouts) is gone from NicClusterPolicy",
            "nicConfigurationOperator is gone from the values: ask for it in NicClusterPolicy",
        ),
        VALUES,
    ),
    _step(
        "25.10.0",
        "26.1.2",
        (_MAJOR.format("25.10.0"), "a SriovNetwork's vlan is 4094 at most: put larger ones right first"),
        LIFE,
    ),
    _step("26.1.2", "26.4.1", ("nothing of people's objects is in the way: watch the gates of the stack",), DRILL),
)
