"""What a pod on GKE needs beside annotations: the plug-in's libraries from the node, and TCPXO's daemon.

GKE's guides for GPUDirect-TCPXO and GPUDirect RDMA (gIB); NVIDIA/aicr gke-tcpxo-networking.
"""

from typing import Any

from bedplate.components.workload.extras import Extras

DAEMON = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21"
"""Receive-path daemon; its version goes with the plug-in that the node pool's installer brings."""
ENTRY_POINT = "/fts/entrypoint_rxdm_container.sh"
LIBRARIES = "/usr/local/nvidia"
LIBRARY_PATH = {"LD_LIBRARY_PATH": f"{LIBRARIES}/lib64"}
NCCL_LIBRARIES = {"NCCL_LIB_DIR": f"{LIBRARIES}/lib64"}
"""Where the plug-in's environment script looks for its tuner and its check of the configuration; it sets neither
without it (container-engine-accelerators, gpudirect-tcpxo/README.md, NCCL configs)."""
STARTED = "/run/health-check"
"""File that the daemon makes when it is ready (gpudirect-tcpxo/best-practice.md)."""


def extras(fabric: str, gpus: int) -> Extras:
    """For a pod on this fabric."""
    match fabric:
        case "tcpxo":
            return _tcpxo(gpus)
        case "gib":
            return Extras(
                volumes={"nvidia-libraries": "/home/kubernetes/bin/nvidia", "gib": "/home/kubernetes/bin/gib"},
                mounts={"nvidia-libraries": LIBRARIES, "gib": "/usr/local/gib"},
                env=LIBRARY_PATH,
            )
        case _:
            return Extras()


def _tcpxo(gpus: int) -> Extras:
    devices = [*(f"nvidia{i}" for i in range(gpus)), "nvidiactl", "nvidia-uvm", "dmabuf_import_helper"]
    return Extras(
        volumes={
            "nvidia-libraries": "/home/kubernetes/bin/nvidia",
            "aperture-devices": "/dev/aperture_devices",
            "node-sys": "/sys",
            "node-proc-sys": "/proc/sys",
        },
        mounts={"nvidia-libraries": LIBRARIES, "aperture-devices": "/dev/aperture_devices"},
        env={**LIBRARY_PATH, **NCCL_LIBRARIES, "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY": "/dev/aperture_devices"},
        annotations={
            "devices.gke.io/container.tcpxo-daemon": "".join(f"- path: /dev/{device}\n" for device in devices)
        },
        sidecars=(_daemon(),),
    )


def _daemon() -> dict[str, Any]:
    """A native sidecar: the worker starts when it is ready, and it does not keep a finished job from ending."""
    start = f"chmod 755 {ENTRY_POINT} && {ENTRY_POINT} --num_hops=2"
    size = {"cpu": "1", "memory": "2Gi"}
    return {
        "name": "tcpxo-daemon",
        "image": DAEMON,
        "restartPolicy": "Always",
        "command": ["/bin/sh", "-c"],
        "args": [start],
        "env": [
            {"name": name, "value": value} for name, value in {**LIBRARY_PATH, "HEALTH_CHECK_LOG_FILE": STARTED}.items()
        ],
        "startupProbe": {"exec": {"command": ["cat", STARTED]}, "periodSeconds": 5, "failureThreshold": 24},
        "resources": {"requests": size, "limits": size},
        "securityContext": {"capabilities": {"add": ["NET_ADMIN", "NET_BIND_SERVICE"]}},
        "volumeMounts": [
            {"name": "nvidia-libraries", "mountPath": LIBRARIES, "readOnly": True},
            {"name": "node-sys", "mountPath": "/hostsysfs"},
            {"name": "node-proc-sys", "mountPath": "/hostprocsysfs"},
        ],
    }
