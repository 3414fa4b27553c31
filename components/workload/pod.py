"""The one pod template of every kind of job and of every role in it, so that roles cannot drift apart.

A role says only what must differ: the container's name, what it runs, and whether it does the work or starts and
watches the others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.components.facts import NodePool
from bedplate.components.facts.pools import GPU, slice_resource
from bedplate.components.marks import marks
from bedplate.components.platforms import CLOUDS, PLATFORMS
from bedplate.components.quantity import gib
from bedplate.components.workload.contract import Contract, PodShare
from bedplate.components.workload.deepspeed import CONFIG_FOLDER, command, config_name
from bedplate.components.workload.extras import Extras
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import WHOLE, TrainingJob

JOB_LABEL, ROLE_LABEL = "bedplate/job", "bedplate/role"
COORDINATOR = {"cpu": "4", "memory": "16Gi"}
"""What a launcher or a Ray head needs: it does no work."""
NO_GPUS: Mapping[str, str] = {"NVIDIA_VISIBLE_DEVICES": "void"}
"""CUDA's images say `all`, and where NVIDIA's runtime is the default one a container has them, uncounted."""
CHANNEL = "imex"
"""What a pod calls its claim of a channel."""
KEEP = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
KEEP_KARPENTER = {"karpenter.sh/do-not-disrupt": "true"}


@dataclass(frozen=True)
class Role:
    """What may differ between the pods of one job."""

    container: str = "trainer"
    words: tuple[str, ...] | None = None
    """What it runs instead of the job's own command; empty: what the image runs."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    coordinator: bool = False
    """Starts and watches the others: no GPUs, no devices."""
    root: bool = False
    """Runs as root, whoever its image names."""
    capabilities: tuple[str, ...] = ()
    """What it needs beside the fabric's own, and not every container runtime grants."""
    port: int | None = None
    restart_policy: str | None = "Never"
    """None where the job's controller sets it."""


def job_share(job: TrainingJob, contract: Contract) -> PodShare:
    """What one of its working pods asks for; without the fabric where it has nobody to talk to."""
    pool = contract.facts.pool(job.pool or contract.facts.gpu_pools[0].name)
    return contract.share(pool, job.gpus_per_node or pool.gpus, fabric=job.nodes > 1, resource=resource(job, pool))


def resource(job: TrainingJob, pool: NodePool) -> str:
    """What the job's pods ask for: GPUs, or the kind of slices that it names."""
    if job.slice is None:
        return pool.resource
    return GPU if job.slice == WHOLE else slice_resource(job.slice)


def pod_template(job: TrainingJob, contract: Contract, role: Role) -> dict[str, Any]:
    """A pod of the job in a role."""
    share, asked = job_share(job, contract), gang(job, contract)
    fabric: Mapping[str, str] = {} if role.coordinator else share.annotations
    mounted = [contract.facts.volumes[name] for name in claimed(job) if name in contract.facts.volumes]
    driver = _united(volume.annotations for volume in mounted)
    annotations = {
        **job.annotations,
        **driver,
        **fabric,
        **asked.pod_annotations,
        **_disruption(contract.facts.platform),
    }
    tied = _united(volume.labels for volume in mounted)
    named = {**tied, **labels(job, coordinator=role.coordinator), **asked.pod_labels}
    rights = next((volume.service_account for volume in mounted if volume.service_account), None)
    account = {"serviceAccountName": rights} if rights else {}
    scheduler = {"schedulerName": asked.scheduler} if asked.scheduler else {}
    priority = {"priorityClassName": job.priority or contract.team.priority_class}
    return {
        "metadata": marks(labels=named, annotations=annotations),
        "spec": {**scheduler, **priority, **account, **_spec(job, share, role)},
    }


