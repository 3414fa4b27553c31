"""Who answers when the API server asks: webhooks, conversions and aggregated APIs without a pod, or out of date."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bedplate.cluster.objects import conditions, entries, is_false, labels, message, part, place
from bedplate.live.checks.certificate import ends
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import API_SERVICE, DEFINITION, ENDPOINT_SLICE, MUTATING, SERVICE, VALIDATING
from bedplate.live.reading import Observed

SOON = timedelta(days=14)
SERVICE_NAME = "kubernetes.io/service-name"


@dataclass(frozen=True)
class Callee:
    """Something of the cluster that the API server calls."""

    where: str
    client: Mapping[str, Any]
    """Its `clientConfig`."""
    effect: str
    """What happens where it does not answer: a kind of finding."""


def webhooks(_: Desired, observed: Observed) -> Iterator[Finding]:
    """Faults of webhooks and converters, once for all webhooks of a configuration, and of aggregated APIs."""
    effects = dict[tuple[str, str], str]()
    for callee in callees(observed):
        for fault, effect in faults(callee, observed):
            effects.setdefault((callee.where, fault), effect)
    yield from (finding(effect, where, fault=fault) for (where, fault), effect in effects.items())
    for obj in observed.of(API_SERVICE):
        if is_false(obj, "Available"):
            yield finding("webhooks.api", API_SERVICE.title(obj), message=message(conditions(obj)["Available"]))


def callees(observed: Observed) -> Iterator[Callee]:
    """Webhooks, and converters of kinds with several versions."""
    for kind in (VALIDATING, MUTATING):
        for obj in observed.of(kind):
            for hook in entries(obj, "webhooks"):
                blocks = hook.get("failurePolicy", "Fail") == "Fail"
                yield Callee(kind.title(obj), hook["clientConfig"], "webhooks.blocks" if blocks else "webhooks.skipped")
    for obj in observed.of(DEFINITION):
        if client := part(obj, "spec", "conversion", "webhook", "clientConfig"):
            yield Callee(f"CRD {place(obj)[1]}", client, "webhooks.converts")


def faults(callee: Callee, observed: Observed) -> Iterator[tuple[str, str]]:
    """Each fault of a callee with its effect."""
    bundle = callee.client.get("caBundle")
    if service := callee.client.get("service"):
        if fault := unanswered(service["namespace"], service["name"], observed):
            yield fault, callee.effect
        if not bundle:
            yield "has no caBundle: whoever fills it in does not run, or may not", callee.effect
    if bundle:
        yield from _ending(bundle, callee.effect)


def unanswered(namespace: str, name: str, observed: Observed) -> str | None:
    """Why nobody answers for a Service; None where somebody does, or where that cannot be seen."""
    if not (observed.knows(SERVICE) and observed.knows(ENDPOINT_SLICE)):
        return None
    if observed.find(SERVICE, name, namespace) is None:
        return f"calls Service {namespace}/{name}: there is none"
    slices = [obj for obj in observed.of(ENDPOINT_SLICE) if place(obj)[0] == namespace]
    points = [
        endpoint for obj in slices if labels(obj).get(SERVICE_NAME) == name for endpoint in entries(obj, "endpoints")
    ]
    # Unknown counts as ready (k8s.io/api discovery/v1, EndpointConditions).
    ready = any(part(point, "conditions").get("ready") is not False for point in points)
    return None if ready else f"calls Service {namespace}/{name}: no ready pod is behind it"


def _ending(bundle: str, effect: str) -> Iterator[tuple[str, str]]:
    end, now = ends(bundle), datetime.now(UTC)
    if end is None:
        yield "has a caBundle that holds no certificate", effect
    elif end <= now:
        yield f"its certificate ended on {end:%Y-%m-%d}", effect
    elif end - now < SOON:
        yield f"its certificate ends on {end:%Y-%m-%d}", "webhooks.renew"
