"""What pods ask of their node beyond a container's own: by the fields that Kubernetes' Pod Security Standards judge.

Charts are rendered by nobody in an offline plan, so `bedplate/charts/` keeps what the pods of each pinned chart, and
those that its operator makes, ask for (`python -m tests.tools.make_pod_needs`). The fields and the levels
are those of kubernetes.io, Pod Security Standards, v1.35.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from bedplate import charts
from bedplate.components.tenancy.node_guards import CAPABILITIES, VOLUMES

FILE = "pods.json"
Tree = Mapping[str, Any]
Level = Literal["privileged", "baseline", "restricted"]
LEVELS: tuple[Level, ...] = ("restricted", "baseline", "privileged")
"""The strictest first."""
UNHARMED, PLAIN = frozenset(CAPABILITIES), frozenset({*VOLUMES, "name"})
"""Capabilities that `baseline` lets a container add, volumes that `restricted` lets it mount."""
RUN, GAIN, DROP, SECCOMP, VOLUME = (
    "may run as root",
    "may gain privileges",
    "keeps capabilities",
    "no seccomp",
    "volumes",
)
UNCONFINED = (RUN, GAIN, DROP, SECCOMP, VOLUME)
"""What `restricted` alone refuses; everything else is refused by `baseline` too."""


def asks(spec: Tree) -> list[str]:
    """Of a pod's spec: what `restricted` would refuse, each once and in order."""
    return list(dict.fromkeys((*_of_the_pod(spec), *(one for each in _containers(spec) for one in _of(each, spec)))))


def level(found: Iterable[str]) -> Level:
    """The strictest that lets all of it through."""
    asked = set(found)
    return "privileged" if asked - {*UNCONFINED} else "baseline" if asked else "restricted"


def stricter(one: Level, other: Level) -> bool:
    """Whether the first lets less through."""
    return LEVELS.index(one) < LEVELS.index(other)


def charted(chart: str, version: str) -> Mapping[str, list[str]] | None:
    """By workload what the pods of a release ask for; None where nobody has looked."""
    known = charts.measured(chart, FILE, version)
    return known and known["pods"]


def _containers(spec: Tree) -> list[Tree]:
    found: list[Tree] = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return found


def _of_the_pod(spec: Tree) -> Iterator[str]:
    yield from (key for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key))
    volumes: list[Tree] = [*(spec.get("volumes") or ())]
    yield from sorted({f"hostPath {one['hostPath']['path']}" for one in volumes if one.get("hostPath")})
    if any(set(volume) - PLAIN - {"hostPath"} for volume in volumes):
        yield VOLUME


def _of(container: Tree, spec: Tree) -> Iterator[str]:
    own, whole = _part(container, "securityContext"), _part(spec, "securityContext")
    ports: list[Tree] = [*(container.get("ports") or ())]
    if own.get("privileged"):
        yield "privileged"
    yield from (f"hostPort {port['hostPort']}" for port in ports if port.get("hostPort"))
    yield from _capabilities(_part(own, "capabilities"))
    profile = (_part(own, "seccompProfile") or _part(whole, "seccompProfile")).get("type")
    yield from {"Unconfined": ["seccomp Unconfined"], None: [SECCOMP]}.get(profile, [])
    if not own.get("runAsNonRoot", whole.get("runAsNonRoot")) or own.get("runAsUser", whole.get("runAsUser")) == 0:
        yield RUN
    if own.get("allowPrivilegeEscalation") is not False:
        yield GAIN


def _capabilities(said: Tree) -> Iterator[str]:
    added: set[str] = {*(said.get("add") or ())}
    yield from (f"capability {one}" for one in sorted(added - UNHARMED))
    if "ALL" not in (said.get("drop") or ()) or added & UNHARMED - {"NET_BIND_SERVICE"}:
        yield DROP


def _part(one: Tree, key: str) -> Tree:
    found: Tree = one.get(key) or {}
    return found
