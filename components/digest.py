"""A short name for a configuration: the same for the same values, another for any other."""

import hashlib
import json

LENGTH = 16
"""Hexadecimal digits: 64 bits, far more than a stack will ever see configurations."""


def digest(*parts: object) -> str:
    """The name of these values, whatever the order of their keys."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
