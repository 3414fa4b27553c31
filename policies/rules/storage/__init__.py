"""STO-7xx: file systems and volumes."""

from bedplate.policies.rules.storage import modes, volumes

__all__ = ["modes", "volumes"]
