"""What a node gives, whose rights pods have and how volumes are mounted: profiles on either side of a limit."""

from typing import Any

from bedplate.stacks.facts.allocatable import agents
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import document
from tests.unit.checks.case import GONE, Case, edited, refused, taken
from tests.unit.checks.edges_serving import group
from tests.unit.test_allocatable import profile

ROCE, SERVER, S = "onprem-h100-roce", "serving.servers[0]", "serving.servers.0."
BARE = {"kind": "bucket", "url": "s3://models/llama"}
OF_GOOGLE = {"kind": "bucket", "url": "gs://models/llama", "serviceAccount": "reader"}
OWN_ACCOUNT = {
    **BARE,
    "serviceAccount": {"name": "reader", "annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/reader"}},
}
OTHER_READER = {
    "kind": "vllm",
    "name": "other",
    "namespace": "research",
    "pool": "p5",
    "model": "llama-3.1-8b",
    "weights": {**BARE, "serviceAccount": "reader"},
}
OF_AZURE = {
    "kind": "bucket",
    "url": "az://models/llama",
    "account": "store0",
    "serviceAccount": {"name": "reader", "annotations": {"azure.workload.identity/client-id": "0-1"}},
}
BUCKETS: list[tuple[Any, ...]] = [
    ("of nobody's rights", BARE, (f"{SERVER}.weights.serviceAccount = absent", "add serviceAccount, or name a")),
    (
        "by an account where none has rights",
        {**BARE, "serviceAccount": "reader"},
        (f"{SERVER}.weights.url = s3:", "of kubeadm has rights"),
    ),
    (
        "of Google's on a site",
        OF_GOOGLE,
        (f"{SERVER}.weights.url = gs://", "no service account of kubeadm", "copy the weights to a volume, or read"),
    ),
    (
        "elsewhere by an account",
        {**OWN_ACCOUNT, "endpoint": "https://a"},
        (f"{SERVER}.weights.secretName = absent", "https://a knows no"),
    ),
    (
        "of Google's with keys",
        {**OF_GOOGLE, "secretName": "k"},
        (f"{SERVER}.weights.secretName = k", "is Google's", "as s3://"),
    ),
    (
        "of Google's elsewhere",
        {**OF_GOOGLE, "secretName": "k", "endpoint": "https://a"},
        (f"{SERVER}.weights.endpoint = https://a", "Google's"),
        (f"{SERVER}.weights.secretName = k", "Google's"),
    ),
    (
        "of Azure's on a site",
        {**OF_AZURE, "serviceAccount": "reader"},
        (f"{SERVER}.weights.url = az://", "no service account of kubeadm", "copy the weights to a volume"),
    ),
    (
        "of Azure's without its account, and with keys",
        {**OF_AZURE, "account": None, "secretName": "k"},
        (f"{SERVER}.weights.secretName = k", "is Azure's", "remove it"),
        (f"{SERVER}.weights.account = absent", "which has none", "add it"),
    ),
    (
        "of Amazon's with an account of Azure's",
        {**OWN_ACCOUNT, "account": "store0"},
        (f"{SERVER}.weights.account = store0", "az://", "remove it"),
    ),
]

IDLE: dict[str, Any] = {"gpu": "H100", "gpus": 8, "cpus": 224, "memoryGib": 2048, "nics": 8, "nicGbps": 400}
FUSE = {"kind": "custom", "driver": "gcsfuse.csi.storage.gke.io", "fileSystems": {"fs": {"handle": "bucket"}}}
EFS = {**FUSE, "driver": "efs.csi.aws.com"}
MODELS = {
    "name": "models",
    "namespaces": ["research", "serving"],
    "size": "10Ti",
    "path": "/models",
    "fileSystem": "fs",
}
OUR_CPU = sum(cpu for cpu, _ in agents(Profile.model_validate(document(ROCE))))
OURS = sum(memory for _, memory in agents(Profile.model_validate(document(ROCE))))
GIVEN = facts(Profile.model_validate(document(ROCE))).pools[1].allocatable


def on(driver: dict[str, Any], **volume: Any) -> dict[str, Any]:
    """The stack with one volume, of another driver."""
    return edited(ROCE, {"storage.driver": driver, "storage.volumes": [{**MODELS, **volume}]})


