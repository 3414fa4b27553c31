"""`Cluster`, the component that Pulumi programs in YAML, TypeScript, Go, C# and Java make of a profile.

It declares what `bedplate.deploy()` declares, and under the same names: its resources have no parent, because its type
would stand in the URN of each of them, and a company that changes its program's language would make its cluster anew.
Rejected: a parent and an alias for each, which every later release of the component would have to carry.
Only whoever uses the package imports this: the SDK's provider comes with it.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pulumi
from pulumi.errors import InputPropertiesError, InputPropertyError, InputPropertyErrorDetails
from pulumi.output import Unknown
from pulumi.provider import ConstructResult, Provider, main

from bedplate import __version__
from bedplate.component_schema import CLUSTER, PROFILE, package_schema
from bedplate.stacks.load import load
from bedplate.stacks.platform.deploy import deploy
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.renamed import warnings
from bedplate.stacks.providers import providers

LATER = "holds a secret, or what another resource has yet to say: a plan needs every value, so write it down"


class Cluster(pulumi.ComponentResource):
    """A GPU cluster from its profile."""

    workload_contract: str | None
    """Name of the ConfigMap in each team's namespace that says what its jobs must carry."""

    def __init__(self, name: str, profile: Profile, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(CLUSTER, name, None, opts)
        self.workload_contract = deploy(profile, providers(profile)).workload_contract
        self.register_outputs({"workloadContract": self.workload_contract})


class Package(Provider):
    """Makes a Cluster of what a program says."""

    def __init__(self) -> None:
        super().__init__(__version__, json.dumps(package_schema()))

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, Any],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Refuse what cannot be deployed, with the key of the profile, and declare the rest."""
        if resource_type != CLUSTER:
            raise InputPropertyError("type", f"{resource_type}: this package has {CLUSTER} only")
        cluster = Cluster(name, sound(inputs.get(PROFILE)), options)
        return ConstructResult(cluster.urn, {"workloadContract": cluster.workload_contract})


def sound(stated: object) -> Profile:
    """The profile that a program states; each fault is one of its properties."""
    if later(stated):
        raise InputPropertyError(PROFILE, LATER)
    document = cast("Mapping[str, Any]", whole(stated))
    try:
        profile = load(document, PROFILE)
    except ProfileError as error:
        faults: list[InputPropertyErrorDetails] = [
            {"property_path": f"{PROFILE}.{one.key}", "reason": str(one)} for one in error.problems
        ]
        raise InputPropertiesError("the profile cannot be deployed", faults) from None
    for line in warnings(document, PROFILE, Path(PROFILE)):
        pulumi.log.warn(line)
    return profile


def later(value: object) -> bool:
    """Whether a value, or one within it, is not known to the program yet, or is secret."""
    if isinstance(value, Mapping):
        return any(map(later, cast("Mapping[str, object]", value).values()))
    if isinstance(value, list):
        return any(map(later, cast("list[object]", value)))
    return isinstance(value, pulumi.Output | Unknown)


def whole(value: object) -> object:
    """With whole numbers as such: on the wire there are none, and the profile takes no `8.0` for 8."""
    if isinstance(value, Mapping):
        return {key: whole(one) for key, one in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list):
        return [whole(one) for one in cast("list[object]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def serve() -> None:
    """Answer the engine until it goes."""
    main(Package(), sys.argv[1:])
