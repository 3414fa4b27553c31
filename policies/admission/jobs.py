"""Guards over jobs."""

from components.workload.controllers import CONTROLLERS
from components.workload.kinds import KINDS
from policies.admission.guard import Guard, Kind, each_spec

QUEUE = "kueue.x-k8s.io/queue-name"
QUEUED = f"(has(object.metadata.labels) && '{QUEUE}' in object.metadata.labels)"
OLD = CONTROLLERS["trainingOperator"]
V1: tuple[Kind, ...] = tuple((OLD.group, "v1", plural) for plural in OLD.plurals)
PYTORCH: tuple[Kind, ...] = (KINDS["PyTorchJob"].admitted,)
MPI: tuple[Kind, ...] = (KINDS["MPIJob"].admitted,)
LWS: tuple[Kind, ...] = (KINDS["LeaderWorkerSet"].admitted,)
GANGS: tuple[Kind, ...] = (*PYTORCH, *MPI, KINDS["JobSet"].admitted)
DEFAULT_SCHEDULER = "!has($s.schedulerName) || !($s.schedulerName in ['volcano', 'kai-scheduler'])"
OTHER_LABELS = "['scheduling.volcano.sh/queue-name', 'kai.scheduler/queue']"
SPREAD = (
    "!has($s.topologySpreadConstraints) || $s.topologySpreadConstraints.all(c, "
    "!c.topologyKey.matches('zone|rack|region|block') || c.whenUnsatisfiable != 'DoNotSchedule')"
)
REPLICAS = "object.spec.pytorchReplicaSpecs"
NAMED = "template.spec.containers.exists(c, c.name == 'pytorch')"
CLEANED = (
    "(has(object.spec.runPolicy) && has(object.spec.runPolicy.cleanPodPolicy) && "
    "object.spec.runPolicy.cleanPodPolicy != 'None')"
)

GUARDS = (
    Guard("SCH-404", f"!{QUEUED} || {each_spec(DEFAULT_SCHEDULER)}"),
    Guard("SCH-404", f"!{QUEUED} || !{OTHER_LABELS}.exists(l, l in object.metadata.labels)", part="labels"),
    Guard("SCH-414", each_spec(SPREAD), GANGS),
    Guard("TRN-501", f"{REPLICAS}.all(r, {REPLICAS}[r].{NAMED})", PYTORCH),
    Guard("TRN-506", f"!has(object.spec.elasticPolicy) || !('Master' in {REPLICAS})", PYTORCH),
    Guard("TRN-508", f"size(object.metadata.name) <= {KINDS['LeaderWorkerSet'].limit}", LWS, severity="mandatory"),
    Guard("TRN-517", f"!{QUEUED} || {CLEANED}", PYTORCH, severity="advisory"),
    Guard("TRN-517", f"!{QUEUED} || {CLEANED}", MPI, part="mpi"),
    Guard("TRN-518", "false", V1),
)
