"""What the stacks declare of storage: pairs that bind, and claims for whatever is mounted."""

from collections.abc import Iterator
from typing import Any

import pytest

from bedplate.components.section import HelmSection
from bedplate.components.storage.volumes import class_manifests
from bedplate.stacks.checks.versions import leaf_values
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import STACKS, document, graph, graph_of, known, kubernetes, profile

CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"


def objects(stack: str, kind: str) -> list[dict[str, Any]]:
    return [dict(n.inputs) for n in graph(stack).resources if kubernetes(n) and n.inputs.get("kind") == kind]


def claims(stack: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(c["metadata"]["namespace"], c["metadata"]["name"]): c["spec"] for c in objects(stack, CLAIM)}


@pytest.mark.parametrize("stack", STACKS)
def test_static_pairs_name_each_other_and_no_class(stack: str) -> None:
    volumes = objects(stack, VOLUME)
    for volume in volumes:
        spec, reference = volume["spec"], volume["spec"]["claimRef"]
        claim = claims(stack)[reference["namespace"], reference["name"]]
        assert claim["volumeName"] == volume["metadata"]["name"]
        assert claim["storageClassName"] == spec["storageClassName"] == ""
        assert claim["accessModes"] == spec["accessModes"]
        assert claim["resources"]["requests"]["storage"] == spec["capacity"]["storage"]
        assert spec["persistentVolumeReclaimPolicy"] == "Retain"
        assert {"noatime", "flock"} <= set(spec["mountOptions"])
        assert spec["csi"].get("readOnly", False) is (spec["accessModes"] == ["ReadOnlyMany"])
    names = [volume["metadata"]["name"] for volume in volumes]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("stack", STACKS)
def test_a_claim_without_a_volume_names_a_class_that_exists(stack: str) -> None:
    section = profile(stack).storage
    made = {one["metadata"]["name"] for one in objects(stack, "StorageClass")}
    there = {one.name for one in section.existing_classes} if section else set[str]()
    for claim in claims(stack).values():
        if "volumeName" not in claim:
            assert claim["storageClassName"] in made | there


@pytest.mark.parametrize("stack", STACKS)
def test_facts_and_claims_agree(stack: str) -> None:
    promised = {
        (home, volume.name): [volume.mode] for volume in known(stack).volumes.values() for home in volume.namespaces
    }
    assert promised == {key: spec["accessModes"] for key, spec in claims(stack).items()}


def pod_specs(value: Any) -> Iterator[dict[str, Any]]:
    """Every pod template in an object, however deep: Deployments, groups, jobs of any kind."""
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield value
        for inner in value.values():
            yield from pod_specs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from pod_specs(inner)


@pytest.mark.parametrize("stack", STACKS)
def test_every_claim_that_a_workload_mounts_is_there_with_a_mode_that_allows_it(stack: str) -> None:
    for node in graph(stack).resources:
        if not kubernetes(node):
            continue
        home = node.inputs.get("metadata", {}).get("namespace")
        for pod in pod_specs(node.inputs.get("spec")):
            for volume in pod.get("volumes", []):
                name = volume.get("persistentVolumeClaim", {}).get("claimName")
                if name is None:
                    continue
                mode = claims(stack)[home, name]["accessModes"][0]
                mounts = [
                    m for c in pod["containers"] for m in c.get("volumeMounts", []) if m["name"] == volume["name"]
                ]
                assert mounts, f"{node.name} does not use {name}"
                if mode == "ReadOnlyMany":
                    assert all(mount.get("readOnly") for mount in mounts), f"{node.name} would write to {name}"
                assert mode != "ReadWriteOnce", f"{node.name} runs on several nodes"


def test_a_driver_that_the_cloud_runs_installs_nothing() -> None:
    assert not [node for node in graph("gke-a3-mega").resources if node.name == "lustre-csi"]
    assert objects("gke-a3-mega", VOLUME)


def test_exascaler_mounts_every_file_system_and_tolerates_every_pool() -> None:
    one = document("onprem-h100-ib") | {"charts": {"mirror": "/srv/charts"}}
    servers = {"fast": {"mgs": ["10.0.0.1"], "name": "fast"}, "big": {"mgs": ["10.0.0.2"], "name": "big"}}
    one["storage"] = {"driver": {"kind": "exascaler", "fileSystems": servers}}
    release = next(
        node
        for node in graph_of(one).resources
        if node.type.endswith("helm.sh/v3:Release") and node.name == "lustre-csi"
    )
    values = release.inputs["values"]
    assert release.inputs["chart"] == "/srv/charts/exa-csi-2.9.0.tgz"
    assert release.inputs["allowNullValues"] is True
    assert values["config"]["exascaler_map"]["exa1"] is None, "the chart's sample"
    assert values["resources"]["requests"]["cpu"] == "100m", "of each of five containers beside every node's two"
    assert values["config"]["exascaler_map"]["fast"] == {"mountPoint": "/exa/fast", "exaFS": "10.0.0.1@o2ib:/fast"}
    assert values["node"]["tolerations"] == facts(load(one)).tolerations


