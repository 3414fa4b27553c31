"""The rules that an API server can enforce by itself, as ValidatingAdmissionPolicies.

A rule has a guard here where CEL can say it of one object without the profile. Mandatory rules deny, advisory ones
warn; text and severity come from the rule.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from policies.admission.guard import Guard
from policies.admission.jobs import GUARDS as JOBS
from policies.admission.objects import GUARDS as OBJECTS
from policies.admission.pods import GUARDS as PODS
from policies.rule import REGISTRY, Rule
from policies.values import Tree

GUARDS: tuple[Guard, ...] = (*PODS, *JOBS, *OBJECTS)
BUNDLE = Path(__file__).parents[2] / "components" / "verification" / "admission.json"
PREFIX = "bedplate"
API = "admissionregistration.k8s.io/v1"
CHANGES = "request.operation == 'CREATE' || object.spec != oldObject.spec"
"""Objects that are there may still be labelled, finalized and deleted."""
SYSTEM = ("kube-system", "kube-node-lease", "kube-public")
"""Namespaces in which nothing is judged: a cluster must be able to start."""


def manifests(exempt: tuple[str, ...] = ()) -> Iterator[Tree]:
    """Policy and binding of each guard; workloads of the exempt namespaces are let through."""
    for guard in GUARDS:
        rule = REGISTRY[guard.rule]
        yield policy(guard, rule)
        yield binding(guard, rule, exempt)


def policy(guard: Guard, rule: Rule) -> Tree:
    """What is checked, on which kinds, and what is said."""
    spec: dict[str, object] = {
        "failurePolicy": "Ignore",  # a guard that CEL cannot evaluate must not stop the cluster
        "matchConstraints": {"resourceRules": guard.resource_rules()},
        "matchConditions": [{"name": "what-is-wanted-changes", "expression": CHANGES}],
        "validations": [{"expression": guard.expression, "message": message(rule), "reason": "Invalid"}],
    }
    if guard.variables:
        spec["variables"] = guard.variables
    return {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name(guard), "annotations": {"bedplate.dev/rule": rule.id}},
        "spec": spec,
    }


def binding(guard: Guard, rule: Rule, exempt: tuple[str, ...]) -> Tree:
    """Where it holds, and whether it denies or warns."""
    elsewhere = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": sorted({*SYSTEM, *exempt})}
    action = "Deny" if (guard.severity or rule.severity) == "mandatory" else "Warn"
    return {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name(guard)},
        "spec": {
            "policyName": name(guard),
            "validationActions": [action],
            "matchResources": {"namespaceSelector": {"matchExpressions": [elsewhere]}},
        },
    }


def name(guard: Guard) -> str:
    """The objects' name: `bedplate-nccl-310`, with the guard's part where a rule has several."""
    return "-".join(filter(None, (PREFIX, guard.rule.lower(), guard.part)))


def message(rule: Rule) -> str:
    """What the user sees: one line."""
    return f"{rule.id} {rule.title}. {rule.why}. {rule.fix}."


def write_bundle() -> None:
    """Bring what the component installs up to date: one JSON file, quick to read in every plan."""
    BUNDLE.write_text(json.dumps(list(manifests()), indent=1) + "\n", encoding="utf-8")


def write(folder: Path) -> list[Path]:
    """One file per guard."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for guard in GUARDS:
        rule = REGISTRY[guard.rule]
        path = folder / f"{name(guard)}.yaml"
        documents = [policy(guard, rule), binding(guard, rule, ())]
        path.write_text(yaml.safe_dump_all(documents, sort_keys=False, width=120), encoding="utf-8")
        paths.append(path)
    return paths


__all__ = ["BUNDLE", "GUARDS", "Guard", "manifests", "write", "write_bundle"]