def _united(marks_of: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Marks of all of them."""
    return {key: value for one in marks_of for key, value in one.items()}


def _spec(job: TrainingJob, share: PodShare, role: Role) -> dict[str, Any]:
    sidecars = [dict(sidecar) for sidecar in _node(share, role).sidecars]
    return {
        **({"restartPolicy": role.restart_policy} if role.restart_policy else {}),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": job.grace,
        **({} if role.coordinator else share.runtime),
        "nodeSelector": dict(share.node_selector),
        "tolerations": [dict(toleration) for toleration in share.tolerations],
        **({"initContainers": sidecars} if sidecars else {}),
        **_resource_claims(share, role),
        "containers": [_container(job, share, role)],
        "volumes": _volumes(job, share, role),
    }


def _node(share: PodShare, role: Role) -> Extras:
    """What a working pod takes from its node."""
    return Extras() if role.coordinator else share.node


def labels(job: TrainingJob, *, coordinator: bool) -> dict[str, str]:
    """What selects the pods of a job by what they do."""
    return {JOB_LABEL: job.name, ROLE_LABEL: "coordinator" if coordinator else "worker"}


def _container(job: TrainingJob, share: PodShare, role: Role) -> dict[str, Any]:
    words = command(job, share) if role.words is None else list(role.words)
    size = resources(job, share, role)
    return {
        "name": role.container,
        "image": job.image,
        **({"command": words} if words else {}),
        "env": [{"name": name, "value": value} for name, value in environment(job, share, role).items()],
        "resources": {"requests": size, "limits": dict(size), **_claimed(share, role)},
        **_security(share, role),
        **_port(role),
        "volumeMounts": _mounts(job, share, role),
    }


def _security(share: PodShare, role: Role) -> dict[str, Any]:
    """RDMA registers GPU and host memory, which must not be swapped (NVIDIA/nccl-tests#206)."""
    added = [*(["IPC_LOCK"] if share.fabric and not role.coordinator else []), *role.capabilities]
    user = {"runAsUser": 0} if role.root else {}
    context = user | ({"capabilities": {"add": added}} if added else {})
    return {"securityContext": context} if context else {}


def _resource_claims(share: PodShare, role: Role) -> dict[str, Any]:
    """The pod's way into the ComputeDomain of its team, one channel a node."""
    channel = None if role.coordinator else share.channel
    return {"resourceClaims": [{"name": CHANNEL, "resourceClaimTemplateName": channel}]} if channel else {}


def _claimed(share: PodShare, role: Role) -> dict[str, Any]:
    return {"claims": [{"name": CHANNEL}]} if share.channel and not role.coordinator else {}


def environment(job: TrainingJob, share: PodShare, role: Role) -> dict[str, str]:
    """The fabric's variables, the launcher's, and the job's own last; a coordinator has them to pass them on."""
    cut = job.parallelism
    sizes = {"TP_SIZE": cut.tp, "PP_SIZE": cut.pp, "CP_SIZE": cut.cp} if cut else {}
    return {
        **share.env,
        **{name: str(size) for name, size in sizes.items()},
        **({"CHECKPOINT_DIR": job.checkpoint.path} if job.checkpoint else {}),
        **role.env,
        **(NO_GPUS if role.coordinator else {}),
        **job.env,
    }


def resources(job: TrainingJob, share: PodShare, role: Role) -> dict[str, str]:
    """Requests and limits alike."""
    if role.coordinator:
        return dict(COORDINATOR)
    own = {"cpu": str(job.cpus) if job.cpus else None, "memory": f"{job.memory_gib}Gi" if job.memory_gib else None}
    return dict(share.resources) | {name: value for name, value in own.items() if value}


def shm_gib(job: TrainingJob, share: PodShare, role: Role) -> int:
    """At most half the memory limit, which it counts against."""
    memory = int(gib(resources(job, share, role)["memory"]))
    return min(memory // 2, job.shm_gib or share.shm_gib)


def _port(role: Role) -> dict[str, Any]:
    if role.port is None:
        return {}
    probe = {"tcpSocket": {"port": role.port}, "periodSeconds": 10}
    # Loading a model of hundreds of GB takes its time, and a server that is killed meanwhile starts anew for ever.
    return {
        "ports": [{"name": "http", "containerPort": role.port}],
        "startupProbe": probe | {"failureThreshold": 180},
        "readinessProbe": probe,
    }


def _claim(share: PodShare, claim: str, path: str) -> dict[str, Any]:
    sub_path = {"subPath": share.sub_paths[claim]} if claim in share.sub_paths else {}
    return {"name": claim, "mountPath": path, **sub_path}


def _mounts(job: TrainingJob, share: PodShare, role: Role) -> list[dict[str, Any]]:
    claims = [_claim(share, v.claim, v.path) | {"readOnly": v.read_only} for v in job.volumes]
    state = [_claim(share, job.checkpoint.claim, job.checkpoint.path)] if job.checkpoint else []
    settings = [{"name": "deepspeed", "mountPath": CONFIG_FOLDER, "readOnly": True}] if job.deepspeed else []
    return [{"name": "shm", "mountPath": "/dev/shm"}, *state, *claims, *settings, *_node(share, role).worker_mounts()]  # noqa: S108 - NCCL's own place


def claimed(job: TrainingJob) -> list[str]:
    """The claims that its pods mount, each once."""
    return list(dict.fromkeys([*([job.checkpoint.claim] if job.checkpoint else []), *(v.claim for v in job.volumes)]))


def _volumes(job: TrainingJob, share: PodShare, role: Role) -> list[dict[str, Any]]:
    claims = claimed(job)
    settings = [{"name": "deepspeed", "configMap": {"name": config_name(job)}}] if job.deepspeed else []
    return [
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{shm_gib(job, share, role)}Gi"}},
        *({"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims),
        *settings,
        *_node(share, role).pod_volumes(),
    ]


def _disruption(platform: str) -> dict[str, str]:
    """Keeps autoscalers from emptying the node under a job; elsewhere a PodDisruptionBudget guards against drains."""
    if platform not in CLOUDS:
        return {}
    return KEEP | (KEEP_KARPENTER if PLATFORMS[platform].karpenter else {})
