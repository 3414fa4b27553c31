"""Jobs that take no GPU: for each shared volume of the team on a node that mounts it, each server, each pool."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from bedplate.components.digest import digest
from bedplate.components.facts import Facts, NodePool, Volume
from bedplate.components.marks import marks
from bedplate.components.section import Network
from bedplate.components.serving.pod import secret_name
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.server import SERVING_API_KEY, Llm
from bedplate.components.serving.triton import METRICS_PORT, READY
from bedplate.components.serving.vllm import PORT
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.components.tenancy.borders import identities, left_out
from bedplate.components.workload.contract import QUEUE_KEYS
from bedplate.components.workload.pod import JOB_LABEL
from bedplate.verify.jobs import HUNG_AFTER, KEPT, PRIORITY, Desk, Run

HERE = Path(__file__).parent / "probes"
STREAM = 2 * 2**30
"""Bytes of each of eight streams: 16 GiB, more than servers of a file system keep in memory for one client."""
SIZE = {"cpu": "8", "memory": "16Gi"}
SMALL = {"cpu": "1", "memory": "1Gi"}
ADDRESS, KUBELET, KUBELETS, IPV6 = "InternalIP", 10250, 3, 6
"""Every kubelet listens there, and a pod has no business with it; its own node's a network may let it reach."""
METADATA = "169.254.169.254"
SETTLED = 60
"""Seconds after which a pod's NetworkPolicies are kept, where they are."""


@dataclass(frozen=True)
class Light:
    """A job without GPUs."""

    title: str
    namespace: str
    words: tuple[str, ...]
    size: Mapping[str, str]
    pod: Mapping[str, Any]
    container: Mapping[str, Any]


def volume(desk: Desk, pool: NodePool, held: Volume) -> Run:
    """Writes and reads where the team's jobs would."""
    read_only = ("--read-only",) if held.read_only else ()
    words = ("python", "-c", _program("volume"), held.path, "--size", str(STREAM), *read_only)
    place = {**_on(pool), "volumes": [held.pod_volume()]}
    return _run(desk, Light(held.name, desk.section.team, words, SIZE, place, {"volumeMounts": [held.mount()]}))


def devices(desk: Desk, pool: NodePool) -> Run:
    """Looks for GPUs on a node of the pool and asks for none; an image of CUDA asks the runtime for all by itself."""
    words = ("python", "-c", _program("devices"), "/dev")
    return _run(desk, Light(f"devices {pool.name}", desk.section.team, words, SMALL, _on(pool), {}))


def borders(desk: Desk, pool: NodePool, nodes: Sequence[Mapping[str, Any]], egress: Collection[Network]) -> Run:
    """Calls what the team's NetworkPolicies close: other nodes' kubelets, and the machine's own metadata service.

    Not what the team's `egress` opens.
    """
    addresses = [
        address["address"]
        for node in nodes
        for address in node["status"].get("addresses", ())
        if address["type"] == ADDRESS
    ]
    rights = {identity.address for identity in identities(egress, desk.facts.platform)}
    closed = [address for address in map(ip_address, addresses) if not _opened(address, egress, desk.facts)][:KUBELETS]
    targets = [f"[{address}]:{KUBELET}" if address.version == IPV6 else f"{address}:{KUBELET}" for address in closed]
    metadata = [] if f"{METADATA}/32" in rights else [f"{METADATA}:80"]
    words = ("python", "-c", _program("borders"), str(SETTLED), *targets, *metadata)
    env = {"env": [{"name": "HOST_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}}]}
    return _run(desk, Light("borders", desk.section.team, words, SMALL, _on(pool), env))


def _opened(address: IPv4Address | IPv6Address, egress: Collection[Network], facts: Facts) -> bool:
    """As the NetworkPolicy of the team's `egress` has it (`components/tenancy/isolation.py`)."""
    holding = [network for network in egress if address in network]
    return any(
        not any(address in closed for closed in left_out(network, facts.cluster_networks)) for network in holding
    )


def _on(pool: NodePool) -> dict[str, Any]:
    taints = [{"key": taint["key"], "operator": "Exists", "effect": taint["effect"]} for taint in pool.taints]
    return {"nodeSelector": dict(pool.selector), "tolerations": taints}


def server(desk: Desk, deployed: AnyServer) -> Run:
    """Asks it from inside its namespace, where its network policies let it."""
    words = ("python", "-c", _program("server"), *_asked(deployed))
    held = {"name": secret_name(deployed, SERVING_API_KEY), "key": SERVING_API_KEY}
    key = (
        [{"name": "API_KEY", "valueFrom": {"secretKeyRef": held}}]
        if isinstance(deployed, Llm) and deployed.api_key
        else []
    )
    return _run(desk, Light(deployed.name, deployed.namespace, words, SMALL, {}, {"env": key} if key else {}))


def _asked(any_server: AnyServer) -> Iterator[str]:
    """Of vLLM what it is there for; Triton has no model that we know, so it is asked whether it is ready."""
    if isinstance(any_server, Llm):
        routed = isinstance(any_server, VllmStackServer)
        base = f"http://{any_server.name}-router-service:80" if routed else f"http://{any_server.name}:{PORT}"
        yield from (base, "--model", any_server.served_model_name or any_server.name, "--metrics", f"{base}/metrics")
        yield from ("--prefix", "vllm:", "--task", any_server.does)
    else:
        metrics = f"http://{any_server.name}:{METRICS_PORT}/metrics"
        yield from (f"http://{any_server.name}:{PORT}", "--ready", READY, "--metrics", metrics, "--prefix", "nv_")


def _program(name: str) -> str:
    return (HERE / f"{name}.py").read_text(encoding="utf-8")


def _run(desk: Desk, light: Light) -> Run:
    name = f"verify-{desk.run}-{digest(light.title, light.namespace)[:8]}"
    return Run(name, "Job", light.namespace, (desk.marked(_job(desk, light, name)),))


def _job(desk: Desk, light: Light, name: str) -> dict[str, Any]:
    facts = desk.facts
    labels, notes = _queue(facts, light.namespace)
    named = {JOB_LABEL: name, **labels}
    template = {"metadata": marks(labels=named, annotations=notes), "spec": _pod(desk, light)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": light.namespace, **marks(labels=named, annotations=notes)},
        "spec": {"backoffLimit": 0, "ttlSecondsAfterFinished": KEPT, "template": template},
    }


def _pod(desk: Desk, light: Light) -> dict[str, Any]:
    facts = desk.facts
    size = {"requests": dict(light.size), "limits": dict(light.size)}
    words = ["timeout", "-k", "10", str(HUNG_AFTER), *light.words]
    container = {"name": "probe", "image": desk.section.image, "command": words, "resources": size, **light.container}
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        **({"priorityClassName": PRIORITY} if PRIORITY in facts.priority_classes else {}),
        **({"schedulerName": facts.scheduler.name} if facts.scheduler.name else {}),
        **light.pod,
        "containers": [container],
    }


def _queue(facts: Facts, namespace: str) -> tuple[dict[str, str], dict[str, str]]:
    """Labels and annotations by which the team's queue takes it."""
    key, queue = QUEUE_KEYS.get(facts.scheduler.kind), facts.team(namespace).queue
    named = {key: queue} if key and queue else {}
    return ({}, named) if facts.scheduler.kind == "volcano" else (named, {})
