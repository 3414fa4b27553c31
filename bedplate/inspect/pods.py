"""Records of a running cluster's machines: a privileged pod on each runs the collector, and goes in any case."""

import secrets
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any

import yaml

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.objects import bundle
from bedplate.components.digest import digest
from bedplate.inspect.node import Node
from bedplate.inspect.read import recorded
from bedplate.progress import progress
from bedplate.wrong import WrongError

NAMESPACE, LABEL = "kube-system", "bedplate/inspect"
"""Where privileged pods may run on hardened clusters, too: RKE2, Talos and Kubespray exempt it."""
DEADLINE = 300
"""Seconds after which the kubelet ends a pod by itself, whoever made it."""
SIDE_BY_SIDE = 8
POD = Path(__file__).with_name("pod.yaml")
START = '[ ! -x /host/bin/sh ] || exec chroot /host sh -c "$1"; BEDPLATE_ROOT=/host exec sh -c "$1"'
"""In the host's root, where its nvidia-smi and lspci are; from outside where a host has no shell (Talos)."""


def pod(node: str, image: str, run: str, script: str) -> dict[str, Any]:
    """It reads the host's root from outside: no token, no network of the node, nothing that it may write."""
    places = {"node": node, "image": image, "run": run, "digest": digest(node)[:8], "deadline": DEADLINE}
    made = yaml.safe_load(Template(POD.read_text(encoding="utf-8")).substitute(places))
    made["spec"]["containers"][0]["command"] = ["sh", "-c", START, "sh", script]
    return made


def nodes(context: str, selector: str, image: str, *, agreed: bool) -> list[Node]:
    """The machines that a selector picks, once somebody has agreed."""
    listed = kubectl(context, "get", "nodes", f"--selector={selector}", "--output=name").split()
    names = [name.removeprefix("node/") for name in listed]
    if not names:
        raise WrongError(
            f"--nodes = {selector}: no node has these labels; `kubectl get nodes --show-labels` lists them"
        )
    if not (agreed or _agrees(context, names, image)):
        raise WrongError("nothing was made; `--yes` says yes beforehand")
    run, script = secrets.token_hex(3), (Path(__file__).parent / "collect.sh").read_text(encoding="utf-8")
    pods = [pod(name, image, run, script) for name in names]
    with progress(f"Reading {len(names)} machines"):
        logs = dict(zip(names, _logs(context, run, pods), strict=True))
    if silent := [name for name, log in logs.items() if not log]:
        reason = f"no pod ended within {DEADLINE} s; is {image} to be had, and may privileged pods run?"
        raise WrongError(f"node {', '.join(silent)}: {reason}")
    # A pod has a host name of its own, which the kernel says.
    return [replace(recorded(log, f"node {name}"), name=name) for name, log in logs.items()]


def _agrees(context: str, names: Sequence[str], image: str) -> bool:
    """Only a person at a terminal can."""
    question = (
        f"{len(names)} privileged pods in {NAMESPACE} of {context}, with {image}, on {', '.join(names)}: make them?"
    )
    sys.stderr.write(f"{question} [y/N] ")
    return sys.stdin.isatty() and input().strip().lower() in ("y", "yes")


def _logs(context: str, run: str, pods: Sequence[dict[str, Any]]) -> list[str]:
    """What each wrote, in their order; empty where a pod did not end."""
    here, mine = ("--namespace", NAMESPACE), f"--selector={LABEL}={run}"
    until = ("--for=jsonpath={.status.phase}=Succeeded", f"--timeout={DEADLINE}s")

    def log(pod: dict[str, Any]) -> str:
        with suppress(ClusterError):
            return kubectl(context, "logs", pod["metadata"]["name"], *here)
        return ""

    try:
        kubectl(context, "create", "--filename=-", *here, stdin=bundle(pods))
        with suppress(ClusterError):
            kubectl(context, "wait", "pod", mine, *until, *here, request=DEADLINE)
        with ThreadPoolExecutor(SIDE_BY_SIDE) as readers:
            return list(readers.map(log, pods))
    finally:
        kubectl(context, "delete", "pod", mine, *here, "--ignore-not-found", "--wait=false")
