"""Clusters of other sites, with their machines and fabrics: up, to a newer version set and back, and gone."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.charts import sets
from bedplate.lab.binaries import KUBERNETES
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import Engine, mirrored
from bedplate.lab.recovery import end, leftovers
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import secret_keys
from tests.engine.conftest import datacenter
from tests.engine.test_stacks import AT_ONCE, objects
from tests.rooms import ROOT

SITES = ("kubespray-dgx-ib", "rke2-h100-roce", "harvester-guest")
OLD, NEW = sets.known()[-2:]
STAYS = {
    "clusterpolicies.nvidia.com",
    "clusterqueues.kueue.x-k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
    "ippools.nv-ipam.nvidia.com",
    "localqueues.kueue.x-k8s.io",
    "namespaces",
    "network-attachment-definitions.k8s.cni.cncf.io",
    "nicclusterpolicies.mellanox.com",
    "persistentvolumeclaims",
    "queues.scheduling.volcano.sh",
}
"""Kinds that people and running jobs hold on to: an upgrade changes their objects in place."""


@pytest.fixture(params=SITES)
def profile(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The site's profile, at the older of the two newest version sets, on the lab's Kubernetes."""
    written = yaml.safe_load((ROOT / "tests" / "profiles" / f"{request.param}.yaml").read_text())
    return {**mirrored(written), "set": OLD, "kubernetesVersion": KUBERNETES.removeprefix("v").rpartition(".")[0]}


@pytest.fixture
def site(cli: str, profile: Mapping[str, Any]) -> Iterator[Cluster]:
    with datacenter(profile) as lab:
        yield lab


@pytest.fixture
def project(cli: str, site: Cluster, profile: Mapping[str, Any], tmp_path: Path) -> Iterator[Engine]:
    made = Engine(site, tmp_path / "project", cli)
    made.prepare({**profile, "context": site.context})
    for key in secret_keys(load(profile)):
        made.run("config", "set", "--secret", f"bedplate:{key}", "a: secret", "--stack", "lab")
    yield made
    end(leftovers(made.backend))


def upgrade(project: Engine, to: str) -> str:
    """`bedplate upgrade lab --to SET --yes`, as a person has it; what it says."""
    command = [sys.executable, "-m", "bedplate", "upgrade", "lab", "--to", to, "--yes"]
    done = subprocess.run(
        command, cwd=project.folder, env=project.variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def uids(cluster: Cluster) -> set[str]:
    """Of every object of the kinds that stay."""
    served = set(cluster.kubectl("api-resources", "--verbs=list", "-o", "name", "--cached=false").split())
    kinds = ",".join(sorted(served & STAYS))
    return set(cluster.kubectl("get", kinds, "-A", "-o", "jsonpath={.items[*].metadata.uid}").split())


def test_a_site_comes_up_goes_to_the_newer_set_and_back_and_leaves_nothing(project: Engine, site: Cluster) -> None:
    before = objects(site)
    project.run("up", *AT_ONCE)
    project.run("up", *AT_ONCE, "--expect-no-changes")
    held = uids(site)
    assert f"lab has version set {NEW}" in upgrade(project, NEW)
    project.run("up", *AT_ONCE, "--expect-no-changes")
    assert held <= uids(site), "changed in place"
    assert f"lab has version set {OLD}" in upgrade(project, OLD)
    assert held <= uids(site), "and back"
    project.destroy(*AT_ONCE)
    assert project.state() == []
    assert objects(site) - before == set(), "left behind"
