"""Where pairs are tried: a bare API server, and for Kueue one beside which the real controller converts."""

import os
import signal
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from bedplate.lab.cluster import Cluster
from tests.cluster.real import lab_profile, started
from tests.tools.upgrades.api import DEFINITIONS, Api
from tests.tools.upgrades.releases import Definitions

IDLE = ("kwok-controller", "kube-scheduler", "kube-controller-manager")
"""Nothing is scheduled or played here, and each of them would look again at every kind that comes and goes."""
Convert = Callable[[Definitions], Definitions]


@contextmanager
def bare(cluster: Cluster) -> Generator[Api]:
    """The API server alone."""
    try:
        cluster.start()
        for name, pid in cluster.processes().items():
            if name in IDLE:
                os.kill(pid, signal.SIGKILL)
        with closing(Api(cluster.kubeconfig, cluster.folder / "pki")) as api:
            yield api
    finally:
        cluster.stop()


@contextmanager
def with_kueue(base: Cluster) -> Generator[tuple[Api, Convert]]:
    """Kueue itself, with its webhooks; what it converts for its own release's kinds, it converts for every other's."""
    with (
        started(base, "kueue", lab_profile(1, ()), ("kueue",)) as lab,
        closing(Api(lab.cluster.kubeconfig, lab.cluster.folder / "pki")) as api,
    ):
        installed = {one["metadata"]["name"]: one["spec"]["conversion"] for one in api.ask("GET", DEFINITIONS)["items"]}

        def convert(definitions: Definitions) -> Definitions:
            return {
                name: {**one, "spec": {**one["spec"], "conversion": installed[name]}} if several(one) else one
                for name, one in definitions.items()
            }

        yield api, convert


def several(definition: Mapping[str, Any]) -> bool:
    """Whether it has versions to convert between."""
    return len(definition["spec"]["versions"]) > 1
