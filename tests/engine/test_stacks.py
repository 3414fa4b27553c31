"""Every stack of our own that needs no cloud, on simulated nodes: up, nothing to do the second time, and gone."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.deploy import kept_crds
from bedplate.lab.engine import Engine, lab_profile
from bedplate.lab.recovery import end, leftovers
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import secret_keys
from tests.engine.conftest import datacenter
from tests.stack_files import STACKS, profile

ON_SITE = [stack for stack in STACKS if profile(stack).own_cloud is None]
ROUNDS = {"lab": 2}
"""How often a stack comes and goes on one cluster: what a destroy leaves must not stand in the way of the next `up`."""
AT_ONCE = ("--yes", "--skip-preview", "--stack", "lab")
PASSING = (
    "componentstatuses",
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
    "pods",
    "stages.kwok.x-k8s.io",
)
"""Kinds whose objects come and go by themselves, and the lab's own."""
ALWAYS = ("/kube-root-ca.crt", "/default")
"""What every namespace gets, some time after it is made."""


@pytest.fixture(params=ON_SITE)
def stack(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def site(cli: str, stack: str) -> Iterator[Cluster]:
    """A lab with the stack's nodes, and with what its profile says is there."""
    with datacenter(lab_profile(stack)) as lab:
        yield lab


@pytest.fixture
def project(cli: str, site: Cluster, stack: str, tmp_path: Path) -> Iterator[Engine]:
    """The stack with its secrets; nothing is deployed yet."""
    made = Engine(site, tmp_path / "project", cli)
    made.prepare({**lab_profile(stack), "context": site.context})
    for key in secret_keys(load(lab_profile(stack))):
        made.run("config", "set", "--secret", f"bedplate:{key}", "a: secret", "--stack", "lab")
    yield made
    end(leftovers(made.backend))


def test_a_stack_comes_up_has_nothing_to_do_the_second_time_and_leaves_nothing(
    project: Engine, site: Cluster, stack: str
) -> None:
    found = objects(site)
    for _ in range(ROUNDS.get(stack, 1)):
        project.run("preview", "--stack", "lab")
        project.run("up", *AT_ONCE)
        project.run("up", *AT_ONCE, "--expect-no-changes")
        project.destroy(*AT_ONCE)
        assert project.state() == []
        assert objects(site) - found == set(), "left behind"
        assert found - objects(site) == set(), "taken along"


def objects(cluster: Cluster) -> set[str]:
    """Every object of every kind; of definitions only those that Helm does not keep."""
    kept = {f"customresourcedefinition.apiextensions.k8s.io/{name}" for name in kept_crds(cluster)}
    kinds = cluster.kubectl("api-resources", "--verbs=list", "-o", "name", "--cached=false").split()
    listed = cluster.kubectl("get", ",".join(sorted(set(kinds) - set(PASSING))), "-A", "-o", "json")
    seen = {_name(one) for one in json.loads(listed)["items"]}
    return {name for name in seen - kept if not name.startswith("apiservice.") and not name.endswith(ALWAYS)}


def _name(one: dict[str, dict[str, str] | str]) -> str:
    group = str(one["apiVersion"]).rpartition("/")[0]
    metadata = one["metadata"]
    assert isinstance(metadata, dict)
    place = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{str(one['kind']).lower()}.{group}/{place}{metadata['name']}"
