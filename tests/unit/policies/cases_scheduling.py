"""SCH-4xx."""

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case, put

WORKER = "job spec pytorchReplicaSpecs Worker template"
CONTAINER = f"{WORKER} spec containers 0"
QUEUE = "kueue.x-k8s.io/queue-name"
NARROW = "managedJobsNamespaceSelector: {matchLabels: {kueue-managed: 'true'}}\nwaitForPodsReady: {enable: true}\n"
WITH_PYTORCH = NARROW + "integrations: {frameworks: [kubeflow.org/pytorchjob]}\n"
WORKER_RESOURCES = ("spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers", "0", "resources")
CHAIN = {
    "job": v.pytorch_job(),
    "local": v.local_queue(),
    "queue": v.cluster_queue(),
    "flavor": v.flavor(),
    "topology": v.topology(),
}


def unqueued(**more: object) -> v.Doc:
    job = v.pytorch_job(**more)
    job["metadata"]["labels"] = {}
    return job


def on(scheduler: str) -> v.Doc:
    job = unqueued()
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        role["template"]["spec"]["schedulerName"] = scheduler
    return job


def kai() -> v.Doc:
    notes = {
        "kai.scheduler/topology": "fabric",
        "kai.scheduler/topology-required-placement": "rack",
    }
    pod = v.manifest("v1", "Pod", "x", "team", annotations=notes, labels={"kai.scheduler/queue": "team"})
    pod["spec"] = {"schedulerName": "kai-scheduler", "containers": []}
    return pod


KAI_TOPOLOGY = v.manifest("kai.scheduler/v1alpha1", "Topology", "fabric", spec={"levels": [{"nodeLabel": "rack"}]})
QUOTA = v.manifest("v1", "ResourceQuota", "team", "team", spec={"hard": {"requests.nvidia.com/gpu": 8}})

