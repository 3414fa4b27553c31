"""`--facts FILE`: what is known of a cluster that has no profile, with the keys of the pack's configuration."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from bedplate.components.platforms import PLATFORMS
from bedplate.policies.facts import Facts
from bedplate.policies.manifests.documents import Document, documents
from bedplate.policies.values import is_map
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
    try:
        found = list(documents(file.read_bytes()))
    except OSError as error:
        raise WrongError(f"--facts {file}: {error.strerror or error}") from None
    stated = found[0] if found else Document({}, 0, 0)
    if not isinstance(stated, Document):
        raise WrongError(f"--facts {file}: {stated}")
    if not is_map(stated.value):
        raise WrongError(f"--facts {file}: write keys and values, such as `platform: gke`")
    try:
        facts = Facts.from_mapping(stated.value)
    except ValidationError as error:
        raise WrongError("\n".join(_faults(file, error))) from None
    for key, words in WORDS.items():
        if (value := getattr(facts, key)) not in (None, *words):
            raise WrongError(f"--facts {file}: {to_camel(key)}: {value}: write one of {', '.join(words)}")
    return facts


def _faults(file: Path, error: ValidationError) -> Iterator[str]:
    known = ", ".join(field.alias or name for name, field in Facts.model_fields.items())
    for each in error.errors():
        key = ".".join(map(str, each["loc"]))
        unknown = each["type"] == "extra_forbidden" and len(each["loc"]) == 1
        reason = f"there is no such fact; known are {known}" if unknown else each["msg"].lower()
        yield f"--facts {file}: {key}: {reason}"
