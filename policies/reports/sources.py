"""The pages behind a rule: its source, which is written for people, as addresses."""

import re
from collections.abc import Iterator

CHANGE = re.compile(r"(?<![\w/.])([\w.-]+/[\w.-]+)((?:#\d+|, (?=#))+)")
ADDRESS = re.compile(r"(?<![\w@./])(https?://[^\s,;)]+|(?:[a-z0-9-]+\.)+(?:com|io|org)/[^\s,;)]+)")
REPOSITORY = re.compile(r"(?<![\w/.])([A-Za-z][\w-]+/[\w.-]*\w)(?![\w/])")
GITHUB = "https://github.com"
GPU_OPERATOR = "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest"
NCCL = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs"
DOCUMENT = re.compile(r"([\w-]+)\.rst")
PAGES = {
    "gpu-operator": f"{GPU_OPERATOR}/index.html",
    "helm": "https://helm.sh/docs/",
    "kubernetes.io blog": "https://kubernetes.io/blog/",
    "network operator": "https://docs.nvidia.com/networking/software/cloud-orchestration/index.html",
    "nvidia-k8s-ipam": f"{GITHUB}/Mellanox/nvidia-k8s-ipam",
    "NCCL environment": f"{NCCL}/env.html",
    "NCCL networking": f"{NCCL}/troubleshooting.html",
    "MIG user guide": "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/",
    "dcgm-exporter": f"{GITHUB}/NVIDIA/dcgm-exporter",
    "ib-sriov-cni": f"{GITHUB}/k8snetworkplumbingwg/ib-sriov-cni",
    "CNI host-device": "https://www.cni.dev/plugins/current/",
    "k8s-dra-driver-gpu": f"{GITHUB}/NVIDIA/k8s-dra-driver-gpu",
    "kai-scheduler": f"{GITHUB}/NVIDIA/KAI-Scheduler",
    "Kueue": "https://kueue.sigs.k8s.io/docs/",
    "LeaderWorkerSet": "https://lws.sigs.k8s.io/docs/",
    "JobSet": "https://jobset.sigs.k8s.io/docs/",
    "KEDA": "https://keda.sh/docs/latest/scalers/",
    "vLLM": "https://docs.vllm.ai/",
    "llm-d": "https://llm-d.ai/docs/",
    "torchrun": "https://docs.pytorch.org/docs/stable/elastic/run.html",
    "PyTorch": "https://docs.pytorch.org/docs/stable/distributed.checkpoint.html",
    "DeepSpeed": "https://www.deepspeed.ai/docs/config-json/",
    "ZeRO": "https://arxiv.org/abs/1910.02054",
    "Open MPI": "https://docs.open-mpi.org/",
    "EC2": "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/",
    "EKS": "https://docs.aws.amazon.com/eks/latest/userguide/",
    "Google": "https://cloud.google.com/kubernetes-engine/docs",
    "Azure": "https://learn.microsoft.com/azure/aks/",
    "Oracle": f"{GITHUB}/oracle-quickstart/oci-hpc-oke",
    "Lustre": "https://doc.lustre.org/lustre_manual.xhtml",
    "CSIDriver": "https://kubernetes-csi.github.io/docs/csi-driver-object.html",
    "Pod Security": "https://kubernetes.io/docs/concepts/security/pod-security-standards/",
    "Kubernetes": "https://kubernetes.io/docs/",
}
"""Where the documentation that sources call by a name stands; the more exact names come first."""


def links(source: str) -> list[str]:
    """The addresses of a source, in its order; none where it is arithmetic on the manifest itself."""
    return list(dict.fromkeys(link for part in source.split(";") for link in _of(part)))


def _of(part: str) -> list[str]:
    """What one part says, by the most exact of its words: a change, a page, an address, a repository, a name."""
    for read in (_changes, _documents, _addresses, _repositories, _named):
        if found := list(read(part)):
            return found
    return []


def _changes(part: str) -> Iterator[str]:
    """`owner/name#1, #2`: GitHub leads from an issue's address to a pull request's where it is one."""
    for repository, numbers in CHANGE.findall(part):
        yield from (f"{GITHUB}/{repository}/issues/{number}" for number in re.findall(r"#(\d+)", numbers))


def _documents(part: str) -> Iterator[str]:
    if part.strip().startswith("gpu-operator docs"):
        yield from (f"{GPU_OPERATOR}/{name}.html" for name in DOCUMENT.findall(part))


def _addresses(part: str) -> Iterator[str]:
    yield from (found if "://" in found else f"https://{found}" for found in ADDRESS.findall(part))


def _repositories(part: str) -> Iterator[str]:
    if found := REPOSITORY.search(part):
        yield f"{GITHUB}/{found[1]}"


def _named(part: str) -> Iterator[str]:
    yield from [page for name, page in PAGES.items() if name.lower() in part.lower()][:1]
