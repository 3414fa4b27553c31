"""From one release's CRDs to the next one's and back, on a real API server: what each chart's `proven.json` says is seen.

Of the recorded steps those that Go's module proxy and the upstream data have; and pairs of our own that go wrong, each
in a way of its own, so that a proof without faults is one that looked.
"""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate import charts
from bedplate.lab import LabError
from bedplate.lab.cluster import Cluster
from bedplate.upgrades import proofs
from tests.tools.upgrades import objects
from tests.tools.upgrades.api import Api
from tests.tools.upgrades.labs import bare
from tests.tools.upgrades.prove import prove
from tests.tools.upgrades.releases import fingerprint, of_anyone

AGAIN = (
    ("jobset", "0.11.1", "0.12.0"),
    ("kubeflow-trainer", "2.1.0", "2.2.1"),
    ("node-feature-discovery", "0.18.3", "0.19.0"),
    ("gpu-operator", "v26.3.3", "v26.7.0"),
)


@pytest.fixture(scope="module")
def api(cluster: Cluster) -> Iterator[Api]:
    with bare(Cluster(f"{cluster.name}-upgrades", cluster.binaries)) as found:
        yield found


@pytest.mark.parametrize(("chart", "old", "new"), AGAIN, ids=lambda word: word)
def test_what_is_recorded_of_a_step_is_seen_again(api: Api, chart: str, old: str, new: str, tmp_path: Path) -> None:
    try:
        before, after = of_anyone(chart, old, tmp_path), of_anyone(chart, new, tmp_path)
    except LabError as why:
        pytest.skip(str(why))
    for version, found in ((old, before), (new, after)):
        assert fingerprint(found).items() <= proofs.definitions(chart, version).items()
    recorded = charts.measured(chart, proofs.FILE)["steps"][f"{old} {new}"]
    assert prove(api, chart, before, after) == recorded


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What people write of a chart of ours."""
    one = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"size": 3, "colour": "red"}}
    (tmp_path / "planted.yaml").write_text(yaml.safe_dump([one]))
    monkeypatch.setattr(objects, "EXAMPLES", tmp_path)


def thing(version: str = "v1", **fields: dict[str, Any]) -> dict[str, dict[str, Any]]:
    known = {"size": {"type": "integer"}, "colour": {"type": "string"}, **fields}
    spec = {"type": "object", "properties": {key: value for key, value in known.items() if value}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    served = {"name": version, "served": True, "storage": True, "schema": schema}
    names = {"kind": "Thing", "plural": "things"}
    kind = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [served]}
    metadata = {"name": "things.example.com"}
    api = "apiextensions.k8s.io/v1"
    return {
        metadata["name"]: {"apiVersion": api, "kind": "CustomResourceDefinition", "metadata": metadata, "spec": kind}
    }


@pytest.mark.usefixtures("written")
def test_a_field_that_goes_is_named_and_so_is_that_it_does_not_come_back(api: Api) -> None:
    seen = prove(api, "planted", thing(), thing(colour={}))
    assert seen["upgrade"]["pruned"] == seen["back"]["pruned"] == ["Thing.colour"]
    assert 'unknown field "spec.colour"' in seen["upgrade"]["manifestsRefused"]["example.com/v1 Thing"]


@pytest.mark.usefixtures("written")
def test_an_object_that_the_new_schema_refuses_is_named(api: Api) -> None:
    seen = prove(api, "planted", thing(), thing(size={"type": "integer", "maximum": 2}))
    assert "should be less than or equal to 2" in seen["upgrade"]["manifestsRefused"]["example.com/v1 Thing"]


@pytest.mark.usefixtures("written")
def test_a_release_that_drops_the_version_that_is_stored_is_refused_by_the_api_server(api: Api) -> None:
    seen = prove(api, "planted", thing(), thing("v2"))
    assert "v1" in seen["upgrade"]["definitionsRefused"]["things.example.com"]
    assert proofs.Proof(seen["objects"], seen["upgrade"], {}, {}, {}).worst == proofs.Verdict.BLOCKED


@pytest.mark.usefixtures("written")
def test_a_version_that_is_stored_anew_is_migrated_and_bars_the_way_back(api: Api) -> None:
    newer = deepcopy(thing("v2"))
    versions = newer["things.example.com"]["spec"]["versions"]
    versions.append({**versions[0], "name": "v1", "storage": False})
    seen = prove(api, "planted", thing(), newer)
    assert seen["stored"] == {"things.example.com": [["v1"], ["v1", "v2"]]}
    assert "v2" in seen["back"]["definitionsRefused"]["things.example.com"]
