"""Firmware of NICs: profiles on either side of what the NIC Configuration Operator takes, and of whose NICs it reaches."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken

ROCE, IB = "onprem-h100-roce", "onprem-h100-ib"
ADDRESSES = [f"0000:{bus}:00.0" for bus in ("18", "2a", "3a", "5d", "9a", "ab", "ba", "db")]
OWN: dict[str, Any] = {"nicType": "1021", "pciAddresses": ADDRESSES}
NICS, FIRST = "networkOperator.nics", "networkOperator.nics[0]"
SUPER: dict[str, Any] = {"nicType": "1023", "pciAddresses": ADDRESSES}
MORE = {"name": "more", "shape": "hgx-h100", "nodes": 4, "selector": {"example.com/pool": "more"}}
TOLD = {"pools.1.selector": {"example.com/pool": "h100"}}
SRIOV: dict[str, Any] = {"fabric.exposure": "sriov", "fabric.hcas": GONE}


def nics(*asked: dict[str, Any], stack: Any = ROCE, **more: Any) -> dict[str, Any]:
    """The stack with these settings."""
    return edited(stack, {NICS: list(asked), **more})


def spectrum_x(nic: dict[str, Any] | None = None, **asked: Any) -> dict[str, Any]:
    """Spectrum-X so."""
    return nics({**(nic or SUPER), "spectrumX": {"version": "RA2.2", **asked}})


EDGES: dict[str, Case] = {
    "everything that firmware of RoCE can be asked": taken(
        nics(
            {
                **OWN,
                "numVfs": 0,
                "pciPerformance": {"maxReadRequest": 4096, "maxAccOutRead": 44},
                "gpuDirect": True,
                "roce": {"trust": "dscp", "pfc": "0,0,0,1,0,0,0,0", "tos": 106},
                "raw": {"CNP_DSCP_P1": "48"},
            }
        )
    ),
    "PCIe alone, on InfiniBand": taken(nics({**OWN, "pciPerformance": {}}, stack=IB)),
    "by part numbers": taken(nics({"nicType": "1021", "partNumbers": ["MCX750500B-0D00"]})),
    "RoCE on InfiniBand": refused(nics({**OWN, "roce": {}}, stack=IB), (f"{FIRST}.roce", "refuses it on InfiniBand")),
    "no translation, and PCIe left alone": refused(
        nics({**OWN, "gpuDirect": True}), (f"{FIRST}.gpuDirect = True", "together with pciPerformance")
    ),
    "the NICs of storage besides": refused(
        nics({"nicType": "1021"}), (f"{FIRST}.pciAddresses = absent", "4 NVIDIA NICs beside the rails")
    ),
    "a machine with no other NICs": taken(nics({"nicType": "1021"}, **{"pools.1.shape": "hgx-h100"})),
    "the one of two pools whose machines have no others": taken(
        nics({"nicType": "1021", "pools": ["more"]}, **{"pools.2": MORE, **TOLD})
    ),
    "the one whose machines have others": refused(
        nics({"nicType": "1021", "pools": ["h100"]}, **{"pools.2": MORE, **TOLD}),
        (f"{FIRST}.pciAddresses = absent", "nodes of h100"),
    ),
    "a pool that nobody has": refused(
        nics({**OWN, "pools": ["h200"]}), (f"{FIRST}.pools = h200", "no pool of the fabric", "use h100")
    ),
    "virtual functions, as many as the fabric makes": taken(nics(OWN, **SRIOV)),
    "as many, said": taken(nics({**OWN, "numVfs": 8}, **SRIOV)),
    "fewer than the fabric makes": refused(
        nics({**OWN, "numVfs": 7}, **SRIOV), (f"{FIRST}.numVfs = 7", "fabric.numVfs makes 8")
    ),
    "some that nobody makes": taken(nics({**OWN, "numVfs": 7})),
    "an old operator": refused(
        nics(OWN, **{"networkOperator.version": "26.1.2"}), ("networkOperator.version = 26.1.2", "other keys")
    ),
    "another operator of the line": taken(nics(OWN, **{"networkOperator.version": "26.4.0"})),
    "NICs of a cloud": refused(
        edited("eks-p5", {"networkOperator": {"nics": [OWN]}}), (NICS, "a fabric of kind efa has no NICs of NVIDIA's")
    ),
    "two settings for one NIC": refused(
        nics(OWN, OWN), ("networkOperator.nics[1] = 1021", "nics[0] too", "by neither")
    ),
    "two for NICs of two types": taken(nics(OWN, {**OWN, "nicType": "101b"})),
    "two for NICs in two places": taken(
        nics({**OWN, "pciAddresses": ADDRESSES[:4]}, {**OWN, "pciAddresses": ADDRESSES[4:]})
    ),
    "one for some places and one for all of some part number": refused(
        nics(OWN, {"nicType": "1021", "partNumbers": ["MCX750500B-0D00"]}), ("networkOperator.nics[1]", "by neither")
    ),
    "two for NICs of two part numbers": taken(
        nics({"nicType": "1021", "partNumbers": ["one"]}, {"nicType": "1021", "partNumbers": ["other"]})
    ),
    "Spectrum-X": taken(spectrum_x()),
    "Spectrum-X with the one virtual function that it takes": taken(
        nics({**SUPER, "spectrumX": {"version": "RA2.2"}}, **SRIOV, **{"fabric.numVfs": 1})
    ),
    "Spectrum-X with eight": refused(
        nics({**SUPER, "spectrumX": {"version": "RA2.2"}}, **SRIOV), (f"{FIRST}.spectrumX = 8", "one virtual function")
    ),
    "Spectrum-X with none": refused(
        nics({**SUPER, "numVfs": 0, "spectrumX": {"version": "RA2.2"}}),
        (f"{FIRST}.spectrumX = 0", "one virtual function"),
    ),
    "Spectrum-X and RoCE": refused(
        nics({**SUPER, "roce": {}, "spectrumX": {"version": "RA2.2"}}), (f"{FIRST}.roce", "spectrumX includes it")
    ),
    "Spectrum-X on InfiniBand": refused(
        nics({**SUPER, "spectrumX": {"version": "RA2.2"}}, stack=IB, **{"fabric.numVfs": 1}),
        (f"{FIRST}.spectrumX", "on InfiniBand"),
    ),
    "Spectrum-X on ConnectX-7": refused(spectrum_x(OWN), (f"{FIRST}.spectrumX = 1021", "no such NIC", "1023")),
    **{
        f"Spectrum-X of {version}, whose congestion control the operator's image has not": refused(
            spectrum_x(version=version),
            (f"{FIRST}.spectrumX.version = {version}", "congestion control of another one", "use RA2.2"),
        )
        for version in ("RA1.3", "RA2.0", "RA2.1")
    },
    "Spectrum-X by an operator with the congestion control of the last one": refused(
        nics({**SUPER, "spectrumX": {"version": "RA2.2"}}, **{"networkOperator.version": "26.4.0"}),
        ("networkOperator.version = 26.4.0", "congestion control of RA2.2", "use 26.4.1"),
    ),
    "Spectrum-X on BlueField-3": taken(spectrum_x({**SUPER, "nicType": "a2dc"})),
    "planes without a mode": refused(
        spectrum_x(numberOfPlanes=2), (f"{FIRST}.spectrumX.numberOfPlanes = 2", "multiplaneMode is none", "use 1")
    ),
    **{
        f"planes by {mode}, of which nobody makes rails": refused(
            spectrum_x(multiplaneMode=mode, numberOfPlanes=2),
            (f"{FIRST}.spectrumX.multiplaneMode = {mode}", "several functions of each NIC", "use none"),
        )
        for mode in ("swplb", "hwplb", "uniplane")
    },
}
