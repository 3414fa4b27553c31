"""How grave a complaint is."""

from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["mandatory", "advisory"]
MANDATORY: Severity = "mandatory"
ADVISORY: Severity = "advisory"
