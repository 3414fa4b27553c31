"""Secrets of the site: top-level configuration keys, never in the profile."""

import pulumi


def secret(key: str) -> pulumi.Output[str]:
    """The secret `bedplate:<key>`; it stays secret in state, plan and log."""
    return pulumi.Config("bedplate").require_secret(key)
