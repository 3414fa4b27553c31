"""The real scheduler on simulated GPU nodes: what fits runs, what does not stays out."""

from collections.abc import Iterator

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.nodes import nodes
from bedplate.lab.watch import PHASE, condition, counts, watch
from tests.cluster.objects import job, namespace, pod, pod_spec
from tests.stack_files import known, profile

STACK = "onprem-h100-roce"
HOME = "scheduling"
GPU_NODES = sum(pool.nodes for pool in known(STACK).gpu_pools)
GANG = ("GenericWorkload", "GangScheduling")


@pytest.fixture(scope="module")
def datacenter(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of its own, with the alpha gang scheduler of Kubernetes 1.35 switched on."""
    own = Cluster(f"{cluster.name}-{HOME}", cluster.binaries, features=GANG)
    own.start()
    try:
        own.apply([*nodes(profile(STACK)), namespace(HOME)])
        watch(own, "nodes", condition("Ready"), counts("True", GPU_NODES))
        yield own
    finally:
        own.stop()


@pytest.fixture(autouse=True)
def clean(datacenter: Cluster) -> Iterator[None]:
    yield
    datacenter.kubectl("delete", "deployments,jobs,pods,workloads", "--all", "-n", HOME)


def test_a_deployment_becomes_available(datacenter: Cluster) -> None:
    labels = {"app": "web"}
    spec = {**pod_spec(), "restartPolicy": "Always"}
    template = {"metadata": {"labels": labels}, "spec": spec}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": HOME},
        "spec": {"replicas": 3, "selector": {"matchLabels": labels}, "template": template},
    }
    datacenter.apply([deployment])
    datacenter.kubectl("wait", "--for=condition=Available", "deployment/web", "-n", HOME, "--timeout=60s")


def test_a_job_completes(datacenter: Cluster) -> None:
    datacenter.apply([job(HOME, "short", pods=4)])
    datacenter.kubectl("wait", "--for=condition=Complete", "job/short", "-n", HOME, "--timeout=60s")


def test_a_pod_that_asks_for_no_gpu_stays_off_gpu_nodes(datacenter: Cluster) -> None:
    datacenter.apply([pod(HOME, "plain", tolerations=[])])
    watch(datacenter, f"pods -n {HOME}", PHASE, counts("Running", 1))
    assert datacenter.kubectl("get", "pod/plain", "-n", HOME, "-o", "jsonpath={.spec.nodeName}").startswith("system-")


def test_a_pod_with_gpus_lands_where_they_are(datacenter: Cluster) -> None:
    selector = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    datacenter.apply([pod(HOME, "trainer", gpus=8, nodeSelector=selector)])
    watch(datacenter, f"pods -n {HOME}", PHASE, counts("Running", 1))
    assert datacenter.kubectl("get", "pod/trainer", "-n", HOME, "-o", "jsonpath={.spec.nodeName}").startswith("h100-")


def test_a_gpu_pod_that_does_not_tolerate_the_taint_is_left_pending(datacenter: Cluster) -> None:
    datacenter.apply([pod(HOME, "outsider", gpus=1, tolerations=[])])
    datacenter.kubectl("wait", "--for=condition=PodScheduled=False", "pod/outsider", "-n", HOME, "--timeout=60s")
    why = datacenter.kubectl(
        "get", "pod/outsider", "-n", HOME, "-o", "jsonpath={.status.conditions[?(@.type=='PodScheduled')].message}"
    )
    assert f"{GPU_NODES} node(s) had untolerated taint(s)" in why
    assert "Insufficient nvidia.com/gpu" in why


def workload(members: int) -> dict[str, object]:
    """Kubernetes' own description of a gang: none of its pods starts unless this many can."""
    group = {"name": "workers", "policy": {"gang": {"minCount": members}}}
    metadata = {"name": "gang", "namespace": HOME}
    api = "scheduling.k8s.io/v1alpha1"
    return {"apiVersion": api, "kind": "Workload", "metadata": metadata, "spec": {"podGroups": [group]}}


MEMBER = {"workloadRef": {"name": "gang", "podGroup": "workers"}}


def test_a_gang_that_fits_runs_whole(datacenter: Cluster) -> None:
    datacenter.apply([workload(GPU_NODES), job(HOME, "fits", GPU_NODES, gpus=8, runs_for="1h", **MEMBER)])
    watch(datacenter, f"pods -n {HOME} -l job=fits", PHASE, counts("Running", GPU_NODES))


def test_a_gang_that_does_not_fit_stays_out_whole(datacenter: Cluster) -> None:
    members = GPU_NODES + 1
    datacenter.apply([workload(members), job(HOME, "tight", members, gpus=8, runs_for="1h", **MEMBER)])
    watch(datacenter, f"pods -n {HOME} -l job=tight", condition("PodScheduled"), counts("False", 1))
    bound = datacenter.kubectl("get", "pods", "-n", HOME, "-l", "job=tight", "-o", "jsonpath={.items[*].spec.nodeName}")
    assert bound == ""


def test_without_a_gang_the_same_job_takes_every_gpu_and_hangs(datacenter: Cluster) -> None:
    members = GPU_NODES + 1
    datacenter.apply([job(HOME, "partial", members, gpus=8, runs_for="1h")])
    watch(datacenter, f"pods -n {HOME} -l job=partial", PHASE, counts("Running", GPU_NODES))
    watch(datacenter, f"pods -n {HOME} -l job=partial", condition("PodScheduled"), counts("False", 1))


def test_inference_takes_the_place_of_work_that_may_wait(datacenter: Cluster) -> None:
    api, kind = "scheduling.k8s.io/v1", "PriorityClass"
    for name, value in (("low", 10), ("high", 1000)):
        datacenter.apply([{"apiVersion": api, "kind": kind, "metadata": {"name": name}, "value": value}])
    datacenter.apply([job(HOME, "waits", GPU_NODES, gpus=8, runs_for="1h", priorityClassName="low")])
    watch(datacenter, f"pods -n {HOME} -l job=waits", PHASE, counts("Running", GPU_NODES))
    datacenter.apply([pod(HOME, "urgent", gpus=8, priorityClassName="high")])
    datacenter.kubectl("wait", "--for=condition=Ready", "pod/urgent", "-n", HOME, "--timeout=60s")
