"""A webhook's Service as an address on loopback; the rest of it, its failure policy above all, stays the chart's."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bedplate.lab.control_plane import LOOPBACK

Object = Mapping[str, Any]
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
Find = Callable[[Mapping[str, Any]], int | None]
"""The port of the process behind a Service; None: there is none."""


def reachable(one: Object, port_of: Find, authority: str) -> dict[str, Any]:
    """The object, with webhooks and conversion by URL."""
    if one["kind"] in CONFIGURATIONS:
        hooks = [hook | {"clientConfig": _client(hook["clientConfig"], port_of, authority)} for hook in one["webhooks"]]
        return {**one, "webhooks": hooks}
    if one["kind"] == "CustomResourceDefinition" and (inner := _conversion(one)):
        client = _client(inner["clientConfig"], port_of, authority)
        conversion = {"strategy": "Webhook", "webhook": {**inner, "clientConfig": client}}
        return {**one, "spec": {**one["spec"], "conversion": conversion}}
    return dict(one)


def _conversion(one: Object) -> dict[str, Any] | None:
    return one["spec"].get("conversion", {}).get("webhook")


def _client(stated: Mapping[str, Any], port_of: Find, authority: str) -> dict[str, Any]:
    service = stated.get("service")
    port = port_of(service) if service else None
    if not service or port is None:
        return dict(stated)
    return {"url": f"https://{LOOPBACK}:{port}{service.get('path', '/')}", "caBundle": authority}


def behind(objects: Sequence[Object], ports: Mapping[str, int]) -> Find:
    """By the Services' selectors and the Deployments' labels; `ports` is by the Deployment's name."""
    labels = {
        port: one["spec"]["template"]["metadata"]["labels"].items()
        for one in objects
        if one["kind"] == "Deployment" and (port := ports.get(one["metadata"]["name"]))
    }

    def find(service: Mapping[str, Any]) -> int | None:
        named = (one for one in objects if one["kind"] == "Service" and one["metadata"]["name"] == service["name"])
        selector = next((one["spec"]["selector"].items() for one in named), None)
        return next((port for port, theirs in labels.items() if selector and selector <= theirs), None)

    return find
