"""OpenShift's choice of a SecurityContextConstraints for a pod, played.

As openshift/apiserver-library-go has it (release-4.20, pkg/securitycontextconstraints: sccadmission/admission.go,
sccmatching, util/sort, capabilities): of those that the pod's service account or its creator may use the first, by
priority, then points, then name, under which every container is sound; what the pod leaves out is then filled in. The
constraints are those that the cluster comes with (openshift/cluster-kube-apiserver-operator, bindata/bootkube,
2025-09). A creator is a controller, which may use what every account may.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

RANGE = range(1_000_660_000, 1_000_670_000)
"""User ids that OpenShift gives to a namespace (annotation openshift.io/sa.scc.uid-range); others have their own."""
LEVEL = "s0:c26,c5"
"""Its SELinux level (openshift.io/sa.scc.mcs)."""
TRIVIAL = {"secret", "configMap", "emptyDir", "downwardAPI", "projected", "none"}
USUAL = (*sorted(TRIVIAL - {"none"}), "csi", "ephemeral", "image", "persistentVolumeClaim")
USER_POINTS = {"RunAsAny": 40_000, "MustRunAsNonRoot": 30_000, "MustRunAsRange": 20_000, "MustRunAs": 10_000}
OLD_DROPS = ["KILL", "MKNOD", "SETUID", "SETGID"]
Pod = dict[str, Any]
Constraints = Mapping[str, Any]


def _standard(name: str, user: str, drop: list[str], **more: Any) -> dict[str, Any]:
    modern = drop == ["ALL"]
    return {
        "metadata": {"name": name},
        "runAsUser": {"type": user},
        "seLinuxContext": {"type": "MustRunAs"},
        "fsGroup": {"type": "MustRunAs" if user == "MustRunAsRange" else "RunAsAny"},
        "requiredDropCapabilities": drop,
        "allowPrivilegeEscalation": not modern,
        "allowedCapabilities": ["NET_BIND_SERVICE"] if modern else [],
        "seccompProfiles": ["runtime/default"] if modern else [],
        "volumes": [*USUAL],
        **more,
    }


STANDARD = (
    _standard("anyuid", "RunAsAny", ["MKNOD"], priority=10),
    _standard("nonroot", "MustRunAsNonRoot", OLD_DROPS),
    _standard("nonroot-v2", "MustRunAsNonRoot", ["ALL"]),
    _standard("restricted", "MustRunAsRange", OLD_DROPS),
    _standard("restricted-v2", "MustRunAsRange", ["ALL"]),
    _standard(
        "privileged",
        "RunAsAny",
        [],
        allowPrivilegedContainer=True,
        allowHostNetwork=True,
        allowHostPorts=True,
        allowHostPID=True,
        allowHostIPC=True,
        allowedCapabilities=["*"],
        seccompProfiles=["*"],
        seLinuxContext={"type": "RunAsAny"},
        volumes=["*"],
    ),
)
"""Those that a site may bind; `restricted-v3` asks for pods in a user namespace, and the others for host access."""
EVERYBODY = frozenset({"restricted-v2"})
"""What every authenticated account may use."""


@dataclass(frozen=True)
class Admitted:
    """Under which constraints, and the pod as it then is."""

    by: str
    pod: Pod


def admitted(pod: Pod, known: Iterable[Constraints], usable: Iterable[str] = ()) -> Admitted | list[str]:
    """The first that fits; else why none does. A pod is a template: its `spec` is read."""
    may, refused = EVERYBODY | {*usable}, list[str]()
    for one in sorted(known, key=order):
        name = one["metadata"]["name"]
        if name in may:
            mine = filled(pod, one)
            faults = [f"{name}: {fault}" for fault in _faults(mine["spec"], one)]
            if not faults:
                return Admitted(name, mine)
            refused += faults
    return refused


def order(one: Constraints) -> tuple[int, int, str]:
    """What is tried first sorts first (util/sort, ByPriority)."""
    return -(one.get("priority") or 0), points(one), one["metadata"]["name"]


def points(one: Constraints) -> int:
    """How lax it is (util/sort, byrestrictions.go)."""
    volumes = {*one["volumes"]}
    mounts = 200_000 if volumes & {"hostPath", "*"} else 100_000 if volumes - TRIVIAL else 0
    allowed, dropped = one.get("allowedCapabilities") or [], one.get("requiredDropCapabilities") or []
    adds = 4000 if {"*", "ALL"} & {*allowed} else 10 * len(allowed)
    drops = 3000 if "ALL" in dropped else 50 * len(dropped)
    capabilities = min(max(5000 + 300 * len(one.get("defaultAddCapabilities") or []) + adds - drops, 0), 9999)
    host = 1_600_000 * bool(one.get("allowPrivilegedContainer")) + 400_000 * bool(one.get("allowHostNetwork"))
    users = sum(USER_POINTS[one[key]["type"]] for key in ("runAsUser", "seLinuxContext"))
    return host + 800_000 * bool(one.get("allowHostPorts")) + mounts + capabilities + users


def filled(pod: Pod, one: Constraints) -> Pod:
    """What the pod does not say is said for it (sccmatching/provider.go)."""
    pod = copy.deepcopy(pod)
    whole = pod["spec"].setdefault("securityContext", {})
    if one["fsGroup"]["type"] == "MustRunAs":
        whole.setdefault("fsGroup", RANGE.start)
    if one["seLinuxContext"]["type"] == "MustRunAs":
        whole.setdefault("seLinuxOptions", {"level": LEVEL})
    if one.get("seccompProfiles") == ["runtime/default"]:
        whole.setdefault("seccompProfile", {"type": "RuntimeDefault"})
    for container in _containers(pod["spec"]):
        context = container.setdefault("securityContext", {})
        if one["runAsUser"]["type"] == "MustRunAsRange" and "runAsUser" not in whole:
            context.setdefault("runAsUser", RANGE.start)
        capabilities = context.setdefault("capabilities", {})
        drop = {*capabilities.get("drop", []), *(one.get("requiredDropCapabilities") or [])}
        capabilities["drop"] = sorted(drop)
        if one.get("allowPrivilegeEscalation", True) is False:
            context.setdefault("allowPrivilegeEscalation", False)
    return pod


def _containers(spec: Pod) -> list[dict[str, Any]]:
    return [*spec.get("initContainers", []), *spec["containers"]]


def _faults(spec: Pod, one: Constraints) -> Iterator[str]:
    """Of a pod that has been filled in."""
    volumes = {kind for volume in spec.get("volumes", []) for kind in volume if kind != "name"}
    if "*" not in one["volumes"]:
        yield from (f"{kind} volumes are not allowed" for kind in sorted(volumes - {*one["volumes"]}))
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(key) and not one.get(f"allow{key[0].upper()}{key[1:]}"):
            yield f"{key} is not allowed"
    whole = spec.get("securityContext", {})
    if one["fsGroup"]["type"] == "MustRunAs" and whole["fsGroup"] != RANGE.start:
        yield f"fsGroup {whole['fsGroup']} is not in the range"
    if one["seLinuxContext"]["type"] == "MustRunAs" and whole["seLinuxOptions"].get("level") != LEVEL:
        yield "seLinuxOptions.level is another"
    for container in _containers(spec):
        yield from _container_faults({**whole, **container["securityContext"]}, one)


def _container_faults(context: Mapping[str, Any], one: Constraints) -> Iterator[str]:
    user, kind = context.get("runAsUser"), one["runAsUser"]["type"]
    if (kind == "MustRunAsRange" and user not in RANGE) or (kind == "MustRunAsNonRoot" and user == 0):
        yield f"runAsUser {user} is not allowed"
    allowed = one.get("allowedCapabilities") or []
    if "*" not in allowed:
        added = {*context["capabilities"].get("add", [])}
        yield from (f"{name} may not be added" for name in sorted(added - {*allowed}))
    if context.get("privileged") and not one.get("allowPrivilegedContainer"):
        yield "privileged is not allowed"
    if one.get("allowPrivilegeEscalation", True) is False and context.get("allowPrivilegeEscalation"):
        yield "allowPrivilegeEscalation is not allowed"
    profiles = one.get("seccompProfiles") or []
    said, takes = context.get("seccompProfile", {}).get("type"), "RuntimeDefault" if profiles else None
    if "*" not in profiles and said != takes:
        yield f"seccomp profile {said} is not allowed"
