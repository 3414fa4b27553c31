"""Jobs and clusters for tests: each of our stacks with any scheduler and every controller, and a job of any kind."""

from functools import cache
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.training.render import manifests
from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.kinds import Kind
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.load import load
from tests.stack_files import document

SCHEDULERS = ("kueue", "volcano", "kai")
BESIDE_TRAINING = (
    "scheduling",
    "training",
    "tenancy",
    "storage",
    "serving",
    "monitoring",
    "autoscaling",
    "verification",
)
SECOND_POOL = "p5-burst"
"""Left out, so that a job need not say which pool it means."""
FABRICS = {
    "roce, shared": "onprem-h100-roce",
    "infiniband": "onprem-h100-ib",
    "efa": "eks-p5",
    "tcpxo": "gke-a3-mega",
    "lab": "lab",
}
"""Stacks whose nodes are one pool with a fabric."""


@cache
def cluster(stack: str, scheduler: str | None = "kueue", *, borrow: bool = True) -> Facts:
    """The stack with this scheduler, every job controller and two teams."""
    profile = {key: value for key, value in document(stack).items() if key not in BESIDE_TRAINING}
    profile["pools"] = [pool for pool in profile["pools"] if pool["name"] != SECOND_POOL]
    if scheduler:
        profile["scheduling"] = {"kind": scheduler}
    profile["training"] = {name: {} for name in CONTROLLERS}
    profile["tenancy"] = {"teams": [{"name": name, "borrow": borrow} for name in ("research", "platform")]}
    return facts(load(profile))


def job(kind: Kind = "JobSet", **more: Any) -> dict[str, Any]:
    """A job of two whole nodes."""
    runs = {"command": ["serve", "llama"], "port": 8000} if kind == "LeaderWorkerSet" else {"script": ["train.py"]}
    return {
        "name": "llama",
        "team": "research",
        "kind": kind,
        "image": "example.com/train:1",
        "nodes": 2,
        **runs,
        **more,
    }


def rendered(written: dict[str, Any], facts: Facts) -> list[dict[str, Any]]:
    """Its objects, if it is sound."""
    return manifests(load_job(written, facts), facts)


def main(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The job object: the last one."""
    return objects[-1]


def templates(value: Any) -> list[dict[str, Any]]:
    """Every pod template in an object, wherever it stands."""
    if isinstance(value, list):
        return [found for item in value for found in templates(item)]
    if not isinstance(value, dict):
        return []
    if "containers" in value.get("spec", {}):
        return [value]
    return [found for item in value.values() for found in templates(item)]


def all_templates(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every pod template of a job."""
    return [found for one in objects for found in templates(one)]


def container(template: dict[str, Any]) -> dict[str, Any]:
    """The one that is not a sidecar."""
    (only,) = template["spec"]["containers"]
    return only


def is_worker(template: dict[str, Any]) -> bool:
    return template["metadata"]["labels"]["bedplate/role"] == "worker"


def env(template: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container(template)["env"]}
