"""What a cloud's fabric wants of a pod besides devices: folders of the node, files from a ConfigMap, sidecars."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CONFIG_MAP = "bedplate-workload-contract"
"""In every team's namespace, with the contract and the files that its pods mount."""


@dataclass(frozen=True)
class Extras:
    """Additions to a pod; none on most fabrics."""

    volumes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Folder of the node by volume name."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Key of the team's ConfigMap by volume name."""
    mounts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where the worker sees them, by volume name."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    sidecars: tuple[Mapping[str, Any], ...] = ()

    @property
    def host_paths(self) -> dict[str, str]:
        """Folder of the node by the path at which the worker sees it."""
        return {path: self.volumes[name] for name, path in self.mounts.items() if name in self.volumes}

    @property
    def config_files(self) -> dict[str, str]:
        """Key of the team's ConfigMap by the folder in which the worker finds it as a file."""
        return {path: self.files[name] for name, path in self.mounts.items() if name in self.files}

    @property
    def devices(self) -> dict[str, str]:
        """Of the node's folders that the worker sees, by volume name, those of devices, which are written to."""
        seen = {name: self.volumes[name] for name in self.mounts if name in self.volumes}
        return {name: path for name, path in seen.items() if path.startswith("/dev/")}

    @property
    def libraries(self) -> dict[str, str]:
        """The others: programs, which the node runs too.

        GKE's device plugin mounts them for reading alone (container-engine-accelerators, nvidia_gpu.go).
        """
        seen = {name: self.volumes[name] for name in self.mounts if name in self.volumes}
        return {name: path for name, path in seen.items() if name not in self.devices}

    def pod_volumes(self) -> list[dict[str, Any]]:
        """The entries of `volumes` in a pod."""
        folders = [{"name": name, "hostPath": {"path": path}} for name, path in self.volumes.items()]
        items = {name: [{"key": key, "path": key}] for name, key in self.files.items()}
        return [*folders, *({"name": name, "configMap": {"name": CONFIG_MAP, "items": items[name]}} for name in items)]

    def worker_mounts(self) -> list[dict[str, Any]]:
        """The entries of `volumeMounts` in the container that works."""
        kept = self.libraries
        mounts = ({"name": name, "mountPath": path} for name, path in self.mounts.items())
        return [mount | ({"readOnly": True} if mount["name"] in kept else {}) for mount in mounts]
