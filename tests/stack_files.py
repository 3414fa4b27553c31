"""The project's own stacks, for tests: their files, their profiles, and what they declare."""

import copy
import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from bedplate.components.facts import Facts
from bedplate.plan.capture import capture, capture_config
from bedplate.plan.graph import Graph, Node
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFiles

STACKS = ("eks-p5", "gke-a3-mega", "inference-l40s", "lab", "onprem-h100-ib", "onprem-h100-roce")


@cache
def config(stack: str) -> dict[str, Any]:
    """The stack file's configuration."""
    return StackFiles().config(stack)


def document(stack: str) -> dict[str, Any]:
    """The stack's profile as written; a copy that a test may change."""
    return copy.deepcopy(config(stack)[PROFILE_KEY])


@cache
def profile(stack: str) -> Profile:
    """The stack's profile."""
    return load(config(stack)[PROFILE_KEY])


@cache
def known(stack: str) -> Facts:
    """What follows from it."""
    return facts(profile(stack))


@cache
def graph(stack: str) -> Graph:
    """What it declares."""
    return capture(stack)


def graph_of(document: dict[str, Any]) -> Graph:
    """What a profile declares that has no stack file; one and the same is planned once in a folder."""
    written = json.dumps(document, default=str)
    if json.loads(written) != document:
        return capture_config(document["name"], {PROFILE_KEY: document})
    return _declared(written, Path.cwd())


@lru_cache(maxsize=256)
def _declared(written: str, _folder: Path) -> Graph:
    profile = json.loads(written)
    return capture_config(profile["name"], {PROFILE_KEY: profile})


def kubernetes(node: Node) -> bool:
    """A Kubernetes object of ours: neither looked up nor a Helm release, a kustomization or a patch."""
    other = ("kubernetes:helm.sh/", "kubernetes:kustomize", "kubernetes:yaml")
    ours = node.type.startswith("kubernetes:") and not node.read
    return ours and not node.type.startswith(other) and not node.type.endswith("Patch")


def manifest(node: Node) -> dict[str, Any]:
    """The object as it goes to the API server."""
    return {key: value for key, value in node.inputs.items() if not key.startswith("__")}
