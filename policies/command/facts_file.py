"""`--facts FILE`: what is known of a cluster that has no profile, with the keys of the pack's configuration."""

from pathlib import Path

from pydantic.alias_generators import to_camel

from bedplate.components.platforms import PLATFORMS
from bedplate.policies.facts import Facts
from bedplate.policies.manifests.records import line_of, record_in
from bedplate.wrong import WrongError

WORDS = {
    "platform": (*PLATFORMS, "k0s", "microk8s"),
    "fabric": ("infiniband", "roce", "efa", "tcpx", "tcpxo", "gib", "none"),
    "exposure": ("shared", "exclusive", "sriov", "host-device"),
    "driver_owner": ("operator", "image", "cloud"),
    "gpu_direct": ("dmabuf", "peermem", "none"),
}
"""What rules compare with: a misspelt one would switch rules off in silence."""


def facts_in(file: Path) -> Facts:
    """The facts of a YAML or JSON file; each fault is one line with its key."""
    facts = record_in(file, Facts, "platform: gke", f"--facts {file}")
    for key, words in WORDS.items():
        if (value := getattr(facts, key)) not in (None, *words):
            where = f"--facts {file}: line {line_of(file.read_bytes(), (to_camel(key),))}"
            raise WrongError(f"{where}: {to_camel(key)}: {value}: write one of {', '.join(words)}")
    return facts
