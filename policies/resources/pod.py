"""A pod template, wherever it stands: what its containers ask for and what they are told."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bedplate.components.bounded_yaml import parsed_json
from bedplate.policies.resources.model import Resource
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, is_map, items, text, texts, tree, trees, whole

GPU = re.compile(r"nvidia\.com/(gpu(\.shared)?|mig-.+)")
RDMA = re.compile(r"rdma/.*|vpc\.amazonaws\.com/efa|nvidia\.com/(hostdev|rdma-vf|.*nics?.*|sriov.*|.*rdma.*)")
ANY = re.compile(r".+")
GKE_RDMA = re.compile(r"networking\.gke\.io\.networks/.*")
SHM = "/dev/shm"  # noqa: S108 (a mount point in pods)
SHM_SIZE = "io.kubernetes.cri-o.ShmSize"
"""How large CRI-O makes /dev/shm, where its runtime allows the annotation: cri-o/cri-o docs, crio.conf.5."""
NETWORKS = "k8s.v1.cni.cncf.io/networks"
GKE_INTERFACES = "networking.gke.io/interfaces"
COMMUNICATION = re.compile(r"(NCCL|FI|RDMAV|GLOO|UCX)_")
SHELL_ENV = re.compile(r"(?:^|[\s;&])(?:export\s+|-x\s+)?((?:NCCL|FI|RDMAV|GLOO)_[A-Z0-9_]+)=(\"[^\"]*\"|'[^']*'|\S+)")


@dataclass(frozen=True)
class Network:
    """One entry of the networks annotation."""

    namespace: str
    name: str
    interface: str = ""


@dataclass(frozen=True)
class Pod:
    """A pod template with the object that carries it."""

    resource: Resource
    spec: Tree
    metadata: Tree = field(default_factory=dict[str, object])
    role: str = ""
    """Master, Worker, a task's name; empty where all pods are alike."""
    replicas: object = 1
    """How many such pods run side by side."""
    partial: bool = False
    """Whether the rest of the template stands elsewhere (a TrainJob's runtime)."""
    completed: bool = False
    """Whether somebody else adds to the template: an operator of another kind, or the base that a patch is of."""
    claimed: int = 0
    """GPUs that come by dynamic resource allocation."""
    inherited: Tree = field(default_factory=dict[str, object])
    """Variables that the job's launcher hands to this pod's processes."""
    fabric: frozenset[str] = frozenset()
    """Resources that the profile calls the fabric's: a site names its own as it likes."""
    coordinates: bool = False
    """Whether it only starts others: what it says of communication is about them."""

    @cached_property
    def title(self) -> str:
        """What a message calls it."""
        return f"{self.resource.title} {self.role}".rstrip()

    @cached_property
    def labels(self) -> Tree:
        """Labels of the object and of the template."""
        return {**self.resource.labels, **tree(self.metadata.get("labels"))}

    @cached_property
    def annotations(self) -> Tree:
        """Annotations of the object and of the template."""
        return {**self.resource.annotations, **tree(self.metadata.get("annotations"))}

    @cached_property
    def marks_known(self) -> bool:
        """Whether every label and annotation is known."""
        return not self.completed and whole(self.metadata) and whole(self.resource.at("metadata"))

    @cached_property
    def containers(self) -> list[Tree]:
        """The containers that run side by side: an init container that always restarts is a sidecar."""
        early = trees(self.spec.get("initContainers"))
        return [*trees(self.spec.get("containers")), *(each for each in early if each.get("restartPolicy") == "Always")]

    @cached_property
    def all_containers(self) -> list[Tree]:
        """Those, the ones that run before, and the ones that were added to look inside."""
        early = [each for each in trees(self.spec.get("initContainers")) if each.get("restartPolicy") != "Always"]
        return [*early, *self.containers, *trees(self.spec.get("ephemeralContainers"))]

    @cached_property
    def devices_known(self) -> bool:
        """Whether everything that the containers ask for is known."""
        found = self.spec.get("containers")
        return not (self.partial or found is UNKNOWN) and all(
            is_map(container) and whole(container.get("resources")) for container in items(found)
        )

    @cached_property
    def gpus(self) -> int:
        """GPUs, slices and shares of one pod, as far as they are known."""
        return sum(self.requests(GPU).values()) + self.claimed

    @cached_property
    def gpu_containers(self) -> list[Tree]:
        """The containers that use GPUs, by resource or by claim."""
        by_claim = bool(self.claimed)
        return [
            container
            for container in self.containers
            if any(GPU.fullmatch(key) for key in asked(container))
            or (by_claim and dig(container, "resources", "claims"))
        ]

    @cached_property
    def rdma(self) -> Mapping[str, int]:
        """Fabric devices of one pod by resource name."""
        return {name: count for name, count in self.requests(ANY).items() if self.is_rdma(name)}

    def is_rdma(self, name: str) -> bool:
        """Whether a resource is a device of a fabric, by its name or by the profile."""
        return name in self.fabric or RDMA.fullmatch(name) is not None

    @cached_property
    def on_fabric(self) -> bool:
        """Whether the pod asks for the fabric's devices."""
        return bool(self.rdma or self.requests(GKE_RDMA)) or GKE_INTERFACES in self.annotations

    def requests(self, name: re.Pattern[str]) -> dict[str, int]:
        """Counts of the matching extended resources over all containers, as far as they are known."""
        counts: dict[str, int] = {}
        for container in self.containers:
            for key, value in asked(container).items():
                if name.fullmatch(key):
                    counts[key] = counts.get(key, 0) + (integer(value) or 0)
        return {key: count for key, count in counts.items() if count}

    @cached_property
    def env(self) -> Mapping[str, object]:
        """Plain variables of all containers, and the communication ones set on command lines."""
        named = {
            text(entry.get("name")): entry.get("value", UNKNOWN if "valueFrom" in entry else "")
            for container in self.all_containers
            for entry in trees(container.get("env"))
        }
        own = {**dict(self._shell_env()), **named}
        if self.coordinates:
            return {name: value for name, value in own.items() if not COMMUNICATION.match(name)}
        return {**own, **self.inherited}

    def _shell_env(self) -> Iterator[tuple[str, str]]:
        for line in self.lines:
            yield from ((name, value.strip("\"'")) for name, value in SHELL_ENV.findall(line))

    @cached_property
    def env_known(self) -> bool:
        """Whether no variable can come from a place that we do not see."""
        parts = [self.spec.get("containers"), self.spec.get("initContainers")]
        hidden = self.partial or self.completed or any("envFrom" in container for container in self.all_containers)
        return not hidden and whole(parts)

    @cached_property
    def lines(self) -> list[str]:
        """Each container's command and arguments as one line."""
        return [" ".join(argv(container)) for container in self.all_containers]

    @cached_property
    def networks(self) -> list[Network]:
        """The secondary networks that the pod is attached to."""
        value = self.annotations.get(NETWORKS)
        return list(_networks(text(value), self.resource.namespace)) if value else []

    @cached_property
    def host_network(self) -> bool:
        """Whether the pod sees the node's own interfaces."""
        return self.spec.get("hostNetwork") is True

    @cached_property
    def volumes(self) -> Mapping[str, Tree]:
        """Volumes by name."""
        return {text(volume.get("name")): volume for volume in trees(self.spec.get("volumes"))}

    @cached_property
    def claims(self) -> list[str]:
        """Names of the persistent volume claims that it mounts."""
        names = (text(dig(volume, "persistentVolumeClaim", "claimName")) for volume in self.volumes.values())
        return [name for name in names if name]

    def shares_memory(self, container: Tree) -> bool:
        """Whether /dev/shm is more than the runtime's 64 MB: a volume, the host's /dev, or larger by annotation."""
        host = tree(self.mounted(container, "/dev"))
        whole_host = text(dig(host, "hostPath", "path")).rstrip("/") == "/dev"
        return whole_host or SHM_SIZE in self.annotations or self.mounted(container, SHM) is not None

    def mounted(self, container: Tree, path: str) -> Tree | None:
        """The volume that a container sees at a path."""
        for mount in trees(container.get("volumeMounts")):
            if text(mount.get("mountPath")).rstrip("/") == path:
                return self.volumes.get(text(mount.get("name")))
        return None

    @cached_property
    def scheduler(self) -> str:
        """The scheduler that places it, empty for the cluster's default."""
        return text(self.spec.get("schedulerName"))


