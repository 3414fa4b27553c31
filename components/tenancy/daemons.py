"""The fabric's own daemon in a team's pod: it has rights on the node that nothing else of the team may come to.

It is known by all that it runs and reads, because a name or an image anybody can take; and nobody goes into it.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bedplate.components.tenancy.guards import MARKED, MARKS, Limit, Watch, texts
from bedplate.components.workload.extras import Extras
from bedplate.components.workload.templates import PODS, each_spec

INJECTED = "^(JOB_COMPLETION_INDEX|VK_TASK_INDEX|MPI_HOST|(LWS|VC)_[A-Z0-9_]+)$"
"""Variables that controllers give every container: those of an indexed Job (kubernetes 1.35, indexed_job_utils.go), of
LeaderWorkerSet (0.9, pod_utils.go) and of Volcano's plug-ins env, svc and mpi (1.15). No loader reads them."""
INJECTOR = "devices.gke.io/"
"""Annotations by which GKE's plug-in gives a container any device of the node (container-engine-accelerators,
nri_device_injector.go)."""
DEVICES = r"^(- path: /dev/(nvidia[0-9]+|nvidiactl|nvidia-uvm|dmabuf_import_helper)\\s*)+$"
"""Those of the daemon: the GPUs', and what hands their memory to the NICs."""
MOUNTED = [f"/{folder}" for folder in ("etc/volcano", "root/.ssh", "var/run/secrets/kubernetes.io/serviceaccount")]
"""Where controllers mount what nothing runs: Volcano's plug-ins svc and ssh, service accounts."""
LOG = "/dev/termination-log"
"""Kubernetes' own place; the kubelet lays a file over whatever is there."""
UNUSED = ("envFrom", "lifecycle", "livenessProbe", "readinessProbe", "workingDir")
FIRST = "(has($s.initContainers) ? $s.initContainers : [])"
LATER = "(has($s.ephemeralContainers) ? $s.ephemeralContainers : [])"


def daemon_limits(node: Collection[Extras], gpus: Iterable[str]) -> Iterator[Limit]:
    """Under its name runs nothing else, in pods that wait for GPUs; and nobody joins its processes."""
    if names := daemon_names(node):
        named, joins = f"c.name in {texts(names)}", f"c.targetContainerName in {texts(names)}"
        own = " || ".join(f"({_is(one, extras)})" for extras in node for one in extras.sidecars)
        alone = "(!has($s.shareProcessNamespace) || !$s.shareProcessNamespace)"
        root = "(!has($s.securityContext) || !has($s.securityContext.runAsUser) || $s.securityContext.runAsUser == 0)"
        yield Limit(
            each_spec(
                f"$s.containers.all(c, !({named}))"
                f" && {LATER}.all(c, !({named}) && (!has(c.targetContainerName) || !({joins})))"
                f" && {FIRST}.all(c, !({named}) || ({alone} && {root} && {asks_for(gpus)} && ({own})))"
            ),
            f"{' and '.join(names)} is the fabric's daemon, as the workload contract has it: name yours otherwise.",
        )


def asks_for(resources: Iterable[str]) -> str:
    """CEL: some container of pod spec `$s` asks for one of them, and not for none of it."""
    limits = "g.resources.limits"
    some = f"k in {texts(resources)} && quantity(string({limits}[k])).isGreaterThan(quantity('0'))"
    return f"$s.containers.exists(g, has(g.resources) && has({limits}) && {limits}.exists(k, {some}))"


def _is(daemon: Mapping[str, Any], extras: Extras) -> str:
    """Init container `c` is this daemon: what it runs and reads, and its rights, without which others could join it."""
    rights, start = "c.securityContext.capabilities", "c.startupProbe.exec"
    variable = f"e.name.matches('{INJECTED}') || {_any(_variables(daemon))}"
    mount = f"m.mountPath in {texts(MOUNTED)} || {_any(_mounts(daemon, extras))}"
    return " && ".join(
        (
            *(f"has(c.{key}) && c.{key} == {json.dumps(daemon[key])}" for key in ("name", "image", "command", "args")),
            *(f"!has(c.{key})" for key in UNUSED),
            f"(!has(c.terminationMessagePath) || c.terminationMessagePath == '{LOG}')",
            f"(!has(c.startupProbe) || (has({start}) && {start}.command == {texts(_started(daemon))}))",
            f"(!has(c.env) || c.env.all(e, {variable}))",
            f"(!has(c.volumeMounts) || c.volumeMounts.all(m, {mount}))",
            f"has(c.securityContext) && !has(c.securityContext.runAsUser) && has({rights}) && !has({rights}.drop)",
            f"has({rights}.add) && {rights}.add == {texts(daemon['securityContext']['capabilities']['add'])}",
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
        whole = "!has(m.subPath) && !has(m.subPathExpr)"
        yield f"m.name == {name} && m.mountPath == {path} && {whole} && $s.volumes.exists(v, {folder})"


def _any(conditions: Iterable[str]) -> str:
    return " || ".join(f"({condition})" for condition in conditions)


def daemon_names(node: Iterable[Extras]) -> list[str]:
    """Of the containers that are a fabric's daemon, and of no other."""
    return sorted({one["name"] for extras in node for one in extras.sidecars})


def daemon_watches(platform: str, node: Collection[Extras]) -> Iterator[Watch]:
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
