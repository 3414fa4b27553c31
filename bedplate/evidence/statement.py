"""What is stated of a cluster: planned, deployed, checked, with which result, and what nobody looked at. Pure.

Never secrets: of the stack file and of the plan there are digests, and a plan masks secrets before it is digested.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:bedplate:evidence:v1"
Result = Literal["passed", "failed", "unknown"]


@dataclass(frozen=True)
class Planned:
    """The desired state, offline."""

    stack: str
    files: Mapping[str, bytes]
    """What the configuration was read from, by name: the stack's file, and that of machines if its profile has one."""
    resources: Sequence[Mapping[str, Any]]
    """As `graph.json` has them, secrets masked."""
    releases: Sequence[Mapping[str, Any]]
    rules: Mapping[str, Any]
    """How many rules there are, and the digest of the sources from which they judge."""
    findings: Sequence[Mapping[str, str]]
    images: Mapping[str, Any]
    pods: Sequence[Mapping[str, Any]] = ()
    """What the platform's own pods ask of nodes (`needs`)."""

    @property
    def plan_digest(self) -> str:
        """The SHA-256 of the planned resources, secrets masked."""
        return sha256(canonical(list(self.resources)))


@dataclass(frozen=True)
class Part:
    """Something that was checked, or was not."""

    says: Mapping[str, Any] = field(default_factory=dict[str, Any])
    faults: int = 0
    not_checked: tuple[str, ...] = ()


def statement(
    planned: Planned, deployed: Mapping[str, Part], checked: Mapping[str, Part], head: Mapping[str, str]
) -> dict[str, Any]:
    """In-toto's form: the subjects by digest, and what is said of them."""
    parts = [*deployed.values(), *checked.values()]
    open_ = [text for part in parts for text in part.not_checked]
    open_ += (f"image {image}" for image in planned.images["notKnown"])
    mandatory = sum(finding["severity"] == "mandatory" for finding in planned.findings)
    faults = {"findings": mandatory, **{name: part.faults for name, part in {**deployed, **checked}.items()}}
    return {
        "_type": STATEMENT,
        "subject": subjects(planned),
        "predicateType": PREDICATE,
        "predicate": {
            **head,
            "stack": planned.stack,
            "planned": summary(planned),
            "deployed": {name: part.says for name, part in deployed.items() if part.says},
            "checked": {name: part.says for name, part in checked.items() if part.says},
            "faults": faults,
            "result": result(sum(faults.values()), open_),
            "notChecked": open_,
        },
    }


def subjects(planned: Planned) -> list[dict[str, Any]]:
    """The digests of what the statement is about."""
    digests = {
        **{name: sha256(content) for name, content in planned.files.items()},
        "plan": planned.plan_digest,
        "policies": str(planned.rules["sha256"]),
    }
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in digests.items()]


def summary(planned: Planned) -> dict[str, Any]:
    """What the statement says of the plan."""
    keys = ("name", "chart", "version", "namespace")
    return {
        "resources": len(planned.resources),
        "releases": [{key: release[key] for key in keys if release.get(key)} for release in planned.releases],
        "rules": planned.rules["count"],
        "findings": list(planned.findings),
        "images": planned.images["images"],
        "pods": list(planned.pods),
    }


def canonical(value: object) -> bytes:
    """The one way in which a mapping is written as JSON."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def result(faults: int, open_: Sequence[str]) -> Result:
    """What was not looked at is no pass."""
    return "failed" if faults else "unknown" if open_ else "passed"


def sha256(data: bytes) -> str:
    """The digest as `sha256sum` writes it, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
