"""Secrets that nobody has set yet: a plan goes on with a placeholder and says what is left to do."""

import contextlib
from collections.abc import Generator

import pulumi

from .wire import MASK


@contextlib.contextmanager
def placeholders() -> Generator[set[str]]:
    """While it lasts, `require_secret` answers `[secret]` for what is not set; hands out the keys it was asked for.

    Rejected: running the program again for each missing key. That cost a whole run per secret.
    """
    missing: set[str] = set()
    as_usual = pulumi.Config.require_secret

    def require_secret(self: pulumi.Config, key: str) -> pulumi.Output[str]:
        if self.get(key) is not None:
            return as_usual(self, key)
        missing.add(self.full_key(key))
        return pulumi.Output.secret(MASK)

    pulumi.Config.require_secret = require_secret
    try:
        yield missing
    finally:
        pulumi.Config.require_secret = as_usual
