"""Bring the stack's real controllers to a lab: their objects as their charts render them, and processes.

Instead of Deployments there are processes, each with the rights of its ServiceAccount and no others. Jobs of charts
are left out, as what they make is certificates, and so are aggregated APIs.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.scheduling.hyper_nodes import domains
from bedplate.lab.binaries import provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.control_plane import LOOPBACK
from bedplate.lab.controllers import run
from bedplate.lab.controllers.choice import Choice
from bedplate.lab.controllers.known import CONTROLLERS, HELM, KUBECONFIG, Real
from bedplate.lab.controllers.process import Command, Object, deployment_of, prepare
from bedplate.lab.controllers.rendered import CRD, Objects, rendered
from bedplate.lab.watch import counted, established
from bedplate.plan.graph import Graph
from bedplate.plan.manifests import manifests

LEFT_OUT = {CRD, "Namespace", "Deployment", "Job", "APIService", "ServiceMonitor"}
BUILT_IN = {"v1", "admissionregistration.k8s.io", "apps", "batch", "networking.k8s.io", "policy"} | {
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
}
"""Groups that every API server has; `v1` is the one without a name."""
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
Find = Callable[[Mapping[str, Any]], int | None]
"""The port of the process behind a Service; None: there is none."""
MASKED = {"Secret"}
"""Kinds whose values a plan does not tell."""


def install(cluster: Cluster, graph: Graph, choice: Choice) -> None:
    """Objects, processes, and when those are ready the stack's own teams and queues."""
    real = [CONTROLLERS[name] for name in choice.real]
    binaries = {**cluster.binaries, **provide(HELM, *(controller.project for controller in real))}
    every = {controller.name: rendered(choice.real[controller.name], controller, binaries) for controller in real}
    cluster.controllers.mkdir(exist_ok=True)
    (cluster.controllers / "played.json").write_text(json.dumps(dict(choice.played)))
    cluster.apply(namespaces(every.values()))
    made = [
        command for controller in real for command in _commands(cluster, controller, every[controller.name], binaries)
    ]
    _apply(cluster, every, made)
    for controller in real:
        _identify(cluster, controller, every[controller.name])
    run.start(cluster)
    ours = list(own(graph, groups_of(every.values())))
    cluster.apply(ours)
    counted(cluster, {one["metadata"]["namespace"] for one in ours if one["kind"] == "ResourceQuota"})
    if "volcano" in choice.real:
        each_domain_once(cluster)


def each_domain_once(cluster: Cluster) -> None:
    """Take away what Volcano has found twice, as the doctor advises: with it no pod would ever be placed."""
    hypernodes = json.loads(cluster.kubectl("get", "hypernodes", "--output=json"))["items"]
    if more := [name for _, *rest in domains(hypernodes) for name in rest]:
        cluster.kubectl("delete", "hypernodes", *more)


def own(graph: Graph, groups: set[str]) -> Iterator[Mapping[str, Any]]:
    """The stack's own objects of kinds that this lab serves: teams, queues, policies."""
    for manifest in manifests(graph):
        group = manifest.document["apiVersion"].partition("/")[0]
        if group in BUILT_IN | groups and manifest.document["kind"] not in MASKED:
            yield manifest.document


def groups_of(every: Iterable[Objects]) -> set[str]:
    """API groups whose kinds the controllers bring."""
    return {obj["spec"]["group"] for objects in every for obj in objects if obj["kind"] == CRD}


def namespaces(every: Iterable[Objects]) -> list[dict[str, Any]]:
    """Of everything that is namespaced."""
    names = {obj["metadata"].get("namespace", "") for objects in every for obj in objects} - {""}
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted(names)]


def _commands(cluster: Cluster, real: Real, objects: Objects, binaries: Mapping[str, Path]) -> Iterator[Command]:
    for binary, process in real.processes.items():
        folder = cluster.controllers / binary
        folder.mkdir(exist_ok=True)
        command = prepare(real.name, binaries[binary], process, objects, folder)
        command.save()
        yield command


def _apply(cluster: Cluster, every: Mapping[str, Objects], made: Sequence[Command]) -> None:
    """Kinds first, and everything else once they are served; a chart's objects as they are, as Helm takes them."""
    ports = {
        CONTROLLERS[command.controller].processes[command.name].deployment: command.webhook
        for command in made
        if command.webhook
    }
    ports_of = {name: behind(objects, ports) for name, objects in every.items()}
    objects = [reachable(obj, ports_of[name], cluster.authority) for name, some in every.items() for obj in some]
    kinds = [obj for obj in objects if obj["kind"] == CRD]
    cluster.create(kinds, validate="ignore")
    established(cluster, (kind["metadata"]["name"] for kind in kinds), seconds=300)
    cluster.create([obj for obj in objects if obj["kind"] not in LEFT_OUT], validate="ignore")


def _identify(cluster: Cluster, real: Real, objects: Objects) -> None:
    """Each process is its ServiceAccount, so that a right that the chart does not give is missing here too."""
    admin = yaml.safe_load(cluster.kubeconfig.read_text())
    for binary, process in real.processes.items():
        deployment = deployment_of(process, objects)
        pod = deployment["spec"]["template"]["spec"]
        account = pod.get("serviceAccountName") or pod["serviceAccount"]
        place = ("--namespace", deployment["metadata"]["namespace"])
        token = cluster.kubectl("create", "token", account, *place, "--duration=8760h").strip()
        users = [{"name": user["name"], "user": {"token": token}} for user in admin["users"]]
        (cluster.controllers / binary / KUBECONFIG).write_text(yaml.safe_dump(admin | {"users": users}))


def reachable(obj: Object, port_of: Find, authority: str) -> dict[str, Any]:
    """The object with its webhooks and its conversion by URL; the rest, such as failure policies, is the chart's."""
    if obj["kind"] in CONFIGURATIONS:
        hooks = [hook | {"clientConfig": _client(hook["clientConfig"], port_of, authority)} for hook in obj["webhooks"]]
        return {**obj, "webhooks": hooks}
    if obj["kind"] == "CustomResourceDefinition" and (inner := _conversion(obj)):
        client = _client(inner["clientConfig"], port_of, authority)
        conversion = {"strategy": "Webhook", "webhook": {**inner, "clientConfig": client}}
        return {**obj, "spec": {**obj["spec"], "conversion": conversion}}
    return dict(obj)


def _conversion(obj: Object) -> dict[str, Any] | None:
    return obj["spec"].get("conversion", {}).get("webhook")


def _client(client: Mapping[str, Any], port_of: Find, authority: str) -> dict[str, Any]:
    service = client.get("service")
    port = port_of(service) if service else None
    if not service or port is None:
        return dict(client)
    return {"url": f"https://{LOOPBACK}:{port}{service.get('path', '/')}", "caBundle": authority}


def behind(objects: Sequence[Object], ports: Mapping[str, int]) -> Find:
    """By the Services' selectors and the Deployments' labels; `ports` is by the Deployment's name."""
    labels = {
        port: obj["spec"]["template"]["metadata"]["labels"].items()
        for obj in objects
        if obj["kind"] == "Deployment" and (port := ports.get(obj["metadata"]["name"]))
    }

    def find(service: Mapping[str, Any]) -> int | None:
        named = (obj for obj in objects if obj["kind"] == "Service" and obj["metadata"]["name"] == service["name"])
        selector = next((obj["spec"]["selector"].items() for obj in named), None)
        return next((port for port, theirs in labels.items() if selector and selector <= theirs), None)

    return find
