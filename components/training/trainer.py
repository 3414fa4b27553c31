"""Kubeflow Trainer v2: TrainJobs, which run as JobSets made from a runtime."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from pydantic import Field

from bedplate.charts import sets
from bedplate.components.chart import Chart
from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.namespace import namespace
from bedplate.components.section import HelmSection

CHART = Chart.of("kubeflow-trainer")


class TrainerSection(HelmSection):
    """The TrainJob controller; presence installs it."""

    runtime_image: str = Field(default=sets.image("nvcr.io/nvidia/pytorch"), min_length=1)
    """Image of the runtimes in the teams' namespaces; a TrainJob may name another. It must carry the fabric's library,
    libibverbs or aws-ofi-nccl: without, NCCL talks over TCP and says so only in its log."""


class Trainer(Component[TrainerSection], token="bedplate:training:Trainer"):
    """Installs the controller and its webhooks, and JobSet with it unless the cluster has its own."""

    def _declare(self, args: Args[TrainerSection], child: pulumi.ResourceOptions) -> None:
        home = namespace(CHART.namespace, "restricted", child)
        release = CHART.release("trainer", args, namespace=home.metadata.name, values=helm_values(args), opts=child)
        if args.facts.scheduler.kind == "volcano":
            _reads_priorities(release, child)


def _reads_priorities(release: k8s.helm.v3.Release, opts: pulumi.ResourceOptions) -> None:
    """What the chart's role lacks (2.3.0): with Volcano the webhook looks up the PriorityClass that a job's pods name.

    Without it that look-up waits for ever, and every TrainJob is refused by a timeout (kubeflow/trainer v2.3.0,
    pkg/runtime/framework/plugins/volcano/volcano.go, and the rights that it states).
    """
    name = "trainer-reads-priorities"
    rule: Any = {
        "api_groups": ["scheduling.k8s.io"],
        "resources": ["priorityclasses"],
        "verbs": ["get", "list", "watch"],
    }
    role = k8s.rbac.v1.ClusterRole(name, metadata={"name": name}, rules=[rule], opts=opts)
    account = release.name.apply(lambda trainer: f"{trainer}-kubeflow-trainer-controller-manager")
    k8s.rbac.v1.ClusterRoleBinding(
        name,
        metadata={"name": name},
        role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role.metadata.name},
        subjects=[{"kind": "ServiceAccount", "name": account, "namespace": release.namespace}],
        opts=opts,
    )


def helm_values(args: Args[TrainerSection]) -> dict[str, Any]:
    """JobSet is installed once, LeaderWorkerSet never, and the runtimes are ours.

    `dataCache.enabled` decides about LeaderWorkerSet: Helm takes the first path of a dependency's condition that is
    set, and so never looks at `dataCache.lws.install`.
    The chart's own need a hook that fetches a client from the internet, and know nothing of the fabric.
    """
    return {
        "jobset": {"install": "jobset" not in args.facts.training},
        "dataCache": {"enabled": False},
        "runtimes": {"defaultEnabled": False},
    }
