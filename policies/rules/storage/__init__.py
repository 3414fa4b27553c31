"""STO-7xx: file systems and volumes."""

from policies.rules.storage import volumes

__all__ = ["volumes"]