def asked(container: Tree) -> dict[str, object]:
    """What a container asks for: limits, and requests where a resource has no limit."""
    resources = tree(container.get("resources"))
    return {**tree(resources.get("requests")), **tree(resources.get("limits"))}


def requested(container: Tree) -> set[str]:
    """The names of the resources that a container surely asks for."""
    return {key for key, count in asked(container).items() if count is not UNKNOWN}


def argv(container: Tree) -> list[str]:
    """A container's command and arguments, as far as they are known."""
    return [*texts(container.get("command")), *texts(container.get("args"))]


def capabilities(container: Tree) -> list[str]:
    """Linux capabilities added to a container, without their CAP_ prefix."""
    return [name.removeprefix("CAP_") for name in texts(dig(container, "securityContext", "capabilities", "add"))]


def privileged(container: Tree) -> bool:
    """Whether a container may do everything."""
    return dig(container, "securityContext", "privileged") is True


def _networks(value: str, namespace: str) -> Iterator[Network]:
    if value.lstrip().startswith("["):
        for entry in trees(_json(value)):
            yield Network(
                text(entry.get("namespace")) or namespace, text(entry.get("name")), text(entry.get("interface"))
            )
        return
    for entry in filter(None, (part.strip() for part in value.split(","))):
        path, _, interface = entry.partition("@")
        place, _, name = path.rpartition("/")
        yield Network(place or namespace, name, interface)


def _json(value: str) -> object:
    try:
        return parsed_json(value)
    except ValueError:
        return None
