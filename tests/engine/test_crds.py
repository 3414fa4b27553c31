"""CRDs follow the release, and people's objects outlive both."""

import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from bedplate.components.training import jobset
from bedplate.lab.engine import Engine
from tests.engine.profiles import changed

UP = ("up", "--yes", "--skip-preview", "--stack", "lab")
NEXT = "0.12.99"
"""A patch release of the pinned line, as this test packs it: the same chart with another word in its CRD."""
NAME = "jobsets.jobset.x-k8s.io"
OBJECT = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "peoples", "namespace": "research"},
    "spec": {"suspend": True, "replicatedJobs": []},
}


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    charts = os.environ.get("BEDPLATE_CHART_MIRROR")
    if not charts:
        pytest.skip("packs a chart of its own: set BEDPLATE_CHART_MIRROR")
    folder = tmp_path / "mirror"
    folder.mkdir()
    for path in Path(charts).iterdir():
        (folder / path.name).symlink_to(path)
    repack(Path(charts, f"jobset-{jobset.CHART.version}.tgz"), folder / f"jobset-{NEXT}.tgz")
    return folder


def repack(old: Path, new: Path) -> None:
    with tarfile.open(old) as source, tarfile.open(new, "w:gz") as target:
        for member in source.getmembers():
            content = source.extractfile(member)
            text = content.read() if content else b""
            if member.name.endswith("Chart.yaml"):
                text = text.replace(jobset.CHART.version.encode(), NEXT.encode())
            if "/crds/" in member.name:
                text = text.replace(b"\n  names:\n", b"\n  names:\n    categories: [next]\n", 1)
            member.size = len(text)
            target.addfile(member, io.BytesIO(text))


def categories(engine: Engine) -> str:
    return engine.cluster.kubectl("get", "crd", NAME, "-o", "jsonpath={.spec.names.categories}")


def test_crds_of_a_folder_follow_the_release_and_outlive_it_with_all_objects(engine: Engine, mirror: Path) -> None:
    from tests.engine.test_gates import profile_of

    here = changed(profile_of(engine), "charts", mirror=str(mirror))
    engine.configure(here)
    engine.run(*UP)
    engine.cluster.apply([OBJECT])
    assert "next" not in categories(engine)
    engine.configure({**here, "training": {"jobset": {"version": NEXT}}})
    engine.run(*UP)
    assert "next" in categories(engine)
    engine.run("preview", "--stack", "lab", "--expect-no-changes")
    without = {key: value for key, value in here.items() if key != "training"}
    engine.configure(without)
    engine.run(*UP)
    assert engine.cluster.kubectl("-n", "research", "get", "jobset", "peoples", "-o", "name")
    shutil.rmtree(mirror)
