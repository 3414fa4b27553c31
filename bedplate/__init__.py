"""Bedplate's command line, and the one call that a company's own Pulumi program makes.

Nothing is imported here: `bedplate --help` and somebody else's `import bedplate` must cost nothing.
"""

__version__ = "0.1.0"


def deploy() -> None:
    """Declare the cluster of this Pulumi stack: all that a company's `__main__.py` has to say."""
    from bedplate.program import declare  # noqa: PLC0415 - the Pulumi SDK comes with it

    declare()
