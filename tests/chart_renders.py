"""What charts really pull: `helm template` over the mirror's archives, for tests of the image lists."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

HELM = "helm"


def mirror() -> Path:
    """The folder of archives; without it, or without Helm, a test skips and says so."""
    folder = os.environ.get("BEDPLATE_CHART_MIRROR")
    if not folder:
        pytest.skip("no charts: set BEDPLATE_CHART_MIRROR to a folder of <chart>-<version>.tgz")
    if not shutil.which(HELM):
        pytest.skip("no helm on the PATH")
    return Path(folder)


def rendered(archive: Path, values: Mapping[str, Any]) -> list[Any]:
    """Every object of a chart's templates, with hooks; tags are text, whatever they look like."""
    command = [HELM, "template", "r", str(archive), "-n", "home", "-f", "-", "--kube-version", "1.35.0"]
    done = subprocess.run(command, input=yaml.safe_dump(dict(values)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.load_all(done.stdout, yaml.CBaseLoader))


@cache
def manifests(folder: Path) -> tuple[Any, ...]:
    """Every object of a kustomization that the mirror keeps built."""
    return tuple(yaml.load_all((folder / "all.yaml").read_text(), yaml.CBaseLoader))


def images(value: Any) -> Iterator[str]:
    """Images by their last name, without tag: containers', variables', arguments' and triples of custom resources."""
    if isinstance(value, list):
        for item in value:
            yield from images(item)
    elif isinstance(value, Mapping) and value.get("kind") == "ClusterPolicy":
        yield from (image for part in started(value["spec"]) for image in images(part))
    elif isinstance(value, Mapping):
        yield from (bare(text) for text in alone(value))
        triple = value.get("repository") and value.get("image", value.get("name"))
        if isinstance(triple, str) and triple and value.get("version", value.get("tag")):
            yield bare(triple)
        for item in value.values():
            yield from images(item)
    elif isinstance(value, str) and value.startswith("--") and "/" in value and ":" in value.rpartition("/")[2]:
        option, _, image = value.partition("=")
        if any(word in option for word in ("image", "reloader")):
            yield bare(image)


SANDBOX = ("vgpuManager", "vgpuDeviceManager", "vfioManager", "kataManager", "ccManager")
SANDBOX_PLUGINS = ("sandboxDevicePlugin", "kataSandboxDevicePlugin")


def started(spec: Mapping[str, Any]) -> Iterator[Any]:
    """Parts of a ClusterPolicy that the operator starts (controllers/state_manager.go, isStateEnabled)."""
    virtual = spec["sandboxWorkloads"]["enabled"] == "true"
    for name, part in spec.items():
        off = isinstance(part, Mapping) and part.get("enabled") == "false"
        if not off and (virtual or name not in (*SANDBOX, *SANDBOX_PLUGINS)):
            yield part


def alone(value: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(image := value.get("image"), str) and image and not value.get("repository"):
        yield image
    if "IMAGE" in str(value.get("name")) and ":" in str(value.get("value")):
        yield str(value["value"])


def bare(image: str) -> str:
    """`kueue` of `registry.k8s.io/kueue/kueue:v0.19.2`: archives made from sources have another registry and tag."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]
