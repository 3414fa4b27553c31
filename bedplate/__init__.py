"""Bedplate's command line, and the one call that a company's own Pulumi program makes.

Nothing is imported here: `bedplate --help` and somebody else's `import bedplate` must cost nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bedplate.stacks.platform.cluster import Cluster

__version__ = "0.1.0"


def deploy() -> "Cluster":
    """Declare the cluster of this Pulumi stack: all that a company's `__main__.py` has to say.

    What it declares besides, it declares on that cluster: `opts=cluster.after("pools")` (docs/own-parts.md).
    """
    from bedplate.program import declare  # noqa: PLC0415 - the Pulumi SDK comes with it

    return declare()
