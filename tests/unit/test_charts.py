"""A component owns its chart: what it declares is what the chart has, and nothing of it is declared elsewhere."""

import inspect
import json
import re
from importlib import import_module
from pkgutil import walk_packages

import pytest
import yaml

from bedplate import charts, components
from bedplate.charts import sets
from bedplate.components.chart import Chart
from bedplate.components.chart_keys import known_versions
from bedplate.components.kustomization import Manifests
from bedplate.components.pod_needs import charted
from bedplate.components.section import HelmSection
from bedplate.components.version import line
from bedplate.live.discover.owners import marks
from bedplate.review.rules.charts import NAMED
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import component, installable
from bedplate.stacks.profile.models import models_below
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.rooms import ROOT
from tests.stack_files import document
from tests.upstream import upstream

HELM = sorted((one for one in models_below(Profile) if issubclass(one, HelmSection)), key=lambda one: one.__name__)
INSTALLED = installable(Profile)
CHARTS = sorted((one for one in INSTALLED.values() if isinstance(one, Chart)), key=lambda one: one.name)
SHARED_GROUPS = {"kubeflow.org"}
"""The MPI Operator brings MPIJob and the Training Operator the others."""
UNNAMED = {"aws-efa-k8s-device-plugin", "nvidia-dra-driver-gpu"}
"""A cluster that runs is not known to have these; whoever names their workloads takes them out."""
UNSEEN = {
    *("aws-efa-k8s-device-plugin", "exa-csi", "kai-scheduler", "nvidia-dra-driver-gpu", "vllm-stack"),
    "whereabouts-chart",
}
"""Nobody has rendered the pods of these."""


@pytest.mark.parametrize("section", HELM, ids=lambda one: one.__name__)
def test_a_sections_file_declares_the_chart_and_its_values(section: type[HelmSection]) -> None:
    if section.__name__ in ("HelmSection", "SchedulerSection"):
        pytest.fail("an abstract section must not be a field of the profile")
    file = component(section)
    assert isinstance(getattr(file, "CHART", None), Chart), f"{section.__module__} has no CHART"
    values = getattr(file, "helm_values", None)
    assert callable(values), f"{section.__module__} has no helm_values"
    (argument,) = inspect.signature(values).parameters.values()
    assert f"[{section.__name__}]" in str(argument.annotation).replace(f"{section.__module__}.", "")


def test_every_chart_and_kustomization_answers_to_a_section_of_the_profile() -> None:
    declared = {
        id(value): f"{module.name}.{name}"
        for module in walk_packages(components.__path__, f"{components.__name__}.")
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, Chart | Manifests)
    }
    known = {id(one) for one in INSTALLED.values()}
    assert [where for each, where in declared.items() if each not in known] == []


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.name)
def test_the_keys_of_every_pin_are_known(chart: Chart) -> None:
    assert any(line(known) == line(chart.version) for known in known_versions(chart.name))
    assert chart.knows(chart.version)
    lines = [line(version) for version in chart.versions]
    assert lines == sorted(lines)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.name)
def test_a_chart_says_which_kinds_it_brings(chart: Chart) -> None:
    names = {chart.name, chart.name.removesuffix("-chart"), chart.name.removesuffix("-operator")}
    versions = {chart.version, chart.version.removeprefix("v")}
    folders = [upstream("crds") / f"{name}-{version}" for name in names for version in versions]
    files = [file for folder in folders for file in folder.glob("*.yaml")]
    brought = {yaml.load(file.read_text(), yaml.CSafeLoader)["spec"]["group"] for file in files}
    if chart.groups and not brought:
        pytest.skip(f"no CRDs of {chart.name} {chart.version} in the upstream data")
    assert brought <= set(chart.groups)