CASES = [
    case(
        "SCH-401",
        {"job": v.pytorch_job()},
        ("job metadata labels", {}, "2 nodes and no gang scheduling. Half of the pods start"),
        (f"job metadata labels {QUEUE}", GONE, "2 nodes and no gang scheduling"),
    ),
    case(
        "SCH-401",
        {"job": unqueued(runPolicy={"schedulingPolicy": {"minAvailable": 2}})},
        ("job spec runPolicy", {}, "no gang scheduling"),
    ),
    case(
        "SCH-401",
        {"job": unqueued(), "queue": v.manifest("kueue.x-k8s.io/v1beta2", "LocalQueue", "default", "team", spec={})},
        ("queue metadata name", "other", "no gang scheduling"),
    ),
    case(
        "SCH-401",
        {
            "job": {**v.train_job(), "metadata": {"name": "llama", "namespace": "team"}},
            "runtime": v.manifest(
                "trainer.kubeflow.org/v1alpha1",
                "ClusterTrainingRuntime",
                "torch-distributed",
                spec={"podGroupPolicy": {"coscheduling": {}}},
            ),
        },
        ("runtime spec podGroupPolicy", GONE, "2 nodes and no gang scheduling"),
        ("runtime", GONE, "2 nodes and no gang scheduling"),
    ),
    case(
        "SCH-402",
        {"job": on("volcano"), "operator": v.operator("training-operator", "--gang-scheduler-name=volcano")},
        ("operator spec template spec containers 0 args", [], "training-operator runs without --gang-scheduler-name"),
    ),
    case(
        "SCH-402",
        {"job": v.pytorch_job(), "operator": v.operator("training-operator")},
        (f"{WORKER} spec schedulerName", "volcano", "schedulerName is volcano but training-operator runs"),
    ),
    case(
        "SCH-403",
        {
            "volcano": v.release("volcano", "1.15.1", "volcano-system"),
            "operator": {
                **v.operator("training-operator", "--gang-scheduler-name", "volcano"),
                "dependencies": ["volcano"],
            },
        },
        ("operator dependencies", [], "and does not wait for Volcano"),
        ("volcano", GONE, "but nothing installs Volcano"),
    ),
    case(
        "SCH-403",
        {"operator": v.operator("training-operator")},
        (
            "operator spec template spec containers 0 args",
            ["--gang-scheduler-name=volcano"],
            "nothing installs Volcano",
        ),
    ),
    case(
        "SCH-404",
        {"job": v.pytorch_job()},
        (f"{WORKER} spec schedulerName", "volcano", f"{QUEUE} is training beside schedulerName volcano"),
        (
            f"{WORKER} metadata annotations scheduling.volcano.sh/queue-name",
            "a",
            "beside scheduling.volcano.sh/queue-name",
        ),
        ("job metadata labels kai.scheduler/queue", "a", "beside kai.scheduler/queue"),
    ),
    case(
        "SCH-404",
        {"job": on("volcano")},
        ("job metadata labels", dict(v.QUEUED), "beside schedulerName volcano"),
    ),
    case(
        "SCH-405",
        {"job": v.pytorch_job(), "kueue": v.kueue(WITH_PYTORCH)},
        (
            "kueue helmRelease values managerConfig controllerManagerConfigYaml",
            NARROW,
            "Kueue 0.19.2 does not manage kubeflow.org/pytorchjob",
        ),
    ),
    case(
        "SCH-405",
        {
            "job": v.pytorch_job(),
            "kueue": v.release("kueue", "0.18.1", "x"),
            "set": v.job_set(),
            "one": v.indexed_job(),
        },
        ("kueue helmRelease version", "0.19.0", "does not manage kubeflow.org/pytorchjob"),
    ),
    case(
        "SCH-406",
        CHAIN,
        ("local metadata namespace", "other", "queue training is no LocalQueue in team"),
        ("local spec clusterQueue", "other", "clusterQueue other does not exist"),
        ("flavor metadata name", "other", "flavor h100 does not exist"),
        ("topology metadata name", "other", "topologyName fabric does not exist"),
        ("topology", GONE, "topologyName fabric does not exist"),
    ),
    case(
        "SCH-407",
        {**CHAIN, "kueue": v.kueue(WITH_PYTORCH + "resources: {excludeResourcePrefixes: [hugepages-]}")},
        (
            "queue spec resourceGroups 0 coveredResources",
            ["cpu", "memory", "nvidia.com/gpu"],
            "requests rdma/fabric, which",
        ),
        (
            f"{CONTAINER} resources limits ephemeral-storage",
            "1Ti",
            "requests ephemeral-storage, which ClusterQueue gpus",
        ),
    ),
    case(
        "SCH-407",
        {
            "local": v.local_queue(),
            "queue": v.cluster_queue("cpu", "memory", "nvidia.com/gpu"),
            "job": v.pytorch_job(),
            "kueue": v.kueue("resources: {excludeResourcePrefixes: [rdma/]}"),
        },
        (
            "kueue helmRelease values managerConfig controllerManagerConfigYaml",
            "resources: {excludeResourcePrefixes: [x/]}",
            "requests rdma/fabric",
        ),
    ),
    case(
        "SCH-408",
        {"flavor": v.flavor(), "kueue": v.kueue("resources: {excludeResourcePrefixes: [hugepages-]}")},
        (
            "kueue helmRelease values managerConfig controllerManagerConfigYaml",
            "resources: {excludeResourcePrefixes: [rdma/]}",
            "excludeResourcePrefixes hides rdma/ from topology-aware scheduling",
        ),
    ),
    case(
        "SCH-408",
        {
            "flavor": v.manifest("kueue.x-k8s.io/v1beta2", "ResourceFlavor", "a", spec={}),
            "kueue": v.kueue("resources: {excludeResourcePrefixes: [rdma/]}"),
        },
        ("flavor spec topologyName", "fabric", "excludeResourcePrefixes hides rdma/"),
    ),
    case(
        "SCH-409",
        {**CHAIN, "facts": {"pools": [v.pool(labels={"pool": "h100"})]}},
        (
            "queue spec resourceGroups 0 flavors 0 resources 2 nominalQuota",
            24,
            "quotas add up to 24 GPUs, its nodes have 16",
        ),
        ("facts pools 0 nodes", 1, "quotas add up to 16 GPUs, its nodes have 8"),
        ("job spec pytorchReplicaSpecs Worker replicas", 4, "asks for 40 GPUs, ClusterQueue gpus can give 16"),
    ),
    case(
        "SCH-409",
        {
            **CHAIN,
            "queue": v.cluster_queue(cohortName="all"),
            "peer": {**v.cluster_queue(cohortName="all"), "metadata": {"name": "peer"}},
        },
        ("job spec pytorchReplicaSpecs Worker replicas", 4, "asks for 40 GPUs, ClusterQueue gpus can give 32"),
    ),
    case(  # slices are no part of the quota for whole GPUs
        "SCH-409",
        {**CHAIN, "job": put(CHAIN["job"], WORKER_RESOURCES, {"limits": {"nvidia.com/mig-1g.10gb": 40}})},
        ("job spec pytorchReplicaSpecs Master replicas", 3, "asks for 24 GPUs, ClusterQueue gpus can give 16"),
    ),
    case(
        "SCH-409",
        {
            "facts": {"pools": [v.pool(labels={"pool": "a"}), v.pool(name="b", labels={"pool": "b"})]},
            "flavor": v.flavor(nodeLabels={"pool": "a"}),
            "queue": v.cluster_queue(),
        },
        ("queue spec resourceGroups 0 flavors 0 resources 2 nominalQuota", 32, "its nodes have 16"),
    ),
    case(
        "SCH-410",
        {"queue": v.cluster_queue(cohortName="all")},
        ("queue spec cohort", "all", "spec.cohort is not a field of v1beta2. Kubernetes refuses"),
        ("queue spec admissionChecks", ["a"], "Write spec.admissionChecksStrategy"),
        (
            "queue",
            {**v.cluster_queue(cohortName="all"), "apiVersion": "kueue.x-k8s.io/v1beta1"},
            "spec.cohortName is not a field of v1beta1",
        ),
    ),
    case(
        "SCH-410",
        {"queue": {**v.cluster_queue(), "apiVersion": "kueue.x-k8s.io/v1", "spec": {"cohort": "x"}}},
        ("queue", v.cluster_queue(cohort="x"), "spec.cohort is not a field"),
    ),
    case(
        "SCH-411",
        {"kueue": v.kueue(NARROW), "nics": v.network_operator()},
        (
            "kueue helmRelease values managerConfig controllerManagerConfigYaml",
            "waitForPodsReady: {}",
            "no managedJobsNamespaceSelector beside network-operator",
        ),
        (
            "kueue helmRelease values managerConfig controllerManagerConfigYaml",
            "manageJobsWithoutQueueName: true",
            "manageJobsWithoutQueueName is true without managedJobsNamespaceSelector",
        ),
    ),
    case(
        "SCH-411",
        {"kueue": v.kueue("a: b")},
        ("nics", v.network_operator(), "no managedJobsNamespaceSelector beside network-operator"),
    ),
    case(
        "SCH-412",
        {"job": v.pytorch_job(), "kueue": v.kueue(NARROW)},
        (
            "kueue helmRelease values managerConfig controllerManagerConfigYaml",
            "a: b",
            "multi-node jobs are queued and waitForPodsReady is not set",
        ),
    ),
    case(
        "SCH-412",
        {"job": v.pytorch_job(), "kueue": v.kueue("a: b"), "flavor": v.flavor()},
        ("flavor spec topologyName", GONE, "waitForPodsReady is not set"),
    ),
    case(
        "SCH-412",
        {"job": unqueued(), "kueue": v.kueue("a: b")},
        ("job metadata labels", dict(v.QUEUED), "waitForPodsReady is not set"),
    ),
    case(
        "SCH-413",
        {
            "facts": {"platform": "eks"},
            "topology": v.topology("topology.k8s.aws/network-node-layer-1", "kubernetes.io/hostname"),
        },
        ("topology spec levels 1 nodeLabel", "rack", "the last level is rack. No node has the label"),
        ("topology spec levels 0 nodeLabel", "cloud.google.com/gce-topology-block", "is no label of eks"),
        ("facts platform", "gke", "level topology.k8s.aws/network-node-layer-1 is no label of gke"),
    ),
    case(
        "SCH-413",
        {"topology": KAI_TOPOLOGY},
        ("topology", v.topology("rack"), "the last level is rack"),
    ),
    case(
        "SCH-414",
        {"job": v.pytorch_job()},
        (
            f"{WORKER} spec topologySpreadConstraints",
            [{"topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}],
            "Worker must spread over topology.kubernetes.io/zone",
        ),
        (f"{WORKER} spec topologySpreadConstraints", [{"topologyKey": "rack"}], "must spread over rack"),
    ),
    case(
        "SCH-414",
        {
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 1,
                        "template": v.template(
                            {
                                **v.pod_spec(),
                                "topologySpreadConstraints": [
                                    {"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"},
                                    {"topologyKey": "kubernetes.io/hostname"},
                                ],
                            }
                        ),
                    }
                }
            ),
            "server": v.deployment(),
        },
        (
            "job spec pytorchReplicaSpecs Worker",
            {
                "replicas": 2,
                "template": v.template({**v.pod_spec(), "topologySpreadConstraints": [{"topologyKey": "zone"}]}),
            },
            "Worker must spread over zone",
        ),
    ),
    case(
        "SCH-415",
        {"pod": kai(), "topology": KAI_TOPOLOGY},
        ("pod metadata annotations kai.scheduler/topology", GONE, "placement rack without kai.scheduler/topology"),
        ("topology metadata name", "other", "kai.scheduler/topology fabric is no Topology"),
        ("topology spec levels 0 nodeLabel", "block", "placement rack is no level of fabric"),
        ("pod metadata labels", {}, "without the label kai.scheduler/queue"),
    ),
    case(
        "SCH-415",
        {"pod": v.manifest("v1", "Pod", "x", spec={"schedulerName": "default-scheduler", "containers": []})},
        ("pod spec schedulerName", "kai-scheduler", "without the label kai.scheduler/queue"),
    ),
    case(
        "SCH-416",
        {"quota": QUOTA},
        ("quota spec hard nvidia.com/gpu", 8, "spec.hard has nvidia.com/gpu. The API server rejects"),
        ("quota spec hard limits.nvidia.com/gpu", 8, "spec.hard has limits.nvidia.com/gpu"),
    ),
    case(
        "SCH-417",
        {"facts": {"platform": "kubeadm", "pools": [v.pool()]}, "job": unqueued()},
        (f"{WORKER} spec tolerations", [], "Worker does not tolerate nvidia.com/gpu:NoSchedule of pool h100"),
        (f"{WORKER} spec tolerations 0 key", "other", "does not tolerate nvidia.com/gpu"),
        ("facts pools 0 taints", [{"key": "team", "value": "a"}], "does not tolerate team:NoSchedule"),
    ),
    case(
        "SCH-417",
        {
            "facts": {"platform": "kubeadm", "pools": [v.pool(), v.pool(name="free", taints=[])]},
            "pod": v.manifest(
                "v1", "Pod", "x", spec={"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]}
            ),
        },
        ("facts pools 1 taints", [{"key": "a"}], "does not tolerate nvidia.com/gpu:NoSchedule"),
    ),
    case(
        "SCH-417",
        {
            "facts": {"platform": "kubeadm", "pools": [v.pool()]},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {"template": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 8}}}]}}}
                }
            ),
        },
        ("job metadata labels", {}, "does not tolerate"),
    ),
    case(
        "SCH-418",
        {
            "job": v.pytorch_job(),
            "class": v.manifest("scheduling.k8s.io/v1", "PriorityClass", "training"),
            "critical": v.manifest(
                "v1", "Pod", "x", spec={"priorityClassName": "system-node-critical", "containers": []}
            ),
        },
        (f"{WORKER} spec priorityClassName", "high", "Worker has the unknown priority class high"),
        ("critical spec priorityClassName", "y", "priority class y"),
    ),
    case(
        "SCH-419",
        {"facts": {"platform": "eks"}, "job": v.pytorch_job()},
        (
            "job spec pytorchReplicaSpecs",
            {"Worker": {"replicas": 2, "template": {"spec": v.pod_spec()}}},
            "has neither annotation nor disruption budget",
        ),
    ),
    case(
        "SCH-419",
        {
            "facts": {"platform": "gke"},
            "budget": v.manifest("policy/v1", "PodDisruptionBudget", "x", "team", spec={}),
            "job": v.pytorch_job(pytorchReplicaSpecs={"Worker": {"replicas": 2, "template": {"spec": v.pod_spec()}}}),
        },
        ("budget metadata namespace", "other", "has neither annotation nor disruption budget"),
    ),
    case(
        "SCH-419",
        {
            "facts": {"platform": "kubeadm"},
            "job": v.pytorch_job(pytorchReplicaSpecs={"Worker": {"replicas": 2, "template": {"spec": v.pod_spec()}}}),
            "group": v.leader_worker_set(),
        },
        ("facts platform", "aks", "PyTorchJob team/llama: has neither annotation"),
    ),
    case(
        "SCH-420",
        {"facts": {"kubernetesVersion": "1.35"}, "volcano": v.release("volcano", "1.15.1", "x")},
        ("facts kubernetesVersion", "1.36.1", "volcano 1.15.1 on Kubernetes 1.36.1"),
    ),
    case(
        "SCH-420",
        {"facts": {"kubernetesVersion": "1.36"}, "volcano": v.release("volcano", "1.16.0", "x")},
        ("volcano helmRelease version", "1.15.0", "volcano 1.15.0 on Kubernetes 1.36"),
    ),
]
