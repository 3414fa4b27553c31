"""The pod of a model server: what it mounts, what it is told, and when it counts as started, ready and alive."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bedplate.catalog.engines import projects_own
from bedplate.components.facts import Facts, Volume
from bedplate.components.facts.pools import slice_resource
from bedplate.components.marks import marks
from bedplate.components.quantity import amount, written
from bedplate.components.serving.server import HUGGING_FACE_TOKEN, SERVING_API_KEY, SETTLING, Server
from bedplate.components.serving.weights import BucketWeights, HubWeights, VolumeWeights
from bedplate.components.workload.clouds import LIBRARY_PATH
from bedplate.components.workload.contract import PodShare, contract
from bedplate.components.workload.deepspeed import sourced

PRIORITY = "inference"
"""A request that waits is worth more than a job that starts later."""
PROBE_PERIOD = 10
MEBI = 1024**2
COMPONENT, MODEL_SERVER = "app.kubernetes.io/component", "model-server"


@dataclass(frozen=True)
class Loading:
    """Where a server's weights come from, as its pod sees it."""

    path: str
    """What the server is told to load."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    mounts: tuple[Mapping[str, Any], ...] = ()
    volumes: tuple[Mapping[str, Any], ...] = ()
    shared: Volume | None = None
    """The shared volume among them, which may ask something of the pod."""
    rights: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels by which the pod gets the rights to a bucket."""

    @property
    def annotations(self) -> Mapping[str, str]:
        """That the volume's driver asks for."""
        return self.shared.annotations if self.shared else {}

    @property
    def labels(self) -> Mapping[str, str]:
        """That the service account of the volume or the bucket asks for."""
        return self.shared.labels if self.shared else self.rights

    @property
    def service_account(self) -> str | None:
        """Whose rights the volume is read with."""
        return self.shared.service_account if self.shared else None


@dataclass(frozen=True)
class Process:
    """The container's part that only the kind of server knows."""

    image: str
    command: tuple[str, ...]
    port: int
    probes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path of the pod's own field by variable."""
    secrets: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Secret and key by variable."""
    service_account: str | None = None
    """Whose rights the pod has; None: nobody's, and then it has no token either."""
    sidecars: tuple[Mapping[str, Any], ...] = ()
    """Beside it in its pod; what they ask for is taken from its own."""


def loading(weights: VolumeWeights | HubWeights | BucketWeights, facts: Facts) -> Loading:
    """From a volume, read only; from a bucket; or from the hub, by way of a cache that survives the pod."""
    if isinstance(weights, BucketWeights):
        return Loading(weights.url, weights.env, rights=weights.pod_labels)
    if isinstance(weights, VolumeWeights):
        volume = facts.volumes[weights.volume]
        mount = volume.mount() | {"readOnly": True}
        path = f"{volume.path}/{weights.directory}"
        return Loading(path, {"HF_HUB_OFFLINE": "1"}, (mount,), (volume.pod_volume(),), volume)
    store = facts.volumes[weights.cache] if weights.cache else facts.cache
    if store is None:
        return Loading(weights.repository)
    env = {"HF_HOME": f"{store.path}/huggingface"}
    shared = store if isinstance(store, Volume) else None
    return Loading(weights.repository, env, (store.mount(),), (store.pod_volume(),), shared)


def share(server: Server, facts: Facts, *, fabric: bool = False) -> PodShare:
    """What one pod takes of a node; the fabric only where a replica spans nodes."""
    kind = slice_resource(server.kind_of_slice) if server.kind_of_slice else None
    pool = facts.pool(server.pool)
    part = contract(facts, server.namespace).share(pool, server.cut.node, fabric=fabric, resource=kind)
    stated = {"cpu": server.cpu, "memory": server.memory}
    return replace(part, resources={**part.resources, **{name: size for name, size in stated.items() if size}})


def driver_path(image: str, facts: Facts) -> dict[str, str]:
    """Where vLLM's image finds the driver that GKE's own plug-in mounts.

    CUDA 12.8 and 12.9 took that folder out of their images' path, and 13 brought it back (vllm-project/vllm#18859,
    #23935). The GPU Operator's toolkit needs no path.
    """
    googles = facts.platform == "gke" and "gpuOperator" not in facts.has
    path = f"{LIBRARY_PATH['LD_LIBRARY_PATH']}:/usr/local/cuda/lib64"
    return {"LD_LIBRARY_PATH": path} if googles and projects_own(image) else {}


def labels(server: Server) -> dict[str, str]:
    """By which its Service, budget and monitor find its pods."""
    return {"app.kubernetes.io/name": server.name, COMPONENT: MODEL_SERVER}


SECRET_ENDS = {HUGGING_FACE_TOKEN: "hub", SERVING_API_KEY: "api-key"}


def secret_name(server: Server, key: str) -> str:
    """Name of the Secret that holds the value of this configuration key."""
    return f"{server.name}-{SECRET_ENDS[key]}"


