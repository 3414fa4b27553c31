"""The Pulumi program: the profile of the stack that the engine runs, declared."""

import pulumi

from bedplate.stacks.load import load
from bedplate.stacks.platform.cluster import Cluster
from bedplate.stacks.platform.deploy import deploy
from bedplate.stacks.profile.copies import refuse_copies
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.renamed import warnings
from bedplate.stacks.profile.stack_file import BASE, StackFileError, StackFiles
from bedplate.stacks.providers import providers


def declare() -> Cluster:
    """Everything that the profile implies; a file that lacks it is a fault of the user's, which needs no traceback."""
    try:
        return _declare()
    except StackFileError as error:
        raise pulumi.RunError(str(error)) from error


def _declare() -> Cluster:
    """It stands in the stack's configuration, or in a file of its own; of its bases the engine knows nothing."""
    files, stack = StackFiles.here(), pulumi.get_stack()
    configured = pulumi.Config("bedplate").get_object("profile")
    stated = files.profile(stack) if configured is None or BASE in configured else configured
    profile = load(stated, files.file(stack), files.place(stack))
    for line in warnings(stated, files.file(stack), files.place(stack)):
        pulumi.log.warn(line)
    refuse_copies(profile, stack, files)
    try:
        cluster = deploy(profile, providers(profile))
    except ProfileError as error:  # of what only the order knows, or the desk
        raise ProfileError(error.problems, files.file(stack), files.place(stack)) from None
    if cluster.workload_contract:
        pulumi.export("workloadContract", cluster.workload_contract)
    return cluster
