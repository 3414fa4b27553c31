"""Pod templates as the API server's own language (CEL) sees them: which kinds have them, and where they are.

Plain data of the standard library alone, because the policies read it too, and start without the rest.
"""

from bedplate.components.workload.kinds import KINDS

Kind = tuple[str, str, str]
"""API group, version and resource (plural)."""

PODS: tuple[Kind, ...] = (
    ("", "v1", "pods"),
    ("apps", "v1", "deployments"),
    ("apps", "v1", "statefulsets"),
    ("apps", "v1", "daemonsets"),
    KINDS["Job"].admitted,
    ("batch", "v1", "cronjobs"),
    *(KINDS[kind].admitted for kind in ("JobSet", "PyTorchJob", "MPIJob", "LeaderWorkerSet", "VolcanoJob")),
)
"""Kinds with pod templates."""

TEMPLATES = """
object.kind == 'Pod' ? [object]
: object.kind == 'CronJob' ? [object.spec.jobTemplate.spec.template]
: object.kind == 'JobSet' ? object.spec.replicatedJobs.map(j, j.template.spec.template)
: object.kind == 'PyTorchJob'
  ? object.spec.pytorchReplicaSpecs.map(r, object.spec.pytorchReplicaSpecs[r].template)
: object.kind == 'MPIJob' ? object.spec.mpiReplicaSpecs.map(r, object.spec.mpiReplicaSpecs[r].template)
: object.kind == 'LeaderWorkerSet'
  ? (has(object.spec.leaderWorkerTemplate.leaderTemplate)
     ? [object.spec.leaderWorkerTemplate.leaderTemplate, object.spec.leaderWorkerTemplate.workerTemplate]
     : [object.spec.leaderWorkerTemplate.workerTemplate])
: has(object.spec.tasks) ? object.spec.tasks.map(t, t.template)
: [object.spec.template]
"""
"""Pod templates of any of those kinds, as a list."""

RAY_CLUSTERS = (
    "((has(object.spec.rayClusterSpec) ? [object.spec.rayClusterSpec] : []) + "
    "(has(object.spec.rayClusterConfig) ? [object.spec.rayClusterConfig] : []) + "
    "(has(object.spec.headGroupSpec) ? [object.spec] : []))"
)
"""Of a RayJob, RayService or RayCluster, what says how many pods there are, as a list."""


def each_spec(condition: str) -> str:
    """True where the condition holds for every pod spec, written `$s`, of template `t`."""
    return f"variables.templates.all(t, {condition.replace('$s', 't.spec')})"
