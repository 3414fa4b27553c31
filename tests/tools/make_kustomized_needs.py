"""Make `pods.json` in `bedplate/charts/` of what has no chart: `python -m tests.tools.make_kustomized_needs --clones DIR`.

Each kustomization of ours is built by kubectl, over the manifests that it names at their refs. DIR holds bare clones of
their projects, `<owner>+<name>/repo`; what the lab has the source of is read there.
"""

import argparse
import io
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.charts import DATA, of_folder, written
from bedplate.components.chart_images import FILE as IMAGES
from bedplate.components.kustomization import HERE
from bedplate.components.pod_needs import FILE
from bedplate.evidence.needs import ENFORCE
from bedplate.lab.binaries import home, provide
from tests.tools.make_chart_keys import write_text
from tests.tools.make_pod_needs import KINDS, needs
from tests.tools.probe_charts import Loader

REMOTE = re.compile(
    r"https://(?:raw\.githubusercontent\.com/([\w.-]+)/([\w.-]+)/([\w.-]+)/([^\s?]+)"
    r"|github\.com/([\w.-]+)/([\w.-]+)//([^\s?]+)\?ref=([\w.-]+))"
)
FOLDERS = (
    ("azure-lustre", "storage/azure-lustre"),
    ("gke-driver-a4x", "cloud/gcp/driver/a4x"),
    ("gke-driver-default", "cloud/gcp/driver/default"),
    ("gke-driver-newest", "cloud/gcp/driver/newest"),
    ("gpudirect-gib", "network/gpudirect/gib"),
    ("gpudirect-gib-a4x", "network/gpudirect/gib-a4x"),
    ("gpudirect-tcpxo", "network/gpudirect/tcpxo"),
    ("hpe-lustre", "storage/hpe-lustre"),
    ("mpi-operator", "training/mpi_operator/v0.8.2"),
    ("multus", "network/multus-talos"),
    ("training-operator", "training/training_operator/v1.8.1"),
    ("training-operator", "training/training_operator/v1.9.4"),
)


def brought(text: str, clones: Path, into: Path) -> str:
    """The kustomization with every remote resource in a folder beside it."""

    def local(found: re.Match[str]) -> str:
        owner, name, *rest = filter(None, found.groups())
        path, ref = rest if "//" in found[0].removeprefix("https://") else reversed(rest)
        kept = home() / f"{name}-{ref}" / path
        if kept.exists():
            return str(kept)
        git = ["git", "-C", str(clones / f"{owner}+{name}" / "repo"), "archive", ref]
        whole = path if path.endswith((".yaml", ".yml")) else path.partition("/")[0]
        packed = subprocess.run([*git, whole], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            tar.extractall(into / name, filter="data")
        return f"../{name}/{path}"

    return REMOTE.sub(local, text)


def beneath(folder: Path) -> list[Path]:
    """Folders of ours that it is laid over."""
    resources: list[str] = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return [(folder / one).resolve() for one in resources if one.startswith("../")]


def built(folder: Path, clones: Path) -> list[Any]:
    """Its objects."""
    with tempfile.TemporaryDirectory() as scratch:
        for one in (folder, *beneath(folder)):
            ours = Path(scratch) / one.name
            shutil.copytree(one, ours)
            file = ours / "kustomization.yaml"
            file.write_text(brought(file.read_text(), clones, Path(scratch)))
        words = [
            provide()["kubectl"],
            "kustomize",
            "--load-restrictor=LoadRestrictionsNone",
            Path(scratch) / folder.name,
        ]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return [one for one in yaml.load_all(text, Loader) if isinstance(one, dict)]


def document(name: str, release: str, objects: list[Any]) -> Mapping[str, Any]:
    """Its pods, their namespace, and what that lets through, where it brings the namespace itself."""
    (place,) = {one["metadata"].get("namespace", "") for one in objects if one["kind"] in KINDS}
    lets = [one["metadata"].get("labels", {}).get(ENFORCE, "") for one in objects if one["kind"] == "Namespace"]
    source = f"{name} {release}: our kustomization"
    return {"source": source, "namespace": place, "lets": "".join(lets), "pods": needs(objects)}


def main() -> None:
    """All of them."""
    parser = argparse.ArgumentParser(description="Write what the pods of our kustomizations ask of nodes.")
    parser.add_argument("--clones", type=Path, required=True, help="folder of bare clones")
    clones: Path = parser.parse_args().clones
    for name, place in FOLDERS:
        folder = HERE / place
        release = of_folder(name, IMAGES, place)
        objects = [one for part in (folder, *beneath(folder)) for one in built(part, clones)]
        write_text(DATA / name / release / FILE, written(document(name, release, objects)))


if __name__ == "__main__":
    main()
