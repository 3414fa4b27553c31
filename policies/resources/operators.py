"""Which job operators a stack installs, and with which arguments, as far as that can be seen."""

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import argv
from bedplate.policies.resources.stack import Stack

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
    return [*deployments, *stack.installs(operator), *(each.resource for each in stack.releases(operator))]


def flag(tokens: list[str], name: str) -> str | None:
    """The value of `--name=value` or `--name value`, None where it is not given."""
    for place, token in enumerate(tokens):
        if token == name and place + 1 < len(tokens):
            return tokens[place + 1]
        if token.startswith(f"{name}="):
            return token.removeprefix(f"{name}=")
    return None
