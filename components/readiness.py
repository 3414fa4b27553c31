"""Readiness gates: a resource that exists once a status says so. Never a sleep, never a poll of our own.

The provider waits for the condition in the annotation `pulumi.com/waitFor` (pulumi-kubernetes ≥ 4.22), but only while
it creates or updates the resource. So a gate carries a digest of what it guards: where an operator's release or values
change, the gate changes with them and waits again. The engine's failure says only "timed out waiting for the
condition" and the resource's name, so a gate's name says what it waits for.

Neither policy says which generation its status is about (no `observedGeneration`: clusterpolicy_types.go of
NVIDIA/gpu-operator v26.7.0, nicclusterpolicy_types.go of Mellanox/network-operator v26.4.1), so `ready` may be what the
last release left. That the nodes have followed is proven by `components/verification/pools.py`.
"""

import json
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.facts import Facts

GUARDS = "bedplate/guards"
"""Annotation with the digest of what a gate guards."""
STATE = "jsonpath={.status.state}"
"""Where NVIDIA's ClusterPolicy and NicClusterPolicy say how their operands are."""


def ready(path: str, facts: Facts) -> str:
    """The condition that a state is `ready`, or where the profile tolerates broken nodes, that there is one.

    A single node that is not ready makes either policy, and each of its parts, `notReady`.
    """
    return path if any(pool.spare for pool in facts.pools) else f"{path}=ready"


def state(facts: Facts) -> str:
    """What a policy must say of its nodes before `components/verification/pools.py` looks at them itself."""
    return ready(STATE, facts)


def wait_for(*conditions: str, guards: str = "") -> dict[str, str]:
    """Annotations that make the provider wait for all conditions, and anew with each digest of what they guard."""
    wait = conditions[0] if len(conditions) == 1 else json.dumps(conditions)
    return {"pulumi.com/waitFor": wait} | ({GUARDS: guards} if guards else {})


def gate(  # noqa: PLR0913 - a gate is just these facts
    name: str,
    *,
    api_version: str,
    kind: str,
    metadata: Mapping[str, Any],
    condition: str,
    guards: str,
    timeout: int,
    opts: pulumi.ResourceOptions,
) -> k8s.apiextensions.CustomResourcePatch:
    """Wait, at most `timeout` seconds, until a custom resource that somebody else owns meets `condition`.

    The patch writes nothing but its own annotations; `patchForce` lets a second `up` take over what a first, failed
    one left.
    """
    annotations = wait_for(condition, guards=guards) | {"pulumi.com/patchForce": "true"}
    return k8s.apiextensions.CustomResourcePatch(
        name,
        api_version=api_version,
        kind=kind,
        metadata={**metadata, "annotations": annotations},
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(custom_timeouts=timeouts(timeout))),
    )


def timeouts(seconds: int) -> pulumi.CustomTimeouts:
    """How long create and update may wait."""
    return pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s")
