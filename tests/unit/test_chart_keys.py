"""What we say about each chart's keys is what its templates were seen to do."""

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.charts import DATA
from bedplate.components.chart_keys import chart_name, dead_paths, honours, known_versions
from tests.tools.make_chart_keys import RENDERED, UPSTREAM, corrected, documents, packaged
from tests.upstream import upstream

KeyPath = tuple[str, ...]


def facts() -> Iterator[tuple[str, str, Mapping[str, list[str]]]]:
    for stem, lists in yaml.safe_load(upstream("keys.yaml").read_text()).items():
        chart = chart_name(stem)
        yield chart, stem.removeprefix(f"{chart}-"), corrected(stem, lists)


def leaves(values: Mapping[str, Any], above: KeyPath = ()) -> Iterator[KeyPath]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key)


def within(path: KeyPath, parents: set[KeyPath]) -> bool:
    return any(path[: len(parent)] == parent for parent in parents)


def split(path: str) -> KeyPath:
    return tuple(part for part in path.split(".") if part != "*")


def test_the_files_are_what_the_tool_makes() -> None:
    upstream("keys.yaml")
    files = {str(path.relative_to(DATA)): path.read_text() for path in DATA.glob("*/*/keys.json")}
    proven = {name: text for name, text in files.items() if RENDERED in json.loads(text)["source"]}
    assert proven == dict(documents())


def test_an_archive_tells_its_keys_and_leaves_its_subcharts_open(tmp_path: Path) -> None:
    chart = {"name": "probe", "version": "1.2.3", "dependencies": [{"name": "grafana"}]}
    files: dict[str, Any] = {
        "probe/Chart.yaml": chart,
        "probe/values.yaml": {"image": {"tag": "x"}, "grafana": {"enabled": True}},
    }
    files["probe/charts/grafana/values.yaml"] = {"wrong": 1}
    with tarfile.open(tmp_path / "probe-1.2.3.tgz", "w:gz") as archive:
        for name, content in files.items():
            data = yaml.safe_dump(content).encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    name, text = packaged(tmp_path / "probe-1.2.3.tgz")
    keys = json.loads(text)["keys"]
    assert name == "probe/1.2.3/keys.json"
    assert keys == {"image": {"tag": 1}, "grafana": {"enabled": 1, "*": "?"}, "global": "*"}


def test_every_supported_chart_version_has_a_file() -> None:
    for chart, version, _ in facts():
        assert version in known_versions(chart)


def test_every_key_of_the_defaults_is_honoured_unless_it_is_proven_dead() -> None:
    for chart, version, lists in facts():
        dead = {split(path) for path in lists["dead"]}
        defaults = yaml.safe_load((UPSTREAM / "values" / f"{chart}-{version}.yaml").read_text())
        for path in leaves(defaults):
            assert honours(chart, version, path) is not within(path, dead), (chart, version, path)


def test_every_key_proven_live_is_honoured_and_every_one_proven_dead_is_not() -> None:
    for chart, version, lists in facts():
        for path in lists["live_extra"]:
            assert honours(chart, version, split(path)), (chart, version, path)
        for path in lists["dead"]:
            assert honours(chart, version, split(path)) is False, (chart, version, path)


def test_versions_are_ordered_oldest_first() -> None:
    versions = known_versions("gpu-operator")
    assert versions == ("v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0")
    assert all(older != newer for older, newer in pairwise(versions))


@pytest.mark.parametrize(
    ("version", "dead"),
    [
        ("v24.9.2", [("driver", "kernelModuleType")]),
        ("v25.3.0", [("driver", "useOpenKernelModules")]),
        ("26.7.0", [("driver", "useOpenKernelModules")]),
        ("v99.1.0", []),
    ],
)
def test_the_key_for_open_modules_depends_on_the_version(version: str, dead: list[KeyPath]) -> None:
    values = {"driver": {"useOpenKernelModules": True, "kernelModuleType": "open", "version": "595.91.07"}}
    assert list(dead_paths("gpu-operator", version, values)) == dead


def test_a_dead_section_is_named_once_at_its_top() -> None:
    values = {"deployCR": True, "ofedDriver": {"deploy": True, "image": "x"}, "nfd": {"enabled": False}}
    assert list(dead_paths("network-operator", "26.4.1", values)) == [("deployCR",), ("ofedDriver",)]


def test_a_free_map_takes_any_key_and_a_scalar_takes_none() -> None:
    assert honours("kueue", "0.19.2", ("controllerManager", "nodeSelector", "pool")) is True
    assert honours("kueue", "0.19.2", ("enablePrometheus", "interval")) is False


def test_a_misspelt_key_is_dead() -> None:
    values = {"dcgmExporter": {"serviceMonitr": {"enabled": True}}}
    assert list(dead_paths("gpu-operator", "v26.7.0", values)) == [("dcgmExporter", "serviceMonitr")]


def test_the_trainers_switch_for_leader_worker_set_is_dead_behind_the_one_that_helm_takes() -> None:
    values = {"dataCache": {"enabled": True, "lws": {"install": False}}}
    assert list(dead_paths("kubeflow-trainer", "2.3.0", values)) == [("dataCache", "lws", "install")]


def test_feature_gates_and_further_nics_of_the_sriov_operator_are_live() -> None:
    config = {"sriovOperatorConfig": {"featureGates": {"parallelNicConfig": True}}, "supportedExtraNICs": ["x: a b c"]}
    assert list(dead_paths("network-operator", "26.4.1", {"sriov-network-operator": config})) == []


def test_a_file_system_of_exascaler_may_have_any_name() -> None:
    values = {"config": {"exascaler_map": {"scratch": {"exaFS": "10.0.0.1@tcp:/fs", "mountPoint": "/exa/scratch"}}}}
    assert list(dead_paths("exa-csi", "2.9.0", values)) == []


def test_a_subcharts_own_keys_are_unknown_not_dead() -> None:
    assert honours("kube-prometheus-stack", "88.5.3", ("grafana", "adminPassword")) is None
    assert list(dead_paths("kube-prometheus-stack", "88.5.3", {"grafana": {"adminPassword": "x"}})) == []


def test_an_unknown_chart_is_neither_honoured_nor_dead() -> None:
    assert honours("redis", "1.0.0", ("a",)) is None
    assert list(dead_paths("redis", "1.0.0", {"a": 1})) == []


@pytest.mark.parametrize(
    "reference",
    [
        "gpu-operator",
        "oci://example.org/charts/gpu-operator",
        "mirror/gpu-operator-v26.7.0.tgz",
        "https://example.org/gpu-operator-v26.7.0.tgz",
        "./gpu-operator/",
    ],
)
def test_a_charts_name_is_found_in_any_reference(reference: str) -> None:
    assert chart_name(reference) == "gpu-operator"
