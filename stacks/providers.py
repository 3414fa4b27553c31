"""The providers of the one cluster that the profile names, and the refusal of any other."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.stacks.load import load_stack
from bedplate.stacks.profile.cloud import cloud_provider
from bedplate.stacks.profile.problem import Problem, ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles, read_mapping


def providers(profile: Profile) -> list[pulumi.ProviderResource]:
    """Kubernetes, unless this stack makes the cluster itself, and the cloud where this stack makes nodes."""
    needed: list[pulumi.ProviderResource] = [] if profile.makes_cluster else [provider(profile)]
    if section := profile.own_cloud:
        needed.append(cloud_provider(profile.name, section))
    return needed


def provider(profile: Profile) -> k8s.Provider:
    """A provider bound to the profile's context; only the cluster's identity, not a new kubeconfig, replaces it.

    The SDK hands KUBECONFIG on as the name of one file. Where it names several the provider is given an empty one
    instead, and reads them as kubectl does (pulumi-kubernetes, provider/pkg/provider/provider.go).

    ConfigMaps and Secrets change in place: by default another value deletes the object and makes it anew, and whoever
    starts or mounts it meanwhile fails (enableConfigMapMutable and enableSecretMutable, pulumi-kubernetes 4.34.2).
    """
    allowed(profile.context)
    several = "" if len(kubeconfig_files()) > 1 else None
    return k8s.Provider(
        "cluster",
        context=profile.context,
        cluster_identifier=profile.name,
        kubeconfig=several,
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
    )


def allowed(context: str) -> None:
    """Raise with every reason not to deploy from this desk."""
    if problems := list(check_kubeconfig(context)):
        raise ProfileError(problems)


def check_kubeconfig(context: str) -> Iterator[Problem]:
    """Reasons not to deploy: somebody at this desk works with another cluster, or nobody can say with which.

    Without any kubeconfig there is none: an offline plan has no cluster, and the provider finds none either.
    """
    merged, faults = read_kubeconfig(kubeconfig_files())
    yield from (Problem("context", context, fault, "mend the file, or leave it out of KUBECONFIG") for fault in faults)
    if faults or merged is None:
        return
    if context not in merged.contexts:
        reason = f"the kubeconfig has no such context, only {', '.join(merged.contexts) or 'none at all'}"
        yield Problem("context", context, reason, "name its file in KUBECONFIG, or correct the profile")
    elif merged.current != context:
        other = f"the kubeconfig's current context is {merged.current}"
        reason = other if merged.current else "the kubeconfig has no current context"
        fix = f"run `kubectl config use-context {context}`, or correct the profile"
        yield Problem("context", context, reason, fix)


@dataclass(frozen=True)
class Kubeconfig:
    """What several files say together."""

    contexts: tuple[str, ...]
    current: str | None


def kubeconfig_files() -> list[Path]:
    """The files that the provider would read, in the order of their weight; they need not exist."""
    if paths := os.environ.get("KUBECONFIG"):
        return [Path(path).expanduser() for path in dict.fromkeys(paths.split(os.pathsep)) if path]
    return [Path.home() / ".kube" / "config"]


def read_kubeconfig(files: Iterable[Path]) -> tuple[Kubeconfig | None, list[str]]:
    """As kubectl merges them: missing ones are skipped, and the first that sets a current context sets it for all.

    None where there is no file; and what is wrong with those that cannot be read.
    """
    documents, faults = list[Mapping[str, Any]](), list[str]()
    for path in files:
        try:
            documents.append(read_mapping(path, str(path)))
        except StackFileError as error:
            if not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                faults.append(str(error))
    names = dict.fromkeys(name for config in documents for name in _names(config))
    current = next((str(config["current-context"]) for config in documents if config.get("current-context")), None)
    return Kubeconfig(tuple(names), current) if documents else None, faults


def _names(config: Mapping[str, Any]) -> Iterator[str]:
    entries: Any = config.get("contexts")
    for entry in entries if isinstance(entries, list) else ():  # pyright: ignore[reportUnknownVariableType]
        if isinstance(entry, dict):
            yield str(entry.get("name"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def guard(environment: str, files: StackFiles) -> int:
    """0 if this desk may touch the stack's cluster, 2 with one line for each reason.

    For commands that do not run the program, such as `destroy` and `refresh`.
    """
    try:
        profile = load_stack(environment, files)
        if not profile.makes_cluster:
            allowed(profile.context)
    except (StackFileError, ProfileError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
