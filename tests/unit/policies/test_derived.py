"""Facts of a cluster without a profile: from a file, and from the manifests themselves."""

import json
from pathlib import Path

import pytest

from bedplate.policies.command.cli import main
from bedplate.policies.facts import Facts
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.manifests.derived import derived
from bedplate.policies.manifests.read import read
from bedplate.policies.resources.devices import produced
from bedplate.policies.resources.kueue import installed
from bedplate.policies.resources.stack import Stack
from tests.unit.policies import valid as v
from tests.unit.policies.case import put
from tests.unit.policies.test_cli import CLEAN, write

POD = """apiVersion: v1
kind: Pod
metadata: {name: x, namespace: y}
spec: {nodeSelector: {%s: a}, containers: [{name: a, image: 'a:1', resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
GKE, EKS, NONE = "cloud.google.com/gke-accelerator", "eks.amazonaws.com/nodegroup", "disk"


def platform(tmp_path: Path, **selectors: str) -> str | None:
    write(tmp_path, **{name: POD.replace("name: x", f"name: {name}") % key for name, key in selectors.items()})
    return derived(read([tmp_path]).resources, Facts()).facts.platform


def test_marks_of_one_platform_tell_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert platform(tmp_path, a=GKE, b=GKE) == "gke"
    main(["check", str(tmp_path)])
    assert "derived: platform gke, by the manifests' own marks" in capsys.readouterr().out


@pytest.mark.parametrize("selectors", [{"a": GKE, "b": EKS}, {"a": GKE, "b": NONE}, {"a": NONE}])
def test_where_doubt_is_left_nothing_is_derived(selectors: dict[str, str], tmp_path: Path) -> None:
    assert platform(tmp_path, **selectors) is None


def test_what_is_stated_stays(tmp_path: Path) -> None:
    write(tmp_path, a=POD % GKE)
    assert derived(read([tmp_path]).resources, Facts(platform="rke2")).facts.platform == "rke2"


def test_a_key_of_an_affinity_is_a_mark(tmp_path: Path) -> None:
    terms = "affinity: {nodeAffinity: {x: [{matchExpressions: [{key: eks.amazonaws.com/nodegroup}]}]}}"
    write(tmp_path, a=POD.replace("nodeSelector: {%s: a}", terms))
    assert derived(read([tmp_path]).resources, Facts()).facts.platform == "eks"


@pytest.mark.parametrize(
    ("entries", "name"),
    [("configList", "rdma/hca_shared"), ("resourceList", "nvidia.com/hca_shared")],
)
def test_a_device_plugin_in_a_config_map_tells_its_resources(entries: str, name: str) -> None:
    config = json.dumps({entries: [{"resourceName": "hca_shared", "selectors": {"vendors": ["15b3"]}}]})
    plugin = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p"}, "data": {"config.json": config}}
    assert produced(Stack([from_manifest(plugin)], Facts())) == {name}


def test_the_efa_plugin_as_a_daemon_set_tells_its_resource() -> None:
    plugin = v.manifest("apps/v1", "DaemonSet", "aws-efa-k8s-device-plugin-daemonset", "kube-system", spec={})
    assert produced(Stack([from_manifest(plugin)], Facts())) == {"vpc.amazonaws.com/efa"}


CONFIG = """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
integrations: {frameworks: [batch/job]}
resources: {excludeResourcePrefixes: [rdma/]}
"""


def test_kueue_is_known_by_the_manifests_of_its_release() -> None:
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {"controller_manager_config.yaml": CONFIG},
    }
    image = "registry.k8s.io/kueue/kueue:v0.19.2"
    manager = put({"x": v.deployment()}, ("x", "spec", "template", "spec", "containers", "0", "image"), image)["x"]
    (kueue,) = installed(Stack(map(from_manifest, [config, manager]), Facts()))
    assert kueue.frameworks == {"batch/job"}
    assert kueue.excluded == ("rdma/",)
    assert kueue.release.numbers == (0, 19, 2)


def test_a_file_of_facts_is_what_a_profile_would_say(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    write(tmp_path / "jobs", job=POD.replace("nvidia.com/gpu", "rdma/unheard-of") % NONE)
    facts = tmp_path / "facts.yaml"
    facts.write_text("platform: kubeadm\nfabric: infiniband\nrdmaResources: {rdma/hca: 1}\n")
    arguments = ["check", str(tmp_path / "jobs"), "--level", "NET-217=disabled"]
    assert main(arguments) == 0
    assert main([*arguments, "--facts", str(facts)]) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("platfrom: gke\n", "line 1: platfrom: there is no such key; known are platform, kubernetesVersion, "),
        ("platform: gkee\n", "line 1: platform: gkee: write one of "),
        ("fabric: ethernet\n", "line 1: fabric: ethernet: write one of infiniband, "),
        ("mtu: large\n", 'line 1: mtu = "large": write a whole number'),
        ("podCidrs: 10.0.0.0/8\n", 'line 1: podCidrs = "10.0.0.0/8": write a list'),
        ("pools: [{nodes: 3}]\n", "line 1: pools[0].name: absent, and needed: add it"),
        ("- a\n", "write keys and values, such as `platform: gke`"),
        ("a: [\n", "line 2: "),
    ],
)
def test_a_wrong_fact_is_one_clear_line(
    text: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "facts").write_text(text)
    assert main(["check", str(write(tmp_path, a=CLEAN)), "--facts", str(tmp_path / "facts")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"--facts {tmp_path}/facts: {fault}")


def test_facts_and_a_profile_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["check", str(tmp_path), "--facts", "x", "--profile", "lab"])
