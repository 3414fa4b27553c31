"""Pods of teams and what their queues count, as kube-state-metrics, Kueue and Volcano write it, in the shapes of attacks."""

from bedplate.components.observability.alerts.nodes import spelt

Series = dict[str, str]
MINUTES = 420
GPU = "nvidia.com/gpu"


def pod(
    name: str, team: str = "research", phase: str = "Running", node: str = "n1", **containers: dict[str, str]
) -> Series:
    """Containers with what each asks for; one whose name begins with `first` comes before the others."""
    target = 'job="kube-state-metrics",instance="10.0.0.9:8080"'
    of = f'{target},namespace="{team}",pod="{name}",uid="{name}"'
    series = {
        f'kube_pod_status_phase{{{of},phase="{one}"}}': f"{int(one == phase)}x{MINUTES}"
        for one in ("Pending", "Running", "Succeeded", "Failed", "Unknown")
    }
    for container, asked in containers.items():
        kind = "init_container" if container.startswith(("first", "beside")) else "container"
        for resource, amount in asked.items():
            labels = f'{of},container="{container}",node="{node}",resource="{spelt(resource)}",unit="integer"'
            series[f"kube_pod_{kind}_resource_requests{{{labels}}}"] = f"{amount}x{MINUTES}"
        if container.startswith("beside"):
            series[f'kube_pod_init_container_info{{{of},container="{container}",restart_policy="Always"}}'] = (
                f"1x{MINUTES}"
            )
    return series


def scheduled_by(scheduler: str, name: str, team: str) -> Series:
    return {f'kube_pod_scheduler{{namespace="{team}",pod="{name}",uid="{name}",name="{scheduler}"}}': f"1x{MINUTES}"}


def kueue(resource: str, amount: str, team: str = "research", flavor: str = "h100", role: str = "leader") -> Series:
    labels = f'cohort="c",cluster_queue="{team}",flavor="{flavor}",resource="{resource}",replica_role="{role}"'
    return {f"kueue_cluster_queue_resource_usage{{{labels}}}": f"{amount}x{MINUTES}"}


def volcano(team: str, processors: str = "0", memory: str = "0", **devices: str) -> Series:
    """Processors and devices in thousandths."""
    scalars = {
        f'volcano_queue_allocated_scalar_resources{{queue_name="{team}",resource="{GPU}"}}': f"{amount}x{MINUTES}"
        for amount in devices.values()
    }
    return {
        f'volcano_queue_allocated_milli_cpu{{queue_name="{team}"}}': f"{processors}x{MINUTES}",
        f'volcano_queue_allocated_memory_bytes{{queue_name="{team}"}}': f"{memory}x{MINUTES}",
        **scalars,
    }


FORGED = pod("a1f-0", main={GPU: "0"}) | pod("a1f-1", main={GPU: "8"}) | kueue(GPU, "0")
"""A group whose hash was written by hand: one is counted, and the other has the GPUs."""
ORPHANS = pod("left-0", main={GPU: "8"}) | pod("left-1", main={GPU: "8"}) | kueue(GPU, "8")
DEFAULTS = pod("cpu2", main={"cpu": "150"}) | kueue("cpu", "1") | kueue("cpu", "0", flavor="system")
"""Counted as the LimitRange's default."""
EARLY = pod("early", first={GPU: "8"}, main={GPU: "0"}) | kueue(GPU, "0")
BESIDE = pod("beside", beside={GPU: "4"}, main={GPU: "4"}) | kueue(GPU, "4")
SOUND = (
    pod("job-0", first={GPU: "8", "cpu": "1"}, main={GPU: "8", "cpu": "0.1"}, second={"cpu": "0.2"})
    | pod("done", phase="Succeeded", main={GPU: "8"})
    | pod("waits", phase="Pending", node="", main={GPU: "8"})
    | pod("stranger", team="kube-system", main={"cpu": "3"})
    | kueue(GPU, "8")
    | kueue(GPU, "0", role="follower")
    | pod("whole", main={"ephemeral_storage": "1"})
    | kueue("cpu", "3")
)
"""A first container that asks for more is not beside the others, and who has no node or has ended holds nothing.

Of the two processors that `whole` states for all its containers kube-state-metrics says nothing.
"""
NOTHING_SCRAPED = pod("job-0", main={GPU: "8"})
"""What Kueue counts is not to be had: nobody can say that it is less."""
AWAY = kueue(GPU, "8") | pod("small", main={"cpu": "1"}) | kueue("cpu", "1")

NO_GROUP = pod("job-0", "pretraining", main={GPU: "8", "cpu": "4"}) | volcano("pretraining")
"""Its PodGroup was deleted: the queue has never handed a GPU out, and its series has none."""
HALF = pod("job-0", "pretraining", main={GPU: "8"}) | volcano("pretraining", gpus="4000")
VOLCANO_SOUND = (
    pod("job-0", "pretraining", main={GPU: "8", "cpu": "4"})
    | scheduled_by("volcano", "job-0", "pretraining")
    | pod("desk", "pretraining", main={"cpu": "2", "memory": "1000"})
    | scheduled_by("default-scheduler", "desk", "pretraining")
    | volcano("pretraining", processors="4000", gpus="8000")
)
"""Processors of a pod that is not Volcano's are no queue's."""
PROCESSORS = (
    pod("job-0", "pretraining", main={"cpu": "4"})
    | scheduled_by("volcano", "job-0", "pretraining")
    | volcano("pretraining", processors="1000")
)
