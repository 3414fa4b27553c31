"""What a pool needs and the cloud has not, in one line."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Grade = Literal["short", "advice", "unknown"]
"""short: the nodes will not all come; advice: they will, and may not stay or grow; unknown: nobody answered."""


@dataclass(frozen=True)
class Finding:
    """One shortage."""

    pool: str
    """The pool, several of them, or the cluster."""
    what: str
    """What is short, by the name that the cloud gives it."""
    where: str
    """Zone or region."""
    needed: str
    there: str
    fix: str
    grade: Grade = "short"

    def __str__(self) -> str:
        """The line that a user reads."""
        if self.grade == "unknown":
            return f"{self.what}: {self.there}; {self.fix}"
        return f"{self.pool}: {self.what} in {self.where}: {self.needed} needed, {self.there}; {self.fix}"

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def count(number: int, what: str) -> str:
    """A number and its noun, in the plural where it is none or several."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")
