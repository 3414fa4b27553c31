"""`make up` and `make down`: the whole stack on the lab, from nothing to a look around and back to nothing."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.error import URLError

from bedplate.console import Console
from bedplate.lab import cli
from bedplate.lab.binaries import LabError, home
from bedplate.lab.cli import fetch
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import STACK, TOOLS, Engine, find_cli, lab_profile
from bedplate.lab.recovery import recover
from bedplate.plan.__main__ import main as plan
from bedplate.progress import progress
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import secret_keys
from bedplate.stacks.profile.stack_file import StackFiles

OUT = Console(soft_wrap=True)
QUIETLY = ("--yes", "--skip-preview", "--suppress-outputs", "--suppress-progress", "--stack", STACK)
"""Nothing twice: no preview of what is done at once, no outputs, and off a terminal no row of dots."""
CLOUD = "plan it, or deploy a copy without `cloud`"
LABS_OWN = ("stages.kwok.x-k8s.io",)


class OutOfReachError(LabError):
    """There is no Pulumi CLI and no way to get one."""


def up(cluster: Cluster, start: Callable[[], None], source: StackFiles, stack: str) -> None:
    """Deploy a stack to the lab; without the CLI and the internet, say so and show what would be deployed."""
    profile_of_lab = profile(cluster, source, stack)
    loaded = load(profile_of_lab, source.file(stack), source.place(stack))
    if loaded.own_cloud:
        raise LabError(f"{stack}: its nodes are made in a cloud, and a lab has none: {CLOUD}", status=2)
    try:
        engine = Engine(cluster, folder(cluster), provide_cli(), {}, source, stack)
    except OutOfReachError as error:
        with source.chosen():
            plan([stack])
        more = "; `bedplate lab up` works without it, and the plan above is what would be deployed"
        raise OutOfReachError(f"{error}{more}") from error
    start()
    with progress(f"Preparing {stack}"):
        engine.prepare(profile_of_lab).set_secrets(secret_keys(loaded))
    engine.run("up", *QUIETLY, show=True)
    kubectl = f"kubectl --kubeconfig {cluster.kubeconfig}"
    OUT.print(f"\nThe stack is up on {len(cluster.processes())} local processes. Look around:")
    OUT.print(f"  {kubectl} get nodes,pods -A")
    OUT.print(f"  {kubectl} get clusterpolicy,nicclusterpolicy")
    OUT.print(f"Change a value in {source.file(stack)} and do the same again: it takes the lab there.")
    OUT.print(
        f"Take it all away:  {cluster.command('down')}; by the way that Pulumi goes: {cluster.command('destroy')}"
    )


def down(cluster: Cluster) -> None:
    """Destroy the stack, say which CRDs Helm keeps, then take the lab away with them."""
    cli = find_cli()
    if cli and folder(cluster).exists() and cluster.kubeconfig.exists():
        Engine(cluster, folder(cluster), cli).destroy(*QUIETLY, show=True)
        if left := kept_crds(cluster):
            OUT.print(crds_message(left))
    cluster.stop()
    forget(cluster)
    OUT.paragraph("Nothing of the lab is left but the cache of its binaries.")


def forget(cluster: Cluster) -> None:
    """Remove the deployed project with its state: the cluster that it speaks of is gone."""
    Engine(cluster, folder(cluster)).remove()


def mend(cluster: Cluster) -> None:
    """Take up again what a killed `make up` has left."""
    with progress("Taking up what the killed run has left"):
        recover(Engine(cluster, folder(cluster), provide_cli()))
    OUT.paragraph("The stack is up. What the killed run had left at work is ended.")


def folder(cluster: Cluster) -> Path:
    """The deployed project and its state, beside those of other labs."""
    return home() / "stacks" / cluster.name


def profile(cluster: Cluster, source: StackFiles, stack: str) -> dict[str, Any]:
    """The stack's profile, allowed on this lab and no other."""
    return {**lab_profile(stack, source), "context": cluster.context}


def kept_crds(cluster: Cluster) -> list[str]:
    """CRDs from charts' `crds/` folders, which Helm installs but never deletes; those of the lab itself aside."""
    names = cluster.kubectl("get", "crd", "-o", "jsonpath={.items[*].metadata.name}").split()
    return sorted(set(names) - set(LABS_OWN))


def crds_message(names: list[str]) -> str:
    """What stays behind and how to be rid of it."""
    what = f"Helm keeps {len(names)} CRDs of the charts' crds/ folders, with whatever objects of theirs you still have."
    return f"{what} To remove them:\n  kubectl delete crd {' '.join(names)}"


def provide_cli() -> str:
    """The Pulumi CLI, fetched into the project's tool folder if there is none."""
    if cli := find_cli():
        return cli
    Console(stderr=True).print(f"Installing the Pulumi CLI {version('pulumi')} into {TOOLS} (once)", soft_wrap=True)
    try:
        with progress("Fetching it"):
            return str(fetch(TOOLS))
    except (URLError, TimeoutError) as error:
        raise OutOfReachError(no_internet(error)) from error


def no_internet(error: Exception) -> str:
    """What to do on a machine that cannot reach Pulumi."""
    return (
        f"no Pulumi CLI here, and {cli.RELEASES} cannot be reached ({error}): install Pulumi {version('pulumi')} by "
        "other means, and put it on PATH"
    )
