"""The domains that Volcano finds by the nodes' labels, as HyperNodes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

SOURCE = "volcano.sh/network-topology-source"
"""Label of the HyperNodes that Volcano made, and by what it found them."""


def domains(hyper_nodes: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Names of HyperNodes that Volcano found, by domain.

    As it starts it looks twice, and the second time may not see yet what it has made (1.15.1, label/label.go).
    """
    found: defaultdict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for one in hyper_nodes:
        labels: dict[str, str] = one["metadata"].get("labels") or {}
        if labels.get(SOURCE) == "label":
            found[tuple(sorted(labels.items()))].append(one["metadata"]["name"])
    return [sorted(names) for names in found.values()]
