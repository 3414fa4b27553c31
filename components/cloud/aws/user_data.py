"""What a node does before its kubelet starts, in the image's own form.

Huge pages for EFA, locked memory for RDMA, and no GPU for who has not asked for it.

AL2023 takes MIME parts, which EKS merges with its own (EKS User Guide, "Customize managed nodes with launch
templates"); Bottlerocket takes settings in TOML.
"""

import base64
from pathlib import Path

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import Facts, NodePool

BOUNDARY = "BEDPLATE"

FOLDER = Path(__file__).with_name("user_data")
"""The parts, with `{pages}` for the huge pages.

`unseen.sh`: the image's default runtime is NVIDIA's (awslabs/amazon-eks-ami, nodeadm/internal/containerd). Without it,
whatever image says NVIDIA_VISIBLE_DEVICES=all, and CUDA's all do, has every GPU of the node; those that the kubelet
hands out come by CDI. Containers with SYS_ADMIN, such as DCGM's exporter, still see all (NVIDIA/nvidia-container-
toolkit, internal/config/image). Bottlerocket has it so by default (settings.kubernetes.nvidia.container-runtime).
"""
SCRIPT = "text/x-shellscript; charset=us-ascii"


def user_data(section: AwsCloud, facts: Facts, pool: NodePool) -> str | None:
    """The launch template's user data, in base64; None where EKS's own is enough."""
    text = _bottlerocket(facts, pool) if facts.node_os == "bottlerocket-nvidia" else _al2023(section, facts, pool)
    return base64.b64encode(text.encode()).decode() if text else None


def _bottlerocket(facts: Facts, pool: NodePool) -> str:
    return _text("bottlerocket.toml", facts) if pool.nics else ""


def _al2023(section: AwsCloud, facts: Facts, pool: NodePool) -> str:
    parts: list[str] = []
    if section.local_disks and pool.gpus:
        parts.append(_part("application/node.eks.aws", _text("raid0.yaml", facts)))
    if pool.gpus and facts.cdi:
        parts.append(_part(SCRIPT, _text("unseen.sh", facts)))
    if pool.nics:
        parts.append(_part(SCRIPT, _text("memlock.sh", facts)))
    if not parts:
        return ""
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{BOUNDARY}"\n\n'
    return f"{head}{''.join(parts)}--{BOUNDARY}--\n"


def _text(name: str, facts: Facts) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").replace("{pages}", str(facts.fabric.node_pages))


def _part(content_type: str, body: str) -> str:
    return f"--{BOUNDARY}\nContent-Type: {content_type}\n\n{body}\n"