def pod_template(
    server: Server, facts: Facts, process: Process, source: Loading, *, fabric: bool = False
) -> dict[str, Any]:
    """One pod of the server."""
    part = share(server, facts, fabric=fabric)
    shm = {"medium": "Memory", "sizeLimit": f"{part.shm_gib}Gi"}
    sidecars = [dict(sidecar) for sidecar in (*part.node.sidecars, *process.sidecars)]
    return {
        "metadata": marks(
            labels={**source.labels, **labels(server), **server.belongs},
            annotations={**part.annotations, **source.annotations},
        ),
        "spec": {
            # A Service called `vllm` would set VLLM_PORT, which vLLM takes for its own (vllm-project/vllm#34199).
            "enableServiceLinks": False,
            **account(process.service_account or source.service_account),
            **({"priorityClassName": PRIORITY} if PRIORITY in facts.priority_classes else {}),
            "terminationGracePeriodSeconds": server.patience,
            **spread(server),
            **part.runtime,
            "nodeSelector": dict(part.node_selector),
            "tolerations": [dict(toleration) for toleration in part.tolerations],
            **({"initContainers": sidecars} if sidecars else {}),
            "containers": [_container(server, process, source, part)],
            "volumes": [{"name": "shm", "emptyDir": shm}, *map(dict, source.volumes), *part.node.pod_volumes()],
        },
    }


def _container(server: Server, process: Process, source: Loading, part: PodShare) -> dict[str, Any]:
    size = less(part.resources, process.sidecars)
    lock = {"capabilities": {"add": ["IPC_LOCK"]}} if part.fabric else {}
    return {
        "name": "server",
        "image": process.image,
        "command": sourced(process.command, part.env_file),
        "env": _env({**part.env, **source.env, **process.env, **server.env}, process),
        # Without probes it answers nobody, and a monitor would find its port closed.
        **({"ports": [{"name": "http", "containerPort": process.port}]} if process.probes else {}),
        **process.probes,
        # New requests stop coming a moment after the pod is told to go.
        "lifecycle": {"preStop": {"sleep": {"seconds": SETTLING}}},
        "resources": {"requests": size, "limits": dict(size)},
        "securityContext": {"allowPrivilegeEscalation": False, **lock},
        "volumeMounts": [
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108 - NCCL's own
            *map(dict, source.mounts),
            *part.node.worker_mounts(),
        ],
    }


def less(resources: Mapping[str, str], sidecars: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """What is left of a pod's resources for its server."""
    left = dict(resources)
    for sidecar in sidecars:
        for name, size in sidecar["resources"]["requests"].items():
            rest = amount(left[name]) - amount(size)
            left[name] = f"{rest / MEBI:.0f}Mi" if name == "memory" else written(rest)
    return left


def _env(plain: Mapping[str, str], process: Process) -> list[dict[str, Any]]:
    own = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in process.fields.items()]
    return [*({"name": name, "value": value} for name, value in plain.items()), *own, *held(process.secrets)]


def home(facts: Facts) -> dict[str, str]:
    """vLLM's, Triton's and PyTorch's caches, and a name, where no image knows the user that its pods run as.

    (llm-d/llm-d#1430: '/.triton', '/.config'; vllm-project/vllm#44548: 'uid not found'.)
    """
    return {"HOME": "/tmp", "USER": "vllm"} if facts.platform == "openshift" else {}  # noqa: S108 - of the container


def held(keys: Mapping[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """Variables whose values lie in Secrets, by Secret and key."""
    return [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}
        for name, (secret, key) in keys.items()
    ]


def account(name: str | None) -> dict[str, Any]:
    """Rights in the cloud come by a token of their own kind, so the API server's is never mounted."""
    return {"automountServiceAccountToken": False, **({"serviceAccountName": name} if name else {})}


def spread(server: Server) -> dict[str, Any]:
    """Replicas apart where there is room; a server that finds none shall still answer."""
    if server.spread is None:
        return {}
    key = {"host": "kubernetes.io/hostname", "zone": "topology.kubernetes.io/zone"}[server.spread]
    rule = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway"}
    return {"topologySpreadConstraints": [{**rule, "labelSelector": {"matchLabels": labels(server)}}]}


def probes(*, start: str, ready: str, alive: str, port: int, startup_seconds: int) -> dict[str, Any]:
    """Nothing is asked of a server while it loads; without that, liveness would kill it again and again."""
    period = {"periodSeconds": PROBE_PERIOD, "timeoutSeconds": 5}
    return {
        "startupProbe": {
            "httpGet": {"path": start, "port": port},
            **period,
            "failureThreshold": -(-startup_seconds // PROBE_PERIOD),
        },
        "readinessProbe": {"httpGet": {"path": ready, "port": port}, **period, "failureThreshold": 3},
        "livenessProbe": {"httpGet": {"path": alive, "port": port}, **period, "failureThreshold": 6},
    }
