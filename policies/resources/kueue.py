"""Operators as a stack installs them: those of jobs with their arguments, Kueue with its configuration and queues."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

import yaml

from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.policies.resources.model import RELEASE, Resource
from bedplate.policies.resources.pod import argv
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, is_map, text, texts, tree, trees

TRAINING = "training-operator"
MPI = "mpi-operator"
GANG_FLAGS = {"PyTorchJob": (TRAINING, "--gang-scheduler-name"), "MPIJob": (MPI, "--gang-scheduling")}


def arguments(stack: Stack, operator: str) -> list[tuple[Resource, list[str]]]:
    """The arguments of each Deployment of an operator; manifests taken from elsewhere do not show theirs."""
    return [
        (pod.resource, [token for container in pod.containers for token in argv(container)])
        for pod in stack.pods
        if pod.resource.kind == "Deployment" and pod.resource.object_name == operator
    ]


def present(stack: Stack, operator: str) -> list[Resource]:
    """Everything that installs an operator."""
    deployments = [resource for resource, _ in arguments(stack, operator)]
    return [*deployments, *stack.installs(operator), *(release.resource for release in stack.releases(operator))]


def flag(tokens: list[str], name: str) -> str | None:
    """The value of `--name=value` or `--name value`, None where it is not given."""
    for place, token in enumerate(tokens):
        if token == name and place + 1 < len(tokens):
            return tokens[place + 1]
        if token.startswith(f"{name}="):
            return token.removeprefix(f"{name}=")
    return None


LABEL = "kueue.x-k8s.io/queue-name"
GPU = "nvidia.com/gpu"
MANAGER_CONFIG = "controller_manager_config.yaml"
IMAGE = re.compile(r"/kueue(?:-controller)?:(v\d[^@\s]*)")
NARROWED = (0, 19)
"""Since this version the Kubeflow v1 jobs are not in the default list."""
COMMON = {
    *("batch/job", "kubeflow.org/mpijob", "ray.io/rayjob", "ray.io/rayservice", "ray.io/raycluster"),
    *("jobset.x-k8s.io/jobset", "workload.codeflare.dev/appwrapper", "trainer.kubeflow.org/trainjob", "pod"),
    *("deployment", "statefulset", "leaderworkerset.x-k8s.io/leaderworkerset"),
}
KUBEFLOW = set(CONTROLLERS["trainingOperator"].frameworks)
FRAMEWORKS = {
    ("batch", "Job"): "batch/job",
    ("core", "Pod"): "pod",
    ("apps", "Deployment"): "deployment",
    ("apps", "StatefulSet"): "statefulset",
}
"""Frameworks whose name is not group/kind in lower case: kubernetes-sigs/kueue 0.19 default configuration."""


def framework(resource: Resource) -> str:
    """What Kueue calls the integration that would manage a resource."""
    return FRAMEWORKS.get((resource.group, resource.kind), f"{resource.group}/{resource.kind.lower()}")


@dataclass(frozen=True)
class Kueue:
    """An installed Kueue."""

    release: Release

    @cached_property
    def config(self) -> object:
        """Its manager configuration: the chart's default is None, UNKNOWN where it cannot be read."""
        value = self.release.value("managerConfig", "controllerManagerConfigYaml")
        return parsed(value) if isinstance(value, str) else value

    @property
    def known(self) -> bool:
        """Whether its configuration can be read."""
        return self.config is None or is_map(self.config)

    @cached_property
    def frameworks(self) -> set[str]:
        """The integrations that are on."""
        listed = dig(self.config, "integrations", "frameworks")
        if listed is not None:
            return set(texts(listed))
        return COMMON if self.release.numbers >= NARROWED else COMMON | KUBEFLOW

    @cached_property
    def excluded(self) -> tuple[str, ...]:
        """Resource name prefixes that it does not count."""
        return tuple(texts(dig(self.config, "resources", "excludeResourcePrefixes")))

    @cached_property
    def replaced(self) -> set[str]:
        """Resources that it counts as others: the inputs of its transformations that it does not retain."""
        found = trees(dig(self.config, "resources", "transformations"))
        return {text(each.get("input")) for each in found if each.get("strategy") == "Replace"}


@cache
def parsed(value: str) -> object:
    """A configuration as a value; every rule about Kueue reads the same one."""
    try:
        return yaml.load(value, Loader=BoundedLoader)  # noqa: S506 (safe, and the fast one where PyYAML was built with it)
    except yaml.YAMLError:
        return UNKNOWN


def installed(stack: Stack) -> list[Kueue]:
    """Every Kueue of the stack: by its chart, or by the manifests of a release."""
    return [*map(Kueue, stack.releases("kueue")), *(Kueue(each) for each in _from_manifests(stack))]


def _from_manifests(stack: Stack) -> Iterator[Release]:
    """A Kueue whose configuration lies open in a ConfigMap, as `manifests.yaml` of its releases has it."""
    for each in stack.of("ConfigMap"):
        config = text(dig(each.props, "data", MANAGER_CONFIG))
        if config and text(dig(parsed(config), "apiVersion")).startswith("config.kueue.x-k8s.io/"):
            values = {"managerConfig": {"controllerManagerConfigYaml": config}}
            props = {"chart": "kueue", "version": _version(stack), "namespace": each.namespace, "values": values}
            yield Release(replace(each, type=RELEASE, props=props))


def _version(stack: Stack) -> str:
    """By the image of the controller; empty where that is not among the manifests."""
    images = (text(container.get("image")) for pod in stack.pods for container in pod.containers)
    found = (IMAGE.search(image) for image in images)
    return next((match[1] for match in found if match), "")


@dataclass(frozen=True)
class Chain:
    """Where a job's queue leads."""

    local: Resource | None
    cluster: Resource | None


def chain(stack: Stack, namespace: str, queue: str) -> Chain:
    """The local queue of that name and its cluster queue, as far as they exist."""
    local = stack.find("LocalQueue", queue, namespace)
    name = text(local.spec.get("clusterQueue")) if local else ""
    return Chain(local, stack.find("ClusterQueue", name))


def flavors(queue: Resource) -> list[Tree]:
    """The flavors of a cluster queue, each with its quotas."""
    return [flavor for group in trees(queue.spec.get("resourceGroups")) for flavor in trees(group.get("flavors"))]


def covered(queue: Resource) -> set[str]:
    """The resources that a cluster queue has quotas for."""
    groups = trees(queue.spec.get("resourceGroups"))
    return {name for group in groups for name in texts(group.get("coveredResources"))}


def gpu_quota(flavor: Tree, *fields: str) -> int:
    """GPUs of a flavor's quota, summed over its fields."""
    resources = [each for each in trees(flavor.get("resources")) if each.get("name") == GPU]
    return sum(integer(tree(resource).get(field)) or 0 for resource in resources for field in fields)
