"""The commands of gates: what looks at a cluster, in this process, and what it prints."""

import io
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import get
from bedplate.components.verification.pools import device_pools, required_of
from bedplate.components.verification.proof import prove
from bedplate.releases.gates import Ran
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load_named
from bedplate.wrong import WrongError

GREEN, RED = 0, 1
PATIENCE = 60
"""Seconds that `pools-ready` waits: `up` has waited already, for as long as the profile says."""


def command(words: Sequence[str]) -> int:
    """One of Bedplate's, with a kubeconfig where CI has one as text."""
    from bedplate.engine import command, tool  # noqa: PLC0415 - a road that is only read does not pay for them
    from bedplate.live import doctor  # noqa: PLC0415
    from bedplate.verify import __main__ as verify  # noqa: PLC0415

    name, *rest = words
    with tempfile.TemporaryDirectory() as scratch:
        before = dict(os.environ)
        os.environ.update(tool.environment(Path(scratch)))
        try:
            main = {"up": command.main, "doctor": doctor.main, "verify": verify.main}[name]
            return main([*(("up",) if name == "up" else ()), *rest])
        finally:
            os.environ.clear()
            os.environ.update(before)


def look(words: Sequence[str]) -> Ran:
    """A gate's command with what it prints for machines."""
    name, stack, *rest = words
    try:
        if name in OWN:
            return OWN[name](stack, *rest)
        with redirect_stdout(io.StringIO()) as said:
            status = command([*words, "--json"])
    except (WrongError, ClusterError) as error:
        return Ran(RED + 1, str(error))
    return Ran(status, said.getvalue())


def pools_ready(stack: str) -> Ran:
    """Each node that pools require has what the profile says of it."""
    profile = load_named(stack)
    known = facts(profile)
    pools = [required_of(known, pool) for pool in device_pools(known)]
    try:
        prove({"context": profile.context, "pools": pools, "operators": [], "timeout": PATIENCE})
    except ClusterError as error:
        return Ran(RED, str(error))
    return Ran(GREEN)


def query(stack: str, promql: str) -> Ran:
    """The answer of the cluster's Prometheus, one number, by way of the API server."""
    profile = load_named(stack)
    monitoring = facts(profile).monitoring
    if monitoring is None or monitoring.google or not monitoring.url:
        return Ran(RED, "the profile has no Prometheus that can be asked (`monitoring`)")
    path = f"{_proxied(monitoring.url)}/api/v1/query?query={quote(promql, safe='')}"
    return _number(json.loads(get(profile.context, path)))


def _proxied(url: str) -> str:
    """`http://prometheus.monitoring.svc:9090` as the API server reaches it (kubernetes.io, proxies)."""
    parts = urlsplit(url)
    service, namespace, *_ = str(parts.hostname).split(".")
    return f"/api/v1/namespaces/{namespace}/services/{parts.scheme}:{service}:{parts.port}/proxy"


def _number(answer: Mapping[str, Any]) -> Ran:
    """Of an instant query: a vector of one sample, or of none, which is 0, or a scalar."""
    if answer.get("status") != "success":
        return Ran(RED, str(answer.get("error") or "Prometheus refused the query"))
    data: Mapping[str, Any] = answer["data"]
    if data["resultType"] == "scalar":
        return Ran(GREEN, str(data["result"][1]))
    if data["resultType"] != "vector" or len(data["result"]) > 1:
        return Ran(RED, "the answer is no single number; sum it up")
    return Ran(GREEN, str(data["result"][0]["value"][1]) if data["result"] else "0")


OWN: Mapping[str, Callable[..., Ran]] = {"pools-ready": pools_ready, "query": query}
