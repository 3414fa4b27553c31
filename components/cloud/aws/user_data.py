"""What a node does before its kubelet starts, in the image's own form.

Huge pages for EFA, locked memory for RDMA, and no GPU for who has not asked for it.

AL2023 takes MIME parts, which EKS merges with its own (EKS User Guide, "Customize managed nodes with launch
templates"); Bottlerocket takes settings in TOML.
"""

import base64

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import Facts, NodePool

BOUNDARY = "BEDPLATE"

MEMLOCK = """\
#!/bin/bash
set -euo pipefail
mkdir -p /etc/systemd/system/containerd.service.d
printf '[Service]\\nLimitMEMLOCK=infinity\\n' > /etc/systemd/system/containerd.service.d/memlock.conf
systemctl daemon-reload
printf 'vm.nr_hugepages = {pages}\\n' > /etc/sysctl.d/90-efa-hugepages.conf
sysctl --load /etc/sysctl.d/90-efa-hugepages.conf
"""
UNSEEN = """\
#!/bin/bash
set -euo pipefail
nvidia-ctk config --in-place --set accept-nvidia-visible-devices-envvar-when-unprivileged=false \\
  --set accept-nvidia-visible-devices-as-volume-mounts=false
"""
"""The image's default runtime is NVIDIA's (awslabs/amazon-eks-ami, nodeadm/internal/containerd): without this, whatever
image says NVIDIA_VISIBLE_DEVICES=all, and CUDA's all do, has every GPU of the node. Those that the kubelet hands out
come by CDI. Containers with SYS_ADMIN, such as DCGM's exporter, still see all (NVIDIA/nvidia-container-toolkit,
internal/config/image). Bottlerocket has it so by default (settings.kubernetes.nvidia.container-runtime).
"""
RAID0 = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
"""
BOTTLEROCKET = """\
[settings.kernel.sysctl]
"vm.nr_hugepages" = "{pages}"
[settings.oci-defaults.resource-limits.max-locked-memory]
soft-limit = "unlimited"
hard-limit = "unlimited"
"""


def user_data(section: AwsCloud, facts: Facts, pool: NodePool) -> str | None:
    """The launch template's user data, in base64; None where EKS's own is enough."""
    text = _bottlerocket(facts, pool) if facts.node_os == "bottlerocket-nvidia" else _al2023(section, facts, pool)
    return base64.b64encode(text.encode()).decode() if text else None


def _bottlerocket(facts: Facts, pool: NodePool) -> str:
    return BOTTLEROCKET.format(pages=facts.fabric.node_pages) if pool.nics else ""


def _al2023(section: AwsCloud, facts: Facts, pool: NodePool) -> str:
    parts: list[str] = []
    if section.local_disks and pool.gpus:
        parts.append(_part("application/node.eks.aws", RAID0))
    if pool.gpus and facts.cdi:
        parts.append(_part("text/x-shellscript; charset=us-ascii", UNSEEN))
    if pool.nics:
        parts.append(_part("text/x-shellscript; charset=us-ascii", MEMLOCK.format(pages=facts.fabric.node_pages)))
    if not parts:
        return ""
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{BOUNDARY}"\n\n'
    return f"{head}{''.join(parts)}--{BOUNDARY}--\n"


def _part(content_type: str, body: str) -> str:
    return f"--{BOUNDARY}\nContent-Type: {content_type}\n\n{body}\n"
