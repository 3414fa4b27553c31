"""Guards over jobs."""

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.templates import RAY_CLUSTERS
from bedplate.policies.admission.guard import Guard, Kind, cel, count, each_spec
from bedplate.policies.resources.kueue import LABEL
from bedplate.policies.resources.pod import GPU
from bedplate.policies.rules.scheduling.gang import OTHER_QUEUES, QUEUEING_SCHEDULERS
from bedplate.policies.rules.scheduling.placement import AWAY, SLICES, TOPOLOGIES
from bedplate.policies.rules.training.lifecycle import SERVICE_NAME
from bedplate.policies.rules.training.operators import CONTAINERS, JSON, OWN_COMMAND

OLD = CONTROLLERS["trainingOperator"]
V1: tuple[Kind, ...] = tuple((OLD.group, "v1", plural) for plural in OLD.plurals)
PYTORCH: tuple[Kind, ...] = (KINDS["PyTorchJob"].admitted,)
MPI: tuple[Kind, ...] = (KINDS["MPIJob"].admitted,)
LWS: tuple[Kind, ...] = (KINDS["LeaderWorkerSet"].admitted,)
GANGS: tuple[Kind, ...] = (*PYTORCH, *MPI, KINDS["JobSet"].admitted)

METADATA = "([object.metadata] + variables.templates.filter(t, has(t.metadata)).map(t, t.metadata))"
QUEUED = f"{METADATA}.exists(m, has(m.labels) && '{LABEL}' in m.labels && m.labels['{LABEL}'] != '')"
SCHEDULERS = str(sorted(QUEUEING_SCHEDULERS))
DEFAULT_SCHEDULER = each_spec(f"!has($s.schedulerName) || !($s.schedulerName in {SCHEDULERS})")
MARKED = " || ".join(
    f"(has(m.{part}) && {list(OTHER_QUEUES)}.exists(l, l in m.{part} && m.{part}[l] != ''))"
    for part in ("labels", "annotations")
)
GPUS = count(GPU).replace("$s", "t.spec")
SPREAD = (
    "!has($s.topologySpreadConstraints) || $s.topologySpreadConstraints.all(c, "
    f"!c.topologyKey.matches({cel(AWAY)}) || (has(c.whenUnsatisfiable) && c.whenUnsatisfiable != 'DoNotSchedule'))"
)
ASKED = "t.metadata.annotations"
ONE_TOPOLOGY = (
    f"!has(t.metadata) || !has({ASKED}) || "
    f"({list(TOPOLOGIES)}.filter(k, k in {ASKED} && {ASKED}[k] != '').size() < 2 && "
    f"{list(SLICES)}.filter(k, k in {ASKED}).size() != 1)"
)
RAY: tuple[Kind, ...] = tuple(("ray.io", "v1", plural) for plural in CONTROLLERS["kuberay"].plurals)
RAY_GROUPS = "((has(r.headGroupSpec) ? [r.headGroupSpec] : []) + (has(r.workerGroupSpecs) ? r.workerGroupSpecs : []))"
QUOTED = (
    f"(has(object.metadata.annotations) && '{OWN_COMMAND}' in object.metadata.annotations) || "
    f"{RAY_CLUSTERS}.all(r, {RAY_GROUPS}.all(g, !has(g.rayStartParams) || "
    f"g.rayStartParams.all(k, !g.rayStartParams[k].matches({cel(JSON)}))))"
)
REPLICAS = "object.spec.pytorchReplicaSpecs"
OTHER = "object.spec.mpiReplicaSpecs"
SETS = "object.spec.replicatedJobs"
JOB_PODS = "(has(j.replicas) ? j.replicas : 1) * (has(j.template.spec.parallelism) ? j.template.spec.parallelism : 1)"
SIZE = (
    f"(object.kind == 'PyTorchJob' ? {REPLICAS}.map(r, has({REPLICAS}[r].replicas) ? {REPLICAS}[r].replicas : 1).sum() "
    f": object.kind == 'MPIJob' ? ('Worker' in {OTHER} && has({OTHER}.Worker.replicas) ? {OTHER}.Worker.replicas : 1) "
    f": {SETS}.filter(j, [j.template.spec.template].exists(t, {GPUS} > 0)).map(j, {JOB_PODS}).sum())"
)
"""Pods of the job that run side by side."""
ELASTIC = "object.spec.elasticPolicy"
RANGE = f"!has({ELASTIC}.minReplicas) || !has({ELASTIC}.maxReplicas) || {ELASTIC}.minReplicas != {ELASTIC}.maxReplicas"
CLEANED = (
    "(has(object.spec.runPolicy) && has(object.spec.runPolicy.cleanPodPolicy) && "
    "object.spec.runPolicy.cleanPodPolicy != 'None')"
)
SERVED = f"(object.kind == 'MPIJob' && variables.templates.exists(t, {GPUS} > 0))"
"""Whether its workers are servers that hold GPUs until somebody ends them."""


def named(kind: str) -> Guard:
    """The operator's own name for the container of a kind."""
    plural = f"{kind.lower()}s"
    roles = f"object.spec.{ROLES.get(kind, kind.removesuffix('Job').lower())}ReplicaSpecs"
    has_it = f"{roles}[r].template.spec.containers.exists(c, c.name == '{CONTAINERS[kind]}')"
    part = "" if kind == "PyTorchJob" else kind.removesuffix("Job").lower()
    return Guard("TRN-501", f"{roles}.all(r, {has_it})", ((OLD.group, "v1", plural),), part=part)


ROLES = {"XGBoostJob": "xgb"}
"""Where a kind's field is not called by its own name: kubeflow/training-operator 1.9 API."""

GUARDS = (
    Guard("SCH-404", f"!{QUEUED} || {DEFAULT_SCHEDULER}", labels=(LABEL,)),
    Guard(
        "SCH-404",
        f"!{QUEUED} || !{METADATA}.exists(m, {MARKED})",
        part="labels",
        labels=(LABEL, *OTHER_QUEUES),
    ),
    Guard("SCH-414", f"{SIZE} < 2 || {each_spec(f'{count(GPU)} == 0 || {SPREAD}')}", GANGS),
    *map(named, CONTAINERS),
    Guard("TRN-506", f"!has({ELASTIC}) || (!('Master' in {REPLICAS}) && ({RANGE}))", PYTORCH),
    Guard(
        "TRN-508",
        f"!has(object.metadata.name) || size(object.metadata.name) <= {KINDS['LeaderWorkerSet'].limit}",
        LWS,
        severity="mandatory",
    ),
    Guard("TRN-517", f"!{QUEUED} || {SERVED} || {CLEANED}", (*PYTORCH, *MPI), severity="advisory", labels=(LABEL,)),
    Guard("TRN-517", f"!{QUEUED} || !{SERVED} || {CLEANED}", MPI, part="mpi", labels=(LABEL,)),
    Guard("TRN-518", "false", V1),
    Guard(
        "TRN-520", f"!has(object.metadata.name) || object.metadata.name.matches({cel(SERVICE_NAME, whole=True)})", V1
    ),
    Guard("TRN-524", QUOTED, RAY),
    Guard("SCH-429", each_spec(ONE_TOPOLOGY)),
)
