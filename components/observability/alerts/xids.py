"""Xid events by what they ask for (NVIDIA XID catalog r590, column "Immediate Action").

The four steps are those of the health checks of awslabs/awsome-distributed-ai (2.gpu-cluster-healthcheck).
"""

ISOLATE = (54,)
"""Check mechanicals: power connectors, risers."""
REBOOT = (79, 151, 160, 168)
"""79: the GPU has fallen off the bus."""
RESET = (46, 48, 62, 64, 74, 95, 109, 110, 119, 120, 136, 140, 143, *range(144, 151), 155, 156, 158)
"""48 and 95: uncorrectable memory errors; 74 and 144 to 150: NVLink; 119 and 120: the GPU's system processor."""
APPLICATION = (8, 11, 13, 25, 31, 32, 39, 40, 41, 43, 45, 60, 68, 69, 70, 71, 72, 75, 76, 77, 80, 94, 126)
"""A fault of the program, such as an illegal address (31), or contained to it (94)."""
HARMLESS = (
    14,
    37,
    38,
    44,
    63,
    66,
    67,
    92,
    93,
    106,
    107,
    121,
    137,
    141,
    152,
    153,
    154,
    157,
    159,
    161,
    162,
    163,
    164,
    165,
)
"""Information: a row was remapped (63), a recovery action was announced (154), a lifetime is known (162 to 165)."""

CLASSIFIED = (*ISOLATE, *REBOOT, *RESET, *APPLICATION, *HARMLESS)


def any_of(xids: tuple[int, ...]) -> str:
    """A regular expression for the exporter's label `xid`."""
    return "|".join(map(str, xids))
