"""Kueue: admits jobs to quota, all of a job or nothing; the cluster's own scheduler places what it admits."""

from typing import Any, Literal

import pulumi
import pulumi_kubernetes as k8s
import yaml
from pydantic import PositiveInt

from bedplate.components.chart import Chart
from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.facts.queues import KUEUE_MANAGED
from bedplate.components.namespace import namespace
from bedplate.components.scheduling.topology import SchedulerSection
from bedplate.components.section import Seconds
from bedplate.components.workload.controllers import running

CHART = Chart.of("kueue")


AGGREGATED = ("kueue-batch-admin-role", "kueue-batch-user-role")
"""ClusterRoles of the chart that only collect its others; teams have a Role of their own (`tenancy/access.py`)."""

WORKERS = {
    "Job.batch": 5,
    "Pod": 5,
    "Workload.kueue.x-k8s.io": 10,
    "LocalQueue.kueue.x-k8s.io": 5,
    "ClusterQueue.kueue.x-k8s.io": 5,
    "ResourceFlavor.kueue.x-k8s.io": 1,
}
"""Reconcilers side by side, as the chart sets them (0.19.2); without them a large cluster's jobs wait for one."""
PODS_READY = 1800
"""Half an hour: an image of ten gigabytes and more on every node."""


class KueueSection(SchedulerSection):
    """Kueue with the cluster's own scheduler."""

    kind: Literal["kueue"]
    replicas: PositiveInt = 2
    """Controllers, of which one leads; while none runs, no team can start a job."""
    pods_ready_timeout: Seconds | None = None
    """Seconds after which a job whose pods are not all ready gives its quota back and queues again; image pulls count.
    By default 1800, or as long as the slowest model server in a queue may take."""


class Kueue(Component[KueueSection], token="bedplate:scheduling:Kueue"):
    """Installs the controller; its Deployment is available only when its webhooks answer, so the release is a gate."""

    def _declare(self, args: Args[KueueSection], child: pulumi.ResourceOptions) -> dict[str, Any]:
        home = namespace(CHART.namespace, "restricted", child)
        place = home.metadata.name
        release = CHART.release("kueue", args, namespace=place, values=helm_values(args), opts=child)
        for role in AGGREGATED:
            _emptied(role, release, child)
        return {"namespace": place}


def _emptied(role: str, release: k8s.helm.v3.Release, opts: pulumi.ResourceOptions) -> k8s.rbac.v1.ClusterRolePatch:
    """Let an aggregated role of the chart select nothing.

    When Helm deletes the roles that it selects, Kubernetes' aggregation controller applies the aggregated one again,
    deleted or not: the uninstall would wait for its absence until its timeout, and the next install refuse what is
    left (seen with Kubernetes 1.35 and Helm 3.20). Helm restores the selectors at every upgrade, so the patch follows
    the release's revision; it is never undone, as a role that selects nothing cannot come back.
    """
    revision = release.status.revision.apply(str)
    annotations = {"pulumi.com/patchForce": "true", "bedplate/release-revision": revision}
    return k8s.rbac.v1.ClusterRolePatch(
        role,
        metadata={"name": role, "annotations": annotations},
        aggregation_rule={"cluster_role_selectors": [{"match_labels": {"bedplate/aggregate": "never"}}]},
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(retain_on_delete=True)),
    )


def helm_values(args: Args[KueueSection]) -> dict[str, Any]:
    """The configuration is one string that replaces the chart's own wholly, so it must be complete."""
    return {
        "controllerManager": {"replicas": args.section.replicas, **feature_gates(args.facts)},
        "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(configuration(args), sort_keys=False)},
    }


def feature_gates(facts: Facts) -> dict[str, Any]:
    """Claims of IMEX channels are outside any quota, as nobody runs short of them before GPUs.

    By default a workload with a claim is inadmissible unless its device class is given a quota of its own
    (pkg/controller/core/workload_controller.go at v0.19.2).
    """
    off = ("KueueDRAIntegration", "KueueDRARejectWorkloadsWhenDRADisabled") if "draDriver" in facts.has else ()
    return {"featureGates": [{"name": name, "enabled": False} for name in off]} if off else {}


def configuration(args: Args[KueueSection]) -> dict[str, Any]:
    """Kueue's configuration: what the chart sets by default (0.19.2), and our decisions after it."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {"groupKindConcurrency": dict(WORKERS)},
        "clientConnection": {"qps": 300, "burst": 500},
        # Every job in a team's namespace is queued, named queue or not; the selector keeps the webhooks, which refuse
        # everything while Kueue is down, away from the hooks of other charts.
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {"matchLabels": KUEUE_MANAGED},
        "waitForPodsReady": _pods_ready(pods_ready(args)),
        # What is lent goes to teams by their share (kubernetes-sigs/kueue, fair sharing).
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        "integrations": {"frameworks": frameworks(args.facts)},
        # Disk is not part of any quota; the node's kubelet guards it.
        "resources": {"excludeResourcePrefixes": ["ephemeral-storage"]},
    }


def pods_ready(args: Args[KueueSection]) -> int:
    """As stated, and otherwise so long that no server of ours is evicted while it loads."""
    return args.section.pods_ready_timeout or max(PODS_READY, args.facts.slowest_start)


def _pods_ready(seconds: int) -> dict[str, Any]:
    """Half-started jobs give way; a job whose image never comes does not keep the others from being admitted."""
    backoff = {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600}
    return {
        "timeout": f"{seconds}s",
        "recoveryTimeout": f"{seconds}s",
        "blockAdmission": False,
        "requeuingStrategy": backoff,
    }


BUILT_IN = ("batch/job", "pod", "deployment", "statefulset")
"""Without the last three, whoever makes pods instead of jobs has GPUs past every queue."""


def frameworks(facts: Facts) -> list[str]:
    """Kinds that Kueue holds back: Kubernetes' own, and those whose controllers are there.

    Those of the Training Operator are off by default since 0.19 (kubernetes-sigs/kueue#12606), and a queue label would
    be ignored in silence.
    """
    return [*BUILT_IN, *(name for controller in running(facts.training) for name in controller.frameworks)]
