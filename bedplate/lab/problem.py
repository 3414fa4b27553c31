"""What keeps the lab from working, in words for the user."""

from bedplate.wrong import WrongError


class LabError(WrongError):
    """One line for the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
