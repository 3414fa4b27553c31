"""A rule in CEL: which kinds it looks at, and what must be true of each."""

from dataclasses import dataclass
from typing import Literal

from components.workload.kinds import KINDS

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


@dataclass(frozen=True)
class Guard:
    """What must hold for every object of some kinds."""

    rule: str
    expression: str
    """True for what is right."""
    kinds: tuple[Kind, ...] = PODS
    part: str = ""
    """Tells guards of one rule apart."""
    severity: Literal["mandatory", "advisory"] | None = None
    """Where the guard covers only a graver or lighter part of its rule."""

    @property
    def variables(self) -> list[dict[str, str]]:
        """The list of pod templates, where the guard looks at them."""
        uses = "variables.templates" in self.expression
        return [{"name": "templates", "expression": " ".join(TEMPLATES.split())}] if uses else []

    def resource_rules(self) -> list[dict[str, list[str]]]:
        """The kinds, as the API server matches them."""
        return [
            {"apiGroups": [group], "apiVersions": [version], "resources": [plural], "operations": ["CREATE", "UPDATE"]}
            for group, version, plural in self.kinds
        ]


def each_spec(condition: str) -> str:
    """True where the condition holds for every pod spec, written `$s`."""
    return f"variables.templates.all(t, {condition.replace('$s', 't.spec')})"


def each_container(condition: str) -> str:
    """True where the condition holds for every container `c`."""
    return each_spec(f"$s.containers.all(c, {condition})")


def env_is_not(name: str, test: str) -> str:
    """True where no container sets the variable to a value for which the test (over `e.value`) holds."""
    clash = f"e.name == '{name}' && has(e.value) && {test}"
    return each_container(f"!has(c.env) || !c.env.exists(e, {clash})")


def limits(pattern: str) -> str:
    """Whether container `c` asks for a resource whose name matches."""
    return f"(has(c.resources) && has(c.resources.limits) && c.resources.limits.exists(k, k.matches('{pattern}')))"
