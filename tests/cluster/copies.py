"""Copies of a controller that elect a leader, as the stack deploys them, and a lease that somebody else holds."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.chart import merged
from bedplate.lab.controllers.known import CONTROLLERS, Ports
from bedplate.lab.controllers.process import Command, free_ports
from bedplate.lab.controllers.run import commands
from bedplate.lab.watch import watch
from tests.cluster.real import Lab

CONFIGURATION = "controller_manager_config.yaml"
HOLDER = "{{.spec.holderIdentity}}"
ELSEWHERE = "elsewhere"
"""Who holds a lease and is none of our processes."""
SECONDS = 15
"""How long a lease lasts if nobody says otherwise (controller-runtime), and the stack does not."""


@contextmanager
def electing(lab: Lab, name: str) -> Generator["Election"]:
    """The controller with leader election on, and a copy of it; neither runs yet."""
    first = command_of(lab, name)
    stated, home = configuration(first.folder).read_text(), f"{name}-system"
    lab.kill(name)
    lay(first.folder, {"leaderElection": {"leaderElect": True, "resourceNamespace": home}})
    one = Election(lab, name, home)
    copied(lab, first, one.second)
    try:
        yield one
    finally:
        for process in {name, one.second} & lab.cluster.processes().keys():
            lab.kill(process)
        shutil.rmtree(lab.cluster.controllers / one.second)
        configuration(first.folder).write_text(stated)
        lab.cluster.kubectl("delete", "leases", "--all", "--namespace", home)
        lab.revive()


def command_of(lab: Lab, name: str) -> Command:
    """How one of the lab's processes is started."""
    return next(one for one in commands(lab.cluster) if one.name == name)


def configuration(folder: str) -> Path:
    """A controller's file."""
    return Path(folder, CONFIGURATION)


def lay(folder: str, told: dict[str, Any]) -> None:
    """Change a process's configuration."""
    path = configuration(folder)
    path.write_text(yaml.safe_dump(merged(yaml.safe_load(path.read_text()), told)))


def copied(lab: Lab, first: Command, name: str) -> None:
    """The same on other ports. No webhook's URL leads to it, as the lab has no Service that does."""
    ports, folder = Ports(*free_ports(4)), lab.cluster.controllers / name
    shutil.copytree(first.folder, folder)
    told = CONTROLLERS[first.name].processes[first.name].settings(ports)
    lay(str(folder), {key: value for key, value in told.items() if key != "leaderElection"})
    health = f"http://{ports.at('health')}/readyz"
    own = {"name": name, "folder": str(folder), "webhook": ports.webhook, "health": health}
    replace(first, **own, environment={**first.environment, "TMPDIR": str(folder / "tmp")}).save()


@dataclass(frozen=True)
class Election:
    """Who leads among the copies of a controller."""

    lab: Lab
    name: str
    home: str

    @property
    def second(self) -> str:
        """The copy that no webhook's URL leads to."""
        return f"{self.name}-2"

    def start(self, copy: str) -> None:
        """One of them, and wait until it is ready: to lead, or to follow."""
        other = next(one for one in (self.name, self.second) if one != copy)
        hidden = self.lab.cluster.controllers / other / "command.json"
        aside = hidden.rename(hidden.with_name("aside.json"))
        try:
            self.lab.revive()
        finally:
            aside.rename(hidden)

    def leader(self, other_than: str = "") -> str:
        """Wait until somebody leads."""
        led = lambda seen: any(one not in {"", other_than} for one in seen.values())  # noqa: E731
        [holder] = watch(self.lab.cluster, f"leases --namespace {self.home}", HOLDER, led).values()
        return holder

    def taken(self, clock: timedelta) -> None:
        """The lease as it is renewed at this moment from a machine whose clock is so much off."""
        now = (datetime.now(UTC) + clock).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        times = {"acquireTime": now, "renewTime": now, "leaseDurationSeconds": SECONDS, "leaseTransitions": 1}
        stated = yaml.safe_load(configuration(command_of(self.lab, self.name).folder).read_text())
        place = {"name": stated["leaderElection"]["resourceName"], "namespace": self.home}
        head = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": place}
        self.lab.cluster.apply([{**head, "spec": {"holderIdentity": ELSEWHERE, **times}}])
