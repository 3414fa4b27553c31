"""LeaderWorkerSet: groups of pods that serve one model together, and the Service before their leaders.

For servers only: its pods restart after success too (kubernetes-sigs/lws#570).
"""

from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, pod_template


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """Leaders and workers alike; LWS_WORKER_INDEX and LWS_LEADER_ADDRESS tell the program which it is."""
    asked = gang(job, contract)
    leader = pod_template(job, contract, Role(container="server", port=job.port, restart_policy=None))
    worker = pod_template(job, contract, Role(container="server", restart_policy=None))
    group = {
        **job.row.type_meta,
        "metadata": asked.metadata(job),
        "spec": {
            "replicas": job.replicas,
            "startupPolicy": "LeaderCreated",
            "networkConfig": {"subdomainPolicy": "Shared"},
            # No spare GPUs are needed for a new version: one group gives way at a time.
            "rolloutStrategy": {
                "type": "RollingUpdate",
                "rollingUpdateConfiguration": {"maxSurge": 0, "maxUnavailable": 1},
            },
            "leaderWorkerTemplate": {
                "size": job.nodes,
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": leader,
                "workerTemplate": worker,
            },
        },
    }
    return [_service(job), group]


def _service(job: TrainingJob) -> dict[str, Any]:
    """Before the leaders only; the controller makes the headless one under the job's name."""
    leaders = {
        "leaderworkerset.sigs.k8s.io/name": job.name,
        "leaderworkerset.sigs.k8s.io/worker-index": "0",
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": f"{job.name}-http", "namespace": job.team},
        "spec": {"selector": leaders, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]},
    }
