"""A Deployment as a process of this machine: its flags, its configuration, its identity, and little that differs.

What differs is what a process on loopback must do without: leader election, addresses of a pod's own, and certificates
that a kubelet would bring. It runs in a folder of its own, in which the Deployment's mounts are relative paths.
"""

import json
import random
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.chart import merged
from bedplate.lab.control_plane import LOOPBACK
from bedplate.lab.controllers.known import CERTIFICATES, HEALTH, KUBECONFIG, Ports, Process

Object = Mapping[str, Any]
PKI = {"tls.crt": "admin.crt", "tls.key": "admin.key", "ca.crt": "ca.crt"}
"""The control plane's own certificate is good for loopback."""


@dataclass(frozen=True)
class Command:
    """How a process is started; kept in its folder, so that the next start is the same."""

    name: str
    controller: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    webhook: int
    """Port; 0: it has none."""
    health: str
    """URL that says it is ready; empty: its webhook says so by listening."""

    def save(self) -> None:
        """In its folder."""
        Path(self.folder, "command.json").write_text(json.dumps(asdict(self)))

    @classmethod
    def load(cls, path: Path) -> "Command":
        """As it was saved."""
        kept = json.loads(path.read_text())
        return cls(**kept | {"arguments": tuple(kept["arguments"])})


def prepare(controller: str, binary: Path, process: Process, objects: Sequence[Object], folder: Path) -> Command:
    """Lay out the files that the Deployment mounts, and say what to run."""
    deployment = deployment_of(process, objects)
    pod = deployment["spec"]["template"]["spec"]
    container = pod["containers"][0]
    ports = Ports(*free_ports(4))
    for path, text in mounted(pod, objects, process.settings(ports)):
        _write(folder / path, text)
    for path in {*secret_mounts(pod), CERTIFICATES}:
        for name, source in PKI.items():
            _write(folder / path / name, (folder.parents[1] / "pki" / source).read_text())
    return Command(
        binary.name,
        controller,
        (str(binary), *arguments(container, process.flags(ports))),
        {**_surroundings(folder, ports), **variables(container, deployment)},
        str(folder),
        ports.webhook if process.webhook else 0,
        f"http://{ports.at('health')}{process.health}" if process.health else "",
    )


def _surroundings(folder: Path, ports: Ports) -> dict[str, str]:
    return {"KUBECONFIG": KUBECONFIG, "TMPDIR": str(folder / "tmp"), HEALTH: ports.at("health")}


def deployment_of(process: Process, objects: Sequence[Object]) -> Object:
    """The Deployment that it stands for."""
    return next(obj for obj in objects if obj["kind"] == "Deployment" and obj["metadata"]["name"] == process.deployment)


def arguments(container: Object, laid: Mapping[str, str]) -> Iterator[str]:
    """Its flags, with ours laid over them, and its paths in the process's folder."""
    for argument in container.get("args", []):
        flag, equals, value = str(argument).partition("=")
        if flag not in laid:
            yield f"{flag}{equals}{_inside(value, container)}"
    for flag, value in laid.items():
        yield f"{flag}={value}"


def variables(container: Object, deployment: Object) -> dict[str, str]:
    """Its environment; of what a pod would know of itself, its name and namespace."""
    own = {f"metadata.{key}": deployment["metadata"][key] for key in ("name", "namespace")}
    values = {
        variable["name"]: variable.get("value") or own.get(_field(variable), "")
        for variable in container.get("env", [])
    }
    return {name: _inside(value, container) for name, value in values.items() if value}


def _inside(value: str, container: Object) -> str:
    """A path of the container's mounts in the process's folder; any other value as it is."""
    mounts = tuple(mount["mountPath"] for mount in container.get("volumeMounts", []))
    return value.lstrip("/") if value.startswith(mounts) else value


def _field(variable: Object) -> str:
    return variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")


def mounted(pod: Object, objects: Sequence[Object], settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and content of every file from a ConfigMap; a configuration with the lab's settings laid over it."""
    maps = {obj["metadata"]["name"]: obj.get("data", {}) for obj in objects if obj["kind"] == "ConfigMap"}
    volumes = {volume["name"]: volume.get("configMap", {}).get("name") for volume in pod.get("volumes", [])}
    for mount in pod["containers"][0].get("volumeMounts", []):
        path, only = mount["mountPath"].lstrip("/"), mount.get("subPath")
        for key, text in maps.get(volumes.get(mount["name"]), {}).items():
            if only in {None, key}:
                yield (path if only else f"{path}/{key}"), configured(text, settings)


def secret_mounts(pod: Object) -> Iterator[str]:
    """Where certificates are expected."""
    secrets = {volume["name"] for volume in pod.get("volumes", []) if "secret" in volume}
    for mount in pod["containers"][0].get("volumeMounts", []):
        if mount["name"] in secrets:
            yield mount["mountPath"].lstrip("/")


def configured(text: str, settings: Mapping[str, Any]) -> str:
    """A controller's configuration with ours laid over it; any other file as it is."""
    if not settings or "kind: Configuration" not in text:
        return text
    return yaml.safe_dump(merged(yaml.safe_load(text), settings), sort_keys=False)


def free_ports(number: int) -> list[int]:
    """Ports of loopback that nobody listens on, all different: below those that outgoing connections are given."""
    candidates = random.sample(range(15000, 30000), 50 * number)
    return list(islice(filter(_is_free, candidates), number))


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind((LOOPBACK, port))
        return True
    return False


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
