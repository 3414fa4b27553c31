"""What real exporters say of a lab: kube-state-metrics of its pods, Kueue or Volcano of their queues."""

import re
import ssl
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from threading import Event
from time import monotonic
from urllib.request import Request, urlopen

import yaml

from bedplate.lab.binaries import Project, provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.controllers.process import Command, free_ports

KUBE_STATE_METRICS = Project(
    "kube-state-metrics",
    "k8s.io/kube-state-metrics/v2",
    "v2.20.0",  # as kube-prometheus-stack 88.5.3 runs it
    {"kube-state-metrics": "k8s.io/kube-state-metrics/v2"},
)
SAMPLE = re.compile(r"^(\w+\{.*\}) (\S+)$", re.MULTILINE)
READER = "reader"
PATIENCE = 60
"""Seconds."""
Samples = dict[str, float]


@contextmanager
def of_pods(cluster: Cluster, *namespaces: str) -> Generator[str]:
    """Where kube-state-metrics answers, of pods alone."""
    port, own = free_ports(2)
    words = ("--resources=pods", f"--namespaces={','.join(namespaces)}", f"--kubeconfig={cluster.kubeconfig}")
    at = ("--host=127.0.0.1", f"--port={port}", "--telemetry-host=127.0.0.1", f"--telemetry-port={own}")
    command = [str(provide(KUBE_STATE_METRICS)["kube-state-metrics"]), *words, *at]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield f"http://127.0.0.1:{port}/metrics"
        finally:
            process.kill()


def of_queues(cluster: Cluster) -> tuple[str, str]:
    """Where the lab's queue answers, and the token that it asks for."""
    volcano = cluster.controllers / "volcano-scheduler" / "command.json"
    if volcano.exists():
        flag = "--listen-address="
        (address,) = (word.removeprefix(flag) for word in Command.load(volcano).arguments if word.startswith(flag))
        return f"http://{address}/metrics", ""
    (config,) = (path for path in (cluster.controllers / "kueue").rglob("*.yaml") if _configures(path.read_text()))
    address = yaml.safe_load(config.read_text())["metrics"]["bindAddress"]
    cluster.apply(_reader())
    return f"https://{address}/metrics", cluster.kubectl("create", "token", READER, "--namespace=default").strip()


def _configures(text: str) -> bool:
    return "kind: Configuration" in text


def _reader() -> Iterator[dict[str, object]]:
    """A service account that may scrape, as Prometheus' own."""
    api = "rbac.authorization.k8s.io"
    rules = [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": READER, "namespace": "default"}}
    yield {"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": {"name": READER}, "rules": rules}
    yield {
        "apiVersion": f"{api}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": READER},
        "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": READER},
        "subjects": [{"kind": "ServiceAccount", "name": READER, "namespace": "default"}],
    }


def scraped(url: str, token: str, until: Callable[[Samples], bool]) -> Samples:
    """Every series with labels, as soon as `until` says so of them: an exporter hears of a change a moment later."""
    request = Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})  # noqa: S310 - loopback
    context = ssl._create_unverified_context() if url.startswith("https") else None  # noqa: S323, SLF001 - loopback
    end, pause, seen = monotonic() + PATIENCE, Event(), Samples()
    while monotonic() < end:
        with suppress(OSError), urlopen(request, timeout=5, context=context) as answer:  # noqa: S310 - loopback
            seen = {name: float(value) for name, value in SAMPLE.findall(answer.read().decode())}
            if until(seen):
                return seen
        pause.wait(0.2)
    raise TimeoutError(f"{url}: {sorted(seen)[:20]}")
