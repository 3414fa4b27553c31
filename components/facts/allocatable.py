"""What a node gives its pods: the figures, and the sum by which they came about."""

from dataclasses import dataclass

GIB = 1024
FINE, COARSE = 256, 16 * GIB
"""Steps of a pod's memory, MiB: whole GiB from here on, and smaller ones where a GiB is a part that counts."""


@dataclass(frozen=True)
class Allocatable:
    """Of one node."""

    millicores: int
    """That the teams' pods may ask for together."""
    memory: int
    """MiB that they may ask for together."""
    kubelet: tuple[int, int]
    """Millicores and MiB that the kubelet offers, which agents on every node share with them."""
    steps: tuple[tuple[str, int], ...] = ()
    """Where the rest of the memory is, MiB, in the order in which it goes."""

    def memory_of(self, nominal: int) -> str:
        """The sum, such as `16.0 GiB - 1.2 kernel - 0.9 reserved = 13.9 GiB`; `nominal` in MiB."""
        gone = "".join(f" - {size / GIB:.1f} {name}" for name, size in self.steps if size)
        return f"{nominal / GIB:.1f} GiB{gone} = {self.memory / GIB:.1f} GiB"


def in_steps(mib: float) -> int:
    """The same memory in steps that read well, never more of it."""
    step = GIB if mib >= COARSE else FINE if mib >= FINE else 1
    return int(mib) // step * step


def written(mib: int) -> str:
    """As Kubernetes writes it."""
    return f"{mib // GIB}Gi" if mib % GIB == 0 else f"{mib}Mi"