def test_both_drivers_with_charts_use_live_keys_only() -> None:
    from bedplate.stacks.profile.charts import component, values
    from tests.helm_keys import key_faults

    for stack, driver in {
        "eks-p5": {"kind": "fsx", "roleArn": "arn:aws:iam::111122223333:role/fsx"},
        "onprem-h100-ib": {"kind": "exascaler", "fileSystems": {"fast": {"mgs": ["10.0.0.1"], "name": "fast"}}},
    }.items():
        one = document(stack) | {"charts": {"mirror": "/srv/charts"}, "storage": {"driver": driver}}
        one.pop("serving", None)  # its weights are on volumes
        section = load(one).storage
        assert section
        assert section.driver
        assert isinstance(section.driver, HelmSection)
        chart = component(type(section.driver)).CHART
        written = values(section.driver, facts(load(one)))
        assert list(leaf_values(written))
        # The chart writes all of `config` into a Secret as it is (templates/config.yaml), so names below are data.
        said = [one for one in key_faults(chart.name, chart.version, written) if ": config.exascaler_map." not in one]
        assert said == []


@pytest.mark.parametrize(
    ("cache", "source", "classes"),
    [
        ({"kind": "host-path", "hostPath": "/raid"}, "hostPath", []),
        ({"kind": "storage-class", "name": "nvme", "size": "500Gi"}, "ephemeral", []),
        (
            {"kind": "storage-class", "name": "nvme", "size": "500Gi", "provisioner": "topolvm.io"},
            "ephemeral",
            ["nvme"],
        ),
    ],
)
def test_the_nodes_own_disks_are_a_path_or_a_class(cache: dict[str, Any], source: str, classes: list[str]) -> None:
    one = document("onprem-h100-roce")
    one["storage"] = {"cache": cache}
    del one["serving"]
    loaded = load(one)
    assert loaded.storage
    made = class_manifests(loaded.storage)
    assert [manifest["metadata"]["name"] for manifest in made] == classes
    assert all(manifest["volume_binding_mode"] == "WaitForFirstConsumer" for manifest in made)
    found = facts(loaded).cache
    assert found
    assert source in found.pod_volume()
    assert found.mount() == {"name": "node-cache", "mountPath": "/cache"}


def test_a_claim_waits_for_the_file_system_that_a_driver_has_to_make() -> None:
    one = document("eks-p5")
    one["storage"]["classes"] = [
        {"name": "scratch", "parameters": {"subnetId": "subnet-1", "securityGroupIds": "sg-1"}}
    ]
    one["storage"]["volumes"].append(
        {"name": "new", "namespaces": ["research"], "mode": "ReadWriteMany", "size": "1200Gi", "path": "/new"}
        | {"storageClass": "scratch"}
    )
    claims = [node for node in graph_of(one).resources if node.kind == "PersistentVolumeClaim"]
    limits = {node.inputs["metadata"]["name"]: dict(node.options.timeouts) for node in claims}
    assert limits.pop("new") == {"create": "3600s", "update": "3600s"}
    assert limits
    assert not any(limits.values()), "what exists binds at once"


def test_a_class_of_managed_lustre_makes_file_systems_in_the_zone_of_the_gpus() -> None:
    one = document("gke-a3-mega")
    one["storage"]["classes"] = [{"name": "lustre", "parameters": {"perUnitStorageThroughput": "1000"}}]
    classes = (node for node in graph_of(one).resources if node.kind == "StorageClass" and kubernetes(node))
    (made,) = (node.inputs for node in classes)
    (term,) = made["allowedTopologies"]
    assert term["matchLabelExpressions"] == [{"key": "topology.gke.io/zone", "values": ["us-central1-a"]}]


def test_a_volume_keeps_the_handle_that_it_was_made_with() -> None:
    volumes = [node for node in graph("eks-p5").resources if node.kind == VOLUME]
    assert volumes
    assert {node.options.ignore_changes for node in volumes} == {("spec.csi.volumeHandle",)}
