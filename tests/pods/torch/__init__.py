"""PyTorch for a pod without GPUs: tensors have a size and nothing else, and time is what the links take to carry them.

A clock that only collectives and exchanges move makes the bandwidth exact: `FAKE_GBS` at `FAKE_LARGEST` bytes, less
below.
"""

import os
from types import SimpleNamespace

float32 = "float32"
clock = {"seconds": 0.0}


class Event:
    """A point in time on the GPU's stream."""

    def __init__(self, *, enable_timing: bool) -> None:
        assert enable_timing
        self.at: float | None = None

    def record(self) -> None:
        self.at = clock["seconds"]

    def elapsed_time(self, end: "Event") -> float:
        """Milliseconds."""
        assert self.at is not None
        assert end.at is not None
        return (end.at - self.at) * 1000


def set_device(index: int) -> None:
    clock["device"] = index


def ones(count: int, *, dtype: str, device: str) -> SimpleNamespace:
    assert (dtype, device) == (float32, "cuda")
    assert "device" in clock, "no device is chosen"
    return SimpleNamespace(bytes=4 * count)


def device_count() -> int:
    return int(os.environ.get("FAKE_GPUS", "8"))


cuda = SimpleNamespace(Event=Event, set_device=set_device, synchronize=lambda: None, device_count=device_count)
