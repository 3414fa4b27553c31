"""Requests to a lab's API server on one connection: a pair of releases costs some five hundred of them."""

import json
import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.client import HTTPSConnection
from pathlib import Path
from threading import Event
from time import monotonic, time_ns
from typing import Any
from urllib.parse import urlsplit

import yaml

from bedplate.components.crds import established
from tests.tools.upgrades.releases import Definitions

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
MANAGER = "fieldManager=bedplate&force=true"
"""As the stack applies CRDs (`components/crds.py`)."""
CANARY = "turns.upgrades.bedplate.dev"
REFUSED = 400


class RefusedError(Exception):
    """The API server's own words."""


class Api:
    """As the lab's admin."""

    def __init__(self, kubeconfig: Path, pki: Path) -> None:
        server = yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
        context = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        context.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self._connection = HTTPSConnection(urlsplit(server).netloc, context=context, timeout=60)
        self._turn = time_ns()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, kind: str = "application/json") -> Any:
        """The answer; what is refused is an error."""
        text = None if body is None else json.dumps(body)
        self._connection.request(method, path, text, {"Content-Type": kind, "Accept": "application/json"})
        answer = self._connection.getresponse()
        said = answer.read().decode()
        if answer.status >= REFUSED:  # of a group that is not served in plain words
            raise RefusedError(json.loads(said)["message"] if said.startswith("{") else said.strip())
        return json.loads(said)

    def define(self, definitions: Definitions) -> dict[str, str]:
        """Apply CRDs as the stack does, and wait until they are what is served; those that are refused, with why."""
        refused: dict[str, str] = {}
        fresh: list[str] = []
        for name, one in definitions.items():
            try:
                answer = self.ask("PATCH", f"{DEFINITIONS}/{name}?{MANAGER}", one, APPLY)
            except RefusedError as why:
                refused[name] = str(why)
            else:
                fresh += [] if established(answer) else [name]
        self._settle(fresh)
        return refused

    def _settle(self, fresh: Iterable[str]) -> None:
        """Until each is established, and the API server has seen a definition that was written after them all."""
        _until(lambda: all(established(self.ask("GET", f"{DEFINITIONS}/{name}")) for name in fresh))
        self._turn += 1
        self.ask("PATCH", f"{DEFINITIONS}/{CANARY}?{MANAGER}", _canary(self._turn), APPLY)
        _until(self._turned)

    def _turned(self) -> bool:
        group = CANARY.partition(".")[2]
        one = {"apiVersion": f"{group}/v1", "kind": "Turn", "metadata": {"name": "any"}, "turn": self._turn}
        try:
            self.ask("POST", f"/apis/{group}/v1/turns?dryRun=All", one)
        except RefusedError:
            return False
        return True

    def clear(self, groups: Iterable[str]) -> None:
        """Take away every definition of these groups, and with it every object."""
        wanted = set(groups)
        mine = [one for one in self.ask("GET", DEFINITIONS)["items"] if one["spec"]["group"] in wanted]
        for one in mine:
            self.ask("DELETE", f"{DEFINITIONS}/{one['metadata']['name']}")
        _until(lambda: not [one for one in mine if self._remains(one)])

    def _remains(self, definition: Mapping[str, Any]) -> bool:
        """Whether it is still there; what a controller holds on to is let go."""
        name, spec = definition["metadata"]["name"], definition["spec"]
        version = next(one["name"] for one in spec["versions"] if one["storage"])
        base, plural = f"/apis/{spec['group']}/{version}", spec["names"]["plural"]
        try:
            self.ask("GET", f"{DEFINITIONS}/{name}")
            found = self.ask("GET", f"{base}/{plural}")["items"]
        except RefusedError as why:
            return "not find" not in str(why) and "not found" not in str(why)
        for one in found:
            if one["metadata"].get("finalizers"):
                home = f"namespaces/{one['metadata']['namespace']}/" if spec["scope"] == "Namespaced" else ""
                free = {"metadata": {"finalizers": None}}
                with suppress(RefusedError):
                    self.ask("PATCH", f"{base}/{home}{plural}/{one['metadata']['name']}", free, MERGE)
        return True


def _canary(turn: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"turn": {"type": "integer", "enum": [turn]}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    plural, _, group = CANARY.partition(".")
    names = {"kind": "Turn", "plural": plural}
    spec = {"group": group, "scope": "Cluster", "names": names, "versions": [version]}
    api = "apiextensions.k8s.io/v1"
    return {"apiVersion": api, "kind": "CustomResourceDefinition", "metadata": {"name": CANARY}, "spec": spec}


def _until(true: Any, seconds: float = 120) -> None:
    end, pause = monotonic() + seconds, Event()
    while not true():
        if monotonic() > end:
            raise TimeoutError("the API server does not serve what was applied")
        pause.wait(0.1)
