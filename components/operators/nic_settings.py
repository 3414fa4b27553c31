"""What a site asks of its NICs' firmware: keys of NicConfigurationTemplate at Network Operator 26.4.1, by our names.

`linkType` follows from the fabric, `numVfs` mostly too; `resetToDefault` is an errand and no state, so it has no key.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from bedplate.components.section import DnsLabel, Section

PciAddress = Annotated[str, Field(pattern=r"^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")]
SUPER_NICS = ("1023", "1025", "a2dc")
"""ConnectX-8, ConnectX-9 and the BlueField-3 SuperNIC, which alone run Spectrum-X."""


class PciPerformance(Section):
    """How the NIC reads memory over PCIe."""

    max_read_request: Literal[128, 256, 512, 1024, 2048, 4096] = 4096
    """Bytes of one read (MaxReadReq), set anew at each start of the node."""
    max_acc_out_read: PositiveInt | None = None
    """Reads under way at a time (MAX_ACC_OUT_READ); absent: the firmware chooses."""


class RoceQos(Section):
    """How the NIC marks and pauses RoCE; congestion control on all priorities and CNPs on DSCP 4 come with it."""

    trust: Literal["dscp", "pfc"] = "dscp"
    """What tells a packet's priority: dscp, or the VLAN tag's with pfc, which routed fabrics lose."""
    pfc: Annotated[str, Field(pattern=r"^([01],){7}[01]$")] = "0,0,0,1,0,0,0,0"
    """Priorities that are paused and so lose nothing, 0 first; the switches' own."""
    tos: Annotated[int, Field(ge=0, le=255)] = 0
    """Type of service of RDMA's packets that name none: DSCP shifted left by two, as `fabric.trafficClass`."""


class SpectrumX(Section):
    """Spectrum-X, which includes the settings of RoCE; with no or one virtual function a port."""

    version: Literal["RA1.3", "RA2.0", "RA2.1", "RA2.2"]
    """NVIDIA's reference architecture that the switches follow. Only RA2.2 is taken: the operator has what it needs."""
    overlay: Literal["none", "l3"] = "none"
    """l3 over an EVPN overlay."""
    multiplane_mode: Literal["none", "swplb", "hwplb", "uniplane"] = "none"
    """How traffic is spread over planes of switches; anything but none is refused, as nothing makes rails of planes."""
    number_of_planes: Literal[1, 2, 4] = 1
    """Planes of switches."""


class NicSettings(Section):
    """Firmware of the rails' NICs on some pools, by NVIDIA's NIC Configuration Operator. Nodes are drained and restart.

    What is not asked for goes back to the device's default.
    """

    pools: tuple[DnsLabel, ...] = ()
    """On which pools; absent: on all of the fabric."""
    nic_type: Annotated[str, Field(pattern=r"^[0-9a-f]{4}$")]
    """PCI device id: "101b" is ConnectX-6, "1021" ConnectX-7, "1023" ConnectX-8, a2dc BlueField-3."""
    pci_addresses: tuple[PciAddress, ...] = ()
    """Only the NICs there, as on every node of the pools; needed where others of the type serve storage."""
    part_numbers: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Only NICs of these part numbers."""
    num_vfs: NonNegativeInt | None = None
    """Virtual functions that the firmware allows; by default fabric.numVfs with exposure sriov, one with spectrumX,
    else none."""
    pci_performance: PciPerformance | None = None
    """MaxReadReq and outstanding reads; {} for NVIDIA's recommendation."""
    gpu_direct: bool = False
    """Turn address translation by the NIC off (ATS_ENABLED=0), without which GPU memory is slow on bare metal; with
    pciPerformance only."""
    roce: RoceQos | None = None
    """Trust, PFC, CNPs and congestion control; {} for DSCP and PFC on priority 3."""
    spectrum_x: SpectrumX | None = None
    """Instead of roce."""
    raw: Mapping[Annotated[str, Field(pattern=r"^[A-Z0-9_]+$")], str] = Field(default_factory=dict)
    """Further firmware parameters, over all of the above: {CNP_DSCP_P1: "48"}."""

    def overlaps(self, other: "NicSettings") -> bool:
        """Both could mean one NIC: the operator then configures none."""
        apart = (
            self.nic_type != other.nic_type
            or _disjoint(self.pools, other.pools)
            or _disjoint(self.pci_addresses, other.pci_addresses)
            or _disjoint(self.part_numbers, other.part_numbers)
        )
        return not apart


def _disjoint(first: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """An empty selector takes all."""
    return bool(first and other) and not set(first) & set(other)