def on_aks(weights: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A small cluster with one server."""
    placed = {"name": "llama", "namespace": "team", "pool": "gpu", "model": "llama-3.1-8b"}
    own = {"podCidr": "10.1.0.0/16", "serviceCidr": "10.2.0.0/16", "nodeCidrs": ["10.3.0.0/16"]}
    return {
        **profile("aks", "NC24ads_A100_v4"),
        "clusterNetwork": own,
        "tenancy": {"teams": [{"name": "team", "rdma": False, "egress": ["0.0.0.0/0"]}]},
        "serving": {"servers": [{"kind": "vllm", **placed, "weights": weights, **more}]},
    }


def offering(memory: int) -> dict[str, Any]:
    """The stack whose GPU nodes offer so many MiB beyond what agents ask for."""
    return edited(ROCE, {"pools.1.allocatable": {"memory": f"{memory + OURS}Mi"}, "serving": GONE})


EDGES: dict[str, Case] = {
    **{
        f"weights from a bucket, {name}": refused(edited(ROCE, {f"{S}weights": weights}), *told)
        for name, weights, *told in BUCKETS
    },
    "weights from a bucket of Amazon's on EKS": taken(group("eks-p5", "p5", 8, {f"{S}weights": OWN_ACCOUNT})),
    "weights from a bucket of Azure's, where its webhook is": taken(edited(ROCE, {f"{S}weights": OF_AZURE})),
    "weights from a bucket of Azure's on AKS by an account that is there": taken(
        on_aks({**OF_AZURE, "serviceAccount": "reader"})
    ),
    "weights from a bucket of Azure's by an account of nobody's": refused(
        on_aks({**OF_AZURE, "serviceAccount": {"name": "reader"}}),
        (f"{SERVER}.weights.serviceAccount.annotations = absent", "whose rights", "client-id"),
    ),
    "weights from a bucket of Azure's by a release that streams none": refused(
        on_aks(OF_AZURE, image="vllm/vllm-openai:v0.12.0"),
        (f"{SERVER}.weights.url = az://models/llama", "vLLM 0.12.0 streams from gs, s3 alone", "a later release"),
    ),
    "one account that two servers describe": refused(
        group(
            "eks-p5",
            "p5",
            2,
            {f"{S}weights": OWN_ACCOUNT, f"{S}pipelineParallel": 1, "serving.servers.1": OTHER_READER},
        ),
        ("serving.servers[1].weights.serviceAccount = reader", "says something else of this account"),
    ),
    "an account that every namespace has": refused(
        group("eks-p5", "p5", 8, {f"{S}weights": {**OWN_ACCOUNT, "serviceAccount": {"name": "default"}}}),
        ("serving.servers[0].weights.serviceAccount = default", "every namespace has it already", "another name"),
    ),
    "GPUDirect-TCPX": refused(
        edited("gke-a3-mega", {"pools.1.shape": "a3-highgpu-8g", "verification": GONE}),
        ("fabric.kind = tcpxo", "NICs of a3-highgpu-8g's GPUs are not supported", "800 Gb/s", "tcpxo or gib"),
    ),
    "no NICs on GKE": refused(
        edited("gke-a3-mega", {"pools.1.shape": "g2-standard-96", "verification": GONE, "serving": GONE}),
        ("fabric.kind = tcpxo", "use kind none, or another shape"),
    ),
    "NICs of no fabric elsewhere": refused(
        edited(ROCE, {"pools.1.shape": {**IDLE}, "serving": GONE, "verification": GONE}),
        ("fabric.kind = roce", "use kind none, or another shape"),
    ),
    "a node with a GiB for each GPU": taken(offering(8 * 1024)),
    "a node with less": refused(
        offering(8 * 1024 - 1), ("pools[1].shape", "1.0 GiB of memory", "that its kubelet keeps", "larger machine")
    ),
    "a node that gives all that it has": taken(
        edited(ROCE, {"pools.1.allocatable": {"cpu": "224", "memory": "2Ti"}, "serving": GONE})
    ),
    "a node that gives more than it has": refused(
        edited(ROCE, {"pools.1.allocatable": {"cpu": "224001m", "memory": "2049Gi"}, "serving": GONE}),
        ("pools[1].allocatable.cpu = 224001m", "a node has 224 processors"),
        ("pools[1].allocatable.memory = 2049Gi", "a node has 2048 GiB"),
    ),
    "a node with hardly a processor": refused(
        edited(ROCE, {"pools.1.allocatable": {"cpu": f"{OUR_CPU + 8 * 100 - 1}m"}, "serving": GONE}),
        ("pools[1].shape", "would have 100 millicores", "larger machine"),
    ),
    "a node with just enough of one": taken(
        edited(ROCE, {"pools.1.allocatable": {"cpu": f"{OUR_CPU + 8 * 100}m"}, "serving": GONE})
    ),
    "a server with as much as a node gives": taken(
        edited(ROCE, {f"{S}memory": f"{GIVEN.memory}Mi", f"{S}cpu": f"{GIVEN.millicores}m"})
    ),
    "a server with more memory": refused(
        edited(ROCE, {f"{S}memory": f"{GIVEN.memory + 1}Mi"}),
        (f"{SERVER}.memory", "no node has it", "2048.0 GiB - 41.2 kernel", f"use {GIVEN.memory}Mi"),
    ),
    "a server with more processors": refused(
        edited(ROCE, {f"{S}cpu": f"{GIVEN.millicores + 1}m"}), (f"{SERVER}.cpu", "of its 224 processors")
    ),
    "a volume of an account that is there": taken(on(FUSE, serviceAccount="reader")),
    "a volume of nobody's": refused(on(FUSE), ("storage.volumes[0].serviceAccount = absent", "and pods have none")),
    "a volume of a driver that reads with its own rights": taken(on(EFS)),
    "a mode that the driver refuses": refused(
        on(EFS, mode="ReadOnlyMany"),
        ("storage.volumes[0].mode = ReadOnlyMany", "efs.csi.aws.com refuses to mount it", "use ReadWriteMany"),
    ),
    "one account that two volumes describe": refused(
        edited(
            on(FUSE, serviceAccount="reader"),
            {
                "storage.volumes.1": {
                    **MODELS,
                    "name": "b",
                    "path": "/b",
                    "fileSystem": "other",
                    "serviceAccount": {"name": "reader"},
                },
                "storage.driver.fileSystems.other": {"handle": "other"},
            },
        ),
        *[
            ("storage.volumes[1].serviceAccount = reader", f"of {home} says something else")
            for home in ("research", "serving")
        ],
    ),
}
