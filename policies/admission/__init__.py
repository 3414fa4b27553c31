"""The rules that an API server can enforce by itself, as ValidatingAdmissionPolicies.

A rule has a guard here where CEL can say it of one object without the profile. Mandatory rules deny, advisory ones
warn; text and severity come from the rule.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from bedplate.components.waiver import RULE, Waiver, with_waivers
from bedplate.policies.admission.guard import Guard
from bedplate.policies.admission.jobs import GUARDS as JOBS
from bedplate.policies.admission.objects import GUARDS as OBJECTS
from bedplate.policies.admission.pods import GUARDS as PODS
from bedplate.policies.rule import REGISTRY, Rule
from bedplate.policies.values import Tree

GUARDS: tuple[Guard, ...] = (*PODS, *JOBS, *OBJECTS)
BUNDLE = Path(__file__).parents[2] / "components" / "verification" / "admission.json"
PREFIX = "bedplate"
API = "admissionregistration.k8s.io/v1"
MEMLOCK = "NET-217"
SYSTEM = ("kube-system", "kube-node-lease", "kube-public")
"""Namespaces in which nothing is judged: a cluster must be able to start."""


@dataclass(frozen=True)
class Enforcement:
    """Where the guards hold, what they do, and what they are told of the cluster."""

    actions: tuple[str, ...] = ("Deny",)
    """What happens to a mandatory complaint: Deny, Warn, Audit; an advisory one is never denied."""
    namespaces: tuple[str, ...] = ()
    """The only ones that are judged; empty: all but the exempt."""
    exempt: tuple[str, ...] = ()
    """Namespaces that are let through, beside those of the system."""
    waivers: tuple[Waiver, ...] = ()
    """What is allowed in spite of a rule."""
    memlock_unlimited: bool | None = None
    """Whether the nodes lift the limit, so that RDMA needs no capability."""

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The guards that have something to guard here, in the severity that is proven here."""
        if self.memlock_unlimited is None:
            return GUARDS
        kept = (guard for guard in GUARDS if guard.rule != MEMLOCK or not self.memlock_unlimited)
        return tuple(replace(guard, severity="mandatory") if guard.rule == MEMLOCK else guard for guard in kept)


def manifests(enforcement: Enforcement = Enforcement()) -> Iterator[Tree]:
    """Policy and binding of each guard."""
    for guard in enforcement.guards:
        rule = REGISTRY[guard.rule]
        yield policy(guard, rule, enforcement.waivers)
        yield binding(guard, rule, enforcement)


def policy(guard: Guard, rule: Rule, waivers: tuple[Waiver, ...] = ()) -> Tree:
    """What is checked, on which kinds, and what is said."""
    spec: dict[str, object] = {
        "failurePolicy": "Ignore",  # a guard that CEL cannot evaluate must not stop the cluster
        "matchConstraints": {"resourceRules": guard.resource_rules()},
        "matchConditions": [{"name": "what-is-wanted-changes", "expression": guard.changes}],
        "variables": guard.variables,
        "validations": [{"expression": guard.validation, "message": message(rule), "reason": "Invalid"}],
    }
    made = {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name(guard), "annotations": {RULE: rule.id}},
        "spec": spec,
    }
    return with_waivers(made, waivers)


def binding(guard: Guard, rule: Rule, enforcement: Enforcement) -> Tree:
    """Where it holds, and whether it denies, warns or only leaves a mark in the audit log."""
    mandatory = (guard.severity or rule.severity) == "mandatory"
    mild = tuple("Warn" if action == "Deny" else action for action in enforcement.actions)
    return {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name(guard)},
        "spec": {
            "policyName": name(guard),
            "validationActions": list(enforcement.actions if mandatory else mild),
            "matchResources": {"namespaceSelector": {"matchExpressions": [_places(enforcement)]}},
        },
    }


def _places(enforcement: Enforcement) -> Tree:
    label = "kubernetes.io/metadata.name"
    if enforcement.namespaces:
        return {"key": label, "operator": "In", "values": sorted({*enforcement.namespaces} - {*enforcement.exempt})}
    return {"key": label, "operator": "NotIn", "values": sorted({*SYSTEM, *enforcement.exempt})}


def name(guard: Guard) -> str:
    """The objects' name: `bedplate-nccl-310`, with the guard's part where a rule has several."""
    return "-".join(filter(None, (PREFIX, guard.rule.lower(), guard.part)))


def message(rule: Rule) -> str:
    """What the user sees: one line."""
    return f"{rule.id} {rule.title}. {rule.why}. {rule.fix}."


def write_bundle() -> None:
    """Bring what the component installs up to date: one JSON file, quick to read in every plan."""
    BUNDLE.write_text(json.dumps(list(manifests()), indent=1) + "\n", encoding="utf-8")


def write(folder: Path, enforcement: Enforcement) -> list[Path]:
    """One file per guard."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for guard in enforcement.guards:
        rule = REGISTRY[guard.rule]
        path = folder / f"{name(guard)}.yaml"
        documents = [policy(guard, rule, enforcement.waivers), binding(guard, rule, enforcement)]
        path.write_text(yaml.safe_dump_all(documents, sort_keys=False, width=120), encoding="utf-8")
        paths.append(path)
    return paths


__all__ = ["BUNDLE", "GUARDS", "Enforcement", "Guard", "manifests", "write", "write_bundle"]
