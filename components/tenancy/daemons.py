"""The fabric's own daemon in a team's pod: it has rights on the node that nothing else of the team may come to.

It is known by all that it runs and reads, because a name or an image anybody can take; and nobody goes into it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from components.tenancy.guards import MARKED, MARKS, Limit, Watch, texts
from components.workload.extras import Extras
from components.workload.templates import PODS

INJECTED = "^(JOB_COMPLETION_INDEX|VK_TASK_INDEX|(LWS|VC)_[A-Z0-9_]+)$"
"""Variables that controllers give every container: those of an indexed Job (kubernetes 1.35, indexed_job_utils.go), of
LeaderWorkerSet (0.9, pod_utils.go) and of Volcano's plug-ins env and svc (1.15). No loader reads them."""
INJECTOR = "devices.gke.io/"
"""Annotations by which GKE's plug-in gives a container any device of the node (container-engine-accelerators,
nri_device_injector.go)."""
DEVICES = r"^(- path: /dev/(nvidia[0-9]+|nvidiactl|nvidia-uvm|dmabuf_import_helper)\\s*)+$"
"""Those of the daemon: the GPUs', and what hands their memory to the NICs."""
MOUNTED = ("/etc/volcano", "/var/run/secrets/kubernetes.io/serviceaccount")
"""Where controllers mount files of theirs, and nothing is run from: Volcano's plug-in svc, and service accounts."""


def is_daemon(daemon: Mapping[str, Any], extras: Extras) -> str:
    """CEL: init container `c` of pod spec `$s` is this daemon, with its own rights and over its own folders."""
    rights, start = "c.securityContext.capabilities", "c.startupProbe.exec"
    added = texts(daemon["securityContext"]["capabilities"]["add"])
    variable = f"e.name.matches('{INJECTED}') || {_any(_variables(daemon))}"
    mount = f"m.mountPath in {texts(MOUNTED)} || {_any(_mounts(daemon, extras))}"
    return " && ".join(
        (
            *(f"has(c.{key}) && c.{key} == {json.dumps(daemon[key])}" for key in ("name", "image", "command", "args")),
            *(f"!has(c.{key})" for key in ("envFrom", "lifecycle", "livenessProbe", "readinessProbe")),
            f"(!has(c.startupProbe) || (has({start}) && {start}.command == {texts(_started(daemon))}))",
            f"(!has(c.env) || c.env.all(e, {variable}))",
            f"(!has(c.volumeMounts) || c.volumeMounts.all(m, {mount}))",
            f"(!has(c.securityContext) || !has({rights}) || !has({rights}.add) || {rights}.add.all(a, a in {added}))",
        )
    )


def _started(daemon: Mapping[str, Any]) -> list[str]:
    return daemon["startupProbe"]["exec"]["command"]


def _variables(daemon: Mapping[str, Any]) -> Iterator[str]:
    for one in daemon["env"]:
        yield f"e.name == {json.dumps(one['name'])} && has(e.value) && e.value == {json.dumps(one['value'])}"


def _mounts(daemon: Mapping[str, Any], extras: Extras) -> Iterator[str]:
    """A mount of the node's folder itself, by a volume that is no other."""
    for one in daemon["volumeMounts"]:
        name, path = json.dumps(one["name"]), json.dumps(one["mountPath"])
        folder = f"v.name == m.name && has(v.hostPath) && v.hostPath.path == {json.dumps(extras.volumes[one['name']])}"
        yield f"m.name == {name} && m.mountPath == {path} && !has(m.subPath) && $s.volumes.exists(v, {folder})"


def _any(conditions: Iterable[str]) -> str:
    return " || ".join(f"({condition})" for condition in conditions)


def daemon_names(node: Iterable[Extras]) -> list[str]:
    """Of the containers that are a fabric's daemon, and of no other."""
    return sorted({one["name"] for extras in node for one in extras.sidecars})


def daemon_watches(platform: str, node: Iterable[Extras]) -> Iterator[Watch]:
    """Nobody gives another container its devices, or runs a program in it; no call without a name means it."""
    names, marks = daemon_names(node), MARKS.format("t")
    if platform == "gke":
        own = f"k in {texts(f'{INJECTOR}container.{name}' for name in names)} && {marks}[k].matches('{DEVICES}')"
        yield Watch(
            "device",
            PODS,
            (
                Limit(
                    f"variables.templates.all(t, {marks}.all(k, !k.startsWith('{INJECTOR}') || ({own})))",
                    f"{INJECTOR} hands out any device of the node: only the fabric's daemon has some.",
                ),
            ),
            when=MARKED,
        )
    if names:
        yield Watch(
            "daemon",
            (("", "v1", "pods/exec"), ("", "v1", "pods/attach")),
            (
                Limit(
                    f"!(object.container in {texts(names)})",
                    "The fabric's daemon has rights on the node: read its log instead of going into it.",
                ),
            ),
            when="has(object.container)",
            operations=("CONNECT",),
        )
