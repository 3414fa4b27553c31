"""STO-7xx: file systems and volumes."""

from bedplate.policies.rules.storage import volumes

__all__ = ["volumes"]
