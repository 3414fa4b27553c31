"""A GPU datacenter on one machine: a real control plane, simulated nodes."""

from bedplate.wrong import WrongError


class LabError(WrongError):
    """What keeps the lab from working: one line for the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
