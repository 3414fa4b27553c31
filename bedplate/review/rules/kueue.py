"""Kueue's release, whose one large value is a configuration of its own."""

from collections.abc import Mapping
from typing import Any, cast

import yaml

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field, leaves
from bedplate.review.rules.releases import ROLL
from bedplate.review.rules.rule import Kind, evicts, nothing, rolls

SUSPENDS = "Kueue docs: manageJobsWithoutQueueName; kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go"
READY = "Kueue docs: wait for pods ready"
CONFIGURATION = "kubernetes-sigs/kueue apis/config/v1beta2/configuration_types.go"
_OWN = rolls("only Kueue's own pods: they start anew", CONFIGURATION)
_HELD = evicts("jobs that Kueue did not hold back so far are suspended until a queue admits them", SUSPENDS)


def integrated(_: Change, field: Field) -> Judgement:
    """A kind of job more is held back; a kind less runs beside every quota."""
    return _HELD if field.old is None or field.new is not None else _OWN


def waits(_: Change, field: Field) -> Judgement:
    """How long pods may take to be ready before their job is evicted."""
    return evicts(f"a job whose pods are not ready in time is evicted: {field.old} → {field.new}", READY)


def whole(change: Change) -> Judgement:  # the configuration is never made or deleted by itself
    """Read when Kueue starts."""
    del change
    return _OWN


DOCUMENT = Kind(
    whole,
    whole,
    {
        "{apiVersion,kind,health.healthProbeBindAddress,webhook.port,leaderElection.leaderElect}": _OWN,
        "{leaderElection.resourceName,clientConnection.qps,clientConnection.burst}": _OWN,
        "controller.groupKindConcurrency.*": _OWN,
        "metrics.{bindAddress,enableClusterQueueResources}": _OWN,
        "{manageJobsWithoutQueueName,managedJobsNamespaceSelector.*}": _HELD,
        "integrations.frameworks[]": integrated,
        "waitForPodsReady.{timeout,recoveryTimeout}": waits,
        "waitForPodsReady.{blockAdmission,requeuingStrategy.timestamp}": nothing("only the order of what waits", READY),
        "waitForPodsReady.requeuingStrategy.{backoffBaseSeconds,backoffMaxSeconds,backoffLimitCount}": nothing(
            "only how soon an evicted job is tried again", READY
        ),
        "fairSharing.preemptionStrategies[]": evicts(
            "who may take back from whom changes: borrowed GPUs may be reclaimed", "Kueue docs: fair sharing"
        ),
        "resources.excludeResourcePrefixes[]": evicts(
            "other resources count: jobs that fitted may wait", "Kueue docs: resources"
        ),
    },
)


def configuration(change: Change, field: Field) -> Judgement:
    """Field by field, as the object that the text is."""
    old, new = (_read(value) for value in (field.old, field.new))
    if old is None or new is None:
        return Judgement(Danger.UNKNOWN, "a configuration that cannot be compared: look at it yourself", CONFIGURATION)
    before, after = dict(leaves(old)), dict(leaves(new))
    paths = [path for path in dict.fromkeys((*before, *after)) if before.get(path) != after.get(path)]
    fields = tuple(Field(path, before.get(path), after.get(path)) for path in paths)
    return DOCUMENT(Change("update", change.old, change.new, fields)) if fields else ROLL


def _read(text: object) -> Mapping[str, Any] | None:
    try:
        read = yaml.safe_load(str(text))
    except yaml.YAMLError:
        return None
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else None
