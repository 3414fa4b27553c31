"""Guards over jobs."""

from policies.admission.guard import PODS, Guard, Kind, each_spec

QUEUE = "kueue.x-k8s.io/queue-name"
QUEUED = f"(has(object.metadata.labels) && '{QUEUE}' in object.metadata.labels)"
KUBEFLOW = ("pytorch", "tf", "xgboost", "paddle", "jax")
V1: tuple[Kind, ...] = tuple(("kubeflow.org", "v1", f"{kind}jobs") for kind in KUBEFLOW)
PYTORCH: tuple[Kind, ...] = V1[:1]
MPI: tuple[Kind, ...] = (("kubeflow.org", "v2beta1", "mpijobs"),)
TRAIN: tuple[Kind, ...] = (("trainer.kubeflow.org", "v1alpha1", "trainjobs"),)
LWS: tuple[Kind, ...] = (("leaderworkerset.x-k8s.io", "v1", "leaderworkersets"),)
GANGS: tuple[Kind, ...] = (*PYTORCH, *MPI, *(kind for kind in PODS if kind[2] == "jobsets"))
DEFAULT_SCHEDULER = "!has($s.schedulerName) || !($s.schedulerName in ['volcano', 'kai-scheduler'])"
OTHER_LABELS = "['scheduling.volcano.sh/queue-name', 'kai.scheduler/queue']"
SPREAD = (
    "!has($s.topologySpreadConstraints) || $s.topologySpreadConstraints.all(c, "
    "!c.topologyKey.matches('zone|rack|region|block') || c.whenUnsatisfiable != 'DoNotSchedule')"
)
REPLICAS = "object.spec.pytorchReplicaSpecs"
NAMED = "template.spec.containers.exists(c, c.name == 'pytorch')"
TRAINER = "object.spec.trainer.resourcesPerNode"
CLEANED = (
    "(has(object.spec.runPolicy) && has(object.spec.runPolicy.cleanPodPolicy) && "
    "object.spec.runPolicy.cleanPodPolicy != 'None')"
)


def _with_gpus(part: str) -> str:
    return f"(has({TRAINER}.{part}) && {TRAINER}.{part}.exists(k, k.startsWith('nvidia.com/gpu')))"


GUARDS = (
    Guard("SCH-404", f"!{QUEUED} || {each_spec(DEFAULT_SCHEDULER)}"),
    Guard("SCH-404", f"!{QUEUED} || !{OTHER_LABELS}.exists(l, l in object.metadata.labels)", part="labels"),
    Guard("SCH-414", each_spec(SPREAD), GANGS),
    Guard("TRN-501", f"{REPLICAS}.all(r, {REPLICAS}[r].{NAMED})", PYTORCH),
    Guard("TRN-506", f"!has(object.spec.elasticPolicy) || !('Master' in {REPLICAS})", PYTORCH),
    Guard("TRN-508", "size(object.metadata.name) <= 51", LWS, severity="mandatory"),
    Guard(
        "TRN-515",
        f"!has(object.spec.trainer) || !has({TRAINER}) || {_with_gpus('limits')} || {_with_gpus('requests')}",
        TRAIN,
    ),
    Guard("TRN-517", f"!{QUEUED} || {CLEANED}", (*PYTORCH, *MPI)),
    Guard("TRN-518", "false", V1),
)
