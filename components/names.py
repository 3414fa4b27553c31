"""Names that no two objects of different namespaces can share."""


def scoped(namespace: str, name: str) -> str:
    """What the stack calls an object of a namespace; with `-` between them, `c` of `a-b` would be `b-c` of `a`."""
    return f"{namespace}/{name}"


def in_cluster(namespace: str, name: str) -> str:
    """The same for an object without a namespace: neither a namespace nor a claim has a dot in its name."""
    return f"{namespace}.{name}"
