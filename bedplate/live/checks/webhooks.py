"""Who answers when the API server asks: webhooks, conversions and aggregated APIs without a pod, or out of date."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bedplate.live.checks.certificate import ends
from bedplate.live.finding import Finding
from bedplate.live.kinds import API_SERVICE, DEFINITION, ENDPOINT_SLICE, MUTATING, SERVICE, VALIDATING
from bedplate.live.reading import Seen, entries, labels, part, place
from bedplate.live.wanted import Wanted

SOON = timedelta(days=14)
SERVICE_NAME = "kubernetes.io/service-name"
BLOCKS = "every write that it should judge is refused: `failed calling webhook`"
SKIPPED = "what it should check or fill in goes by unchecked"
CONVERTS = "objects of this kind can be neither read nor written"
GROUP = "its API is gone, and namespaces that are deleted hang"
RENEW = "from then on the API server trusts it no more, and refuses what it should judge"


@dataclass(frozen=True)
class Called:
    """Something of the cluster that the API server calls."""

    where: str
    client: Mapping[str, Any]
    why: str


def webhooks(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Each fault once for all webhooks of a configuration."""
    told = dict[tuple[str, str], str]()
    for one in called(seen):
        for fault, why in faults(one, seen):
            told.setdefault((one.where, fault), why)
    yield from (Finding("webhooks", where, fault, why) for (where, fault), why in told.items())
    yield from _apis(wanted, seen)


def called(seen: Seen) -> Iterator[Called]:
    """Webhooks, and converters of kinds with several versions."""
    for kind in (VALIDATING, MUTATING):
        for one in seen.of(kind):
            for hook in entries(one, "webhooks"):
                blocks = hook.get("failurePolicy", "Fail") == "Fail"
                yield Called(f"{kind.kind} {place(one)[1]}", hook["clientConfig"], BLOCKS if blocks else SKIPPED)
    for one in seen.of(DEFINITION):
        if client := part(one, "spec", "conversion", "webhook", "clientConfig"):
            yield Called(f"CRD {place(one)[1]}", client, CONVERTS)


def faults(one: Called, seen: Seen) -> Iterator[tuple[str, str]]:
    """What is wrong with it, and what follows."""
    if service := one.client.get("service"):
        if fault := unanswered(service["namespace"], service["name"], seen):
            yield fault, one.why
        if not one.client.get("caBundle"):
            yield "has no caBundle: whoever fills it in does not run, or may not", one.why
    if bundle := one.client.get("caBundle"):
        yield from _ending(bundle, one.why)


def unanswered(namespace: str, name: str, seen: Seen) -> str | None:
    """Why nobody answers for a Service; None where somebody does, or where that cannot be seen."""
    if not (seen.knows(SERVICE) and seen.knows(ENDPOINT_SLICE)):
        return None
    if seen.one(SERVICE, name, namespace) is None:
        return f"calls Service {namespace}/{name}: there is none"
    slices = [
        one for one in seen.of(ENDPOINT_SLICE) if place(one)[0] == namespace and labels(one).get(SERVICE_NAME) == name
    ]
    ready = [point for one in slices for point in entries(one, "endpoints") if _is_ready(point)]
    return None if ready else f"calls Service {namespace}/{name}: no ready pod is behind it"


def _is_ready(point: Mapping[str, Any]) -> bool:
    """Unknown counts as ready (k8s.io/api discovery/v1, EndpointConditions)."""
    return part(point, "conditions").get("ready") is not False


def _ending(bundle: str, why: str) -> Iterator[tuple[str, str]]:
    end, now = ends(bundle), datetime.now(UTC)
    if end is None:
        yield "has a caBundle that holds no certificate", why
    elif end <= now:
        yield f"its certificate ended on {end:%Y-%m-%d}", why
    elif end - now < SOON:
        yield f"its certificate ends on {end:%Y-%m-%d}", RENEW


def _apis(_: Wanted, seen: Seen) -> Iterator[Finding]:
    for one in seen.of(API_SERVICE):
        for condition in entries(one, "status", "conditions"):
            if condition["type"] == "Available" and condition["status"] == "False":
                text = f"is not available: {condition.get('message') or condition.get('reason')}"
                yield Finding("webhooks", f"APIService {place(one)[1]}", text, GROUP)