@pytest.mark.parametrize("name", charts.names("release.toml"))
def test_what_is_said_of_a_release_is_of_what_a_profile_may_install_and_somebody_reads_it(name: str) -> None:
    brings = {one.name: type(one) for one in INSTALLED.values()}
    assert name in brings
    assert charts.stated(name, "release.toml").keys() <= {*charts.pin(name, brings[name]), "workloads", "played"}


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.name)
def test_renovate_reads_the_pin_of_every_chart(chart: Chart) -> None:
    (manager,) = json.loads((ROOT / "renovate.json").read_text())["customManagers"]
    (files,), (pattern,) = manager["managerFilePatterns"], manager["matchStrings"]
    path = charts.DATA / f"{sets.newest()}.toml"
    assert re.search(files.strip("/"), path.relative_to(ROOT).as_posix())
    entry = path.read_text().partition(f"[charts.{chart.name}]\n")[2].partition("[")[0]
    found = re.search(pattern.replace("(?<", "(?P<"), entry)
    assert found, "no line of Renovate above the version"
    assert found["currentValue"] == chart.version
    assert found["datasource"] != "helm" or found["registryUrl"].rstrip("/") == chart.repo.rstrip("/")
    assert found["datasource"] != "docker" or f"oci://{found['depName']}" == f"{chart.repo}/{chart.name}"


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.name)
def test_a_chart_says_what_its_end_does(chart: Chart) -> None:
    """Without `danger.toml` a change of its values is judged by its end alone, and nobody has said that this is so."""
    said = charts.stated(chart.name, "danger.toml")
    end = said.get("delete", "nobody has said it")
    assert isinstance(end, dict) or end in NAMED, f"no `delete` in bedplate/charts/{chart.name}/danger.toml"


def test_what_a_running_cluster_has_is_known_by_the_names_of_its_workloads() -> None:
    nameless = {mark.brings.name for mark in marks() if not mark.workloads}
    assert nameless == UNNAMED, "`workloads` of release.toml"


def test_what_pods_ask_of_nodes_is_known_of_every_pin() -> None:
    lacking = {chart.name for chart in CHARTS if charted(chart.name, chart.version) is None}
    assert lacking == UNSEEN, "`python -m tests.tools.make_pod_needs CHART.tgz` writes pods.json"


def test_no_kind_has_two_owners() -> None:
    groups = [group for one in INSTALLED.values() for group in one.groups if group not in SHARED_GROUPS]
    assert len(groups) == len(set(groups))


@pytest.mark.parametrize("name", sorted({name for one in INSTALLED.values() for name in one.takes}))
def test_no_team_is_called_by_a_name_that_is_taken(name: str) -> None:
    assert refused_team(name)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.name)
def test_no_team_has_the_namespace_of_a_chart(chart: Chart) -> None:
    if chart.namespace:
        assert refused_team(chart.namespace)


@pytest.mark.parametrize("name", ["exa-csi", "lustre-csi-system", "dcgm-exporter", "kueue-system", "kubeflow", "root"])
def test_these_have_always_been_taken(name: str) -> None:
    assert refused_team(name)


def refused_team(name: str) -> bool:
    one = document("onprem-h100-roce")
    one["tenancy"]["teams"][0]["name"] = name
    with pytest.raises(ProfileError) as refused:
        load(one)
    return any(
        problem.key == "tenancy.teams[0].name" and "of the system" in problem.reason
        for problem in refused.value.problems
    )


@pytest.mark.parametrize("version", ["v26.7", "v26.7.nonsense", "26.7.0", "v26.7.0.1", "latest", "v99.1.0", "v26.07.0"])
def test_what_is_no_known_version_of_a_chart_is_refused(version: str) -> None:
    one = document("onprem-h100-roce")
    one["gpuOperator"]["version"] = version
    with pytest.raises(
        ProfileError, match=r"gpuOperator.version = .*keys of this version of gpu-operator are not known"
    ):
        load(one)


@pytest.mark.parametrize("version", ["v26.7.0", "v26.7.3", "v26.7.1-rc.1", "v25.3.4"])
def test_a_patch_of_a_known_line_is_taken(version: str) -> None:
    one = document("onprem-h100-roce")
    one["gpuOperator"]["version"] = version
    one["kubernetesVersion"] = "1.33"
    assert load(one).gpu_operator
