"""Readiness gates: a resource that exists once a status says so. Never a sleep, never a poll of our own.

The provider waits for the condition in the annotation `pulumi.com/waitFor` (pulumi-kubernetes ≥ 4.22). The engine's
failure says only "timed out waiting for the condition" and the resource's name, so a gate's name says what it waits
for.
"""

import json
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

STATE_READY = "jsonpath={.status.state}=ready"
"""How NVIDIA's ClusterPolicy and NicClusterPolicy say that their operands run."""


def wait_for(*conditions: str) -> dict[str, str]:
    """Annotations that make the provider wait for all conditions on a resource that we create."""
    return {"pulumi.com/waitFor": conditions[0] if len(conditions) == 1 else json.dumps(conditions)}


def gate(  # noqa: PLR0913 - a gate is just these facts
    name: str,
    *,
    api_version: str,
    kind: str,
    metadata: Mapping[str, Any],
    condition: str,
    timeout: int,
    opts: pulumi.ResourceOptions,
) -> k8s.apiextensions.CustomResourcePatch:
    """Wait, at most `timeout` seconds, until a custom resource that somebody else owns meets `condition`.

    The patch writes nothing but its own annotations; `patchForce` lets a second `up` take over what a first, failed
    one left.
    """
    annotations = wait_for(condition) | {"pulumi.com/patchForce": "true"}
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
