"""The fleet as `Stack` objects of the Pulumi Kubernetes Operator.

All objects of a fleet were held against the operator's own CRD (v2.9.0, deploy/crds/pulumi.com_stacks.yaml), strictly,
without a fault on 2026-11-24; the CRD is not in the repository.
"""

import pytest
import yaml

from bedplate.cli import main
from tests.unit.fleet.conftest import Write, cluster

FLEET = "name: f\nclusters: [{path: clusters}]\nwaves: [{name: canary, clusters: [a]}, {name: rest}]\n"
SHA = "8d0c9a1e6f7b4c2d3e5f60718293a4b5c6d7e8f9"


def test_a_wave_waits_for_the_whole_wave_before_and_every_object_names_one_commit(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(FLEET, **{name: cluster(name) for name in "abc"})
    words = ["--repository", "https://git.example.com/clusters.git", "--commit", SHA, "--backend", "s3://states"]
    assert main(["fleet", "stacks", str(file), *words]) == 0
    said = capsys.readouterr()
    objects = {one["metadata"]["name"]: one for one in yaml.safe_load_all(said.out)}
    waits = {name: [each["name"] for each in one["spec"].get("prerequisites", ())] for name, one in objects.items()}
    assert waits == {"a": [], "b": ["a"], "c": ["a"]}
    assert {one["spec"]["commit"] for one in objects.values()} == {SHA}
    assert all("branch" not in one["spec"] for one in objects.values())
    assert objects["a"]["apiVersion"] == "pulumi.com/v1"
    assert objects["a"]["spec"]["envRefs"]["PULUMI_CONFIG_PASSPHRASE"]["secret"] == {"name": "a", "key": "passphrase"}
    assert said.err.count("lost: ") == 4
