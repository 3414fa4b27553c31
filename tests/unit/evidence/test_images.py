"""Every image of every stack's charts, custom resources and operators' defaults is on the list."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from bedplate.charts import DATA, names, releases, sets
from bedplate.cli import main
from bedplate.components.chart import Chart
from bedplate.components.chart_images import FILE, pulled, read_by
from bedplate.components.image_digests import parts, whole
from bedplate.evidence.images import RELEASE, Images, Nodes, images, of_plan
from bedplate.evidence.lists import as_json, mirrored, written
from bedplate.evidence.reference import Named, named
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import STACKS, graph
from tests.tools.make_chart_images import documents, leaves, told
from tests.tools.make_chart_keys import split
from tests.upstream import UPSTREAM, upstream

UBUNTU = Nodes("ubuntu", ("ubuntu24.04",))
NICS = {"repository": "nvcr.io/nvidia/mellanox", "image": "doca-driver", "version": "doca3.4.0"}
RELOADER = "quay.io/prometheus-operator/prometheus-config-reloader:v0.85.0"
DIGEST = f"sha256:{'0' * 64}"
INSTALLED = sorted({one for one in installable(Profile).values() if isinstance(one, Chart)}, key=lambda one: one.name)


def listed(stack: str) -> Images:
    return images(graph(stack), ())


def release(chart: str, version: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"type": RELEASE, "name": "x", "inputs": {"chart": chart, "version": version, "values": values}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"containers": [{"name": "a", "image": "registry.k8s.io/kueue:v0.19.2"}]}, "registry.k8s.io/kueue:v0.19.2"),
        ({"env": [{"name": "RELATED_IMAGE", "value": "nvcr.io/nvidia/cuda:13.0"}]}, "nvcr.io/nvidia/cuda:13.0"),
        ({"args": [f"--prometheus-config-reloader={RELOADER}"]}, RELOADER),
        ({"multus": NICS}, "nvcr.io/nvidia/mellanox/doca-driver:doca3.4.0"),
        ({"image": {"registry": "quay.io", "repository": "a/b", "tag": "v1"}}, "quay.io/a/b:v1"),
        ({"image": "example.com:5000/team/server:2"}, "example.com:5000/team/server:2"),
        ({"image": {"repository": "ghcr.io/a/b", "tag": DIGEST}}, f"ghcr.io/a/b@{DIGEST}"),
        ({"modelSpec": [{"name": "m", "repository": "a/b", "tag": "v1", "modelURL": "x/y"}]}, "a/b:v1"),
    ],
)
def test_an_image_is_found_wherever_it_is_written(value: Any, expected: str) -> None:
    assert Named(expected) in set(named(value))


@pytest.mark.parametrize(
    "value", [{"image": "vllm"}, {"repository": "https://charts.example.com"}, {"url": "https://quay.io/"}]
)
def test_what_is_no_image_is_none(value: Any) -> None:
    assert list(named(value)) == []


@pytest.mark.parametrize("chart", INSTALLED, ids=lambda one: one.name)
def test_every_release_of_every_chart_that_a_profile_may_name_has_its_list(chart: Chart) -> None:
    lists = {version: of_plan([release(chart.name, version)], UBUNTU) for version in chart.versions}
    assert [version for version, found in lists.items() if found.unknown] == []


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_of_a_stack_is_left_unknown(stack: str) -> None:
    assert listed(stack).unknown == []
    assert all("/" in one and (":" in one or "@" in one) for one in listed(stack).found)


def test_the_kept_lists_are_what_the_tool_makes_of_the_real_values() -> None:
    upstream("values")
    made = dict(documents())
    assert len(made) > 20
    assert {name: (DATA / name).read_text() for name in made} == made


def image_values(values: Mapping[str, Any]) -> Iterator[str]:
    """Where default values name an image: a repository, a name, or a whole reference."""
    for path, value in leaves(values):
        last = path.rpartition(".")[2]
        if isinstance(value, str) and value and (last in ("repository", "image") or last.endswith("_image_name")):
            yield path


REMOVED = {"ofedDriver", "rdmaSharedDevicePlugin", "sriovDevicePlugin", "ibKubernetes", "nvIpam", "secondaryNetwork"}
NOT_THE_CHARTS = {"nicFeatureDiscovery", "docaTelemetryService"} | REMOVED
"""In 24.7 alone the chart could write the policy as well (`deployCR`, which is off): the plan's own policy names them."""


KEPT = {f"{chart}-{version}" for chart in names() if told(chart) for version in releases(chart, FILE)}
WITH_VALUES = sorted(KEPT & {path.stem for path in (UPSTREAM / "values").glob("*.yaml")})


@pytest.mark.parametrize("name", WITH_VALUES)
def test_every_image_in_a_charts_real_values_is_one_that_the_list_reads(name: str) -> None:
    found = set(image_values(yaml.safe_load(upstream("values", f"{name}.yaml").read_text())))
    own = {one for one in found if one.partition(".")[0] not in NOT_THE_CHARTS or "initContainer" in one}
    assert own - read_by(*split(name)) == set()


@pytest.mark.parametrize(
    ("chart", "version"), [(one, each) for one in names() for each in told(one).get("releases", ())]
)
def test_a_staging_registry_is_on_no_list(chart: str, version: str) -> None:
    everything = " ".join(one.image for one in pulled(chart, version, {"enableKueueViz": True}) or ())
    assert everything
    assert not any(word in everything for word in ("staging", "nvstaging", "registry/local", ":main"))


def test_a_drivers_image_has_the_nodes_system_in_its_tag() -> None:
    drivers = [one for one in listed("onprem-h100-roce").found if "/nvidia/driver:" in one]
    assert {one.rpartition("-")[2] for one in drivers} == {"ubuntu22.04", "ubuntu24.04"}


def test_doca_ofed_has_system_and_architecture_in_its_tag() -> None:
    policy = {"type": "kubernetes:x/v1:NicClusterPolicy", "name": "n", "inputs": {"spec": {"ofedDriver": NICS}}}
    found = of_plan([policy], Nodes("ubuntu", ("ubuntu24.04",), ("amd64", "arm64"))).found
    assert {one.partition("doca3.4.0-")[2] for one in found} == {"ubuntu24.04-amd64", "ubuntu24.04-arm64"}


def test_a_system_that_the_profile_leaves_open_is_said_and_can_be_stated() -> None:
    one = release("gpu-operator", "v26.7.0")
    assert "--node-os" in of_plan([one], Nodes("rhel")).unknown[0]
    stated = of_plan([one], Nodes("rhel", ("rhel9",)))
    assert stated.unknown == []
    assert any(image.endswith("/driver:595.91.07-rhel9") for image in stated.found)


def test_a_precompiled_driver_is_not_passed_over_in_silence() -> None:
    found = of_plan([release("gpu-operator", "v26.7.0", {"driver": {"usePrecompiled": True}})], UBUNTU)
    assert "precompiled" in found.unknown[0]


def test_a_release_without_a_list_is_said_to_be_unknown() -> None:
    found = of_plan([release("oci://example.com/kueue", "0.19.99")], UBUNTU)
    assert found.found == {}
    assert found.unknown == [
        "chart kueue-0.19.99: no list of its images is kept here; `helm template` shows them",
    ]


def test_a_kustomization_that_nobody_looked_at_is_said_to_be_unknown() -> None:
    row = {"type": "kubernetes:kustomize/v2:Directory", "name": "other", "inputs": {"directory": "there/other-1"}}
    assert of_plan([row], UBUNTU).unknown[0].startswith("other: no list")


def test_a_mirrors_copy_of_a_kustomization_is_known_by_its_folder() -> None:
    row = {"type": "kubernetes:kustomize/v2:Directory", "name": "training-operator"}
    one = {**row, "inputs": {"directory": "/mirror/training-operator-v1.8.1-volcano"}}
    assert "docker.io/kubeflow/training-operator:v1-04f9f13" in of_plan([one], UBUNTU).found


def test_an_override_moves_the_image_and_does_not_add_to_it() -> None:
    values = {"controllerManager": {"manager": {"image": {"repository": "example.com/kueue", "tag": "own"}}}}
    assert list(of_plan([release("kueue", "0.19.2", values)], UBUNTU).found) == ["example.com/kueue:own"]


def test_a_registry_for_all_moves_every_image_of_the_chart() -> None:
    found = of_plan(
        [release("kube-prometheus-stack", "88.5.3", {"global": {"imageRegistry": "r.example.com"}})], UBUNTU
    )
    assert {parts(one).registry for one in found.found} == {"r.example.com"}


def test_a_switch_of_the_chart_brings_and_takes_its_images() -> None:
    off = of_plan([release("gpu-operator", "v26.7.0", {"driver": {"enabled": False}})], UBUNTU).found
    on = of_plan([release("gpu-operator", "v26.7.0", {"gds": {"enabled": True}})], UBUNTU).found
    assert not any("/driver:" in one for one in off)
    assert any("/nvidia-fs:2.29.4-ubuntu24.04" in one for one in on)


def test_a_digest_in_values_is_a_digest_on_the_list() -> None:
    values = {"driver": {"version": DIGEST}, "operator": {"version": DIGEST}}
    found = of_plan([release("gpu-operator", "v26.7.0", values)], UBUNTU)
    assert {f"nvcr.io/nvidia/driver@{DIGEST}", f"nvcr.io/nvidia/gpu-operator@{DIGEST}"} <= set(found.found)
    assert {one["image"] for one in as_json(found, "x")["images"] if one["by"] == "digest"} == {
        one for one in found.found if "@" in one
    }


@pytest.mark.parametrize(
    ("short", "written_out"),
    [
        ("ubuntu:24.04", "docker.io/library/ubuntu:24.04"),
        ("vllm/vllm-openai:v1", "docker.io/vllm/vllm-openai:v1"),
        ("localhost:5000/a", "localhost:5000/a:latest"),
        (f"gke.gcr.io/pause:3.8@{DIGEST}", f"gke.gcr.io/pause:3.8@{DIGEST}"),
        (f"quay.io/a/b@{DIGEST}", f"quay.io/a/b@{DIGEST}"),
    ],
)
def test_a_short_name_is_written_out(short: str, written_out: str) -> None:
    assert whole(short) == written_out


IMAGES = Images({"nvcr.io/nvidia/cuda:13.0": ["a"], f"ghcr.io/a/b@{DIGEST}": ["b"], "nvcr.io/nvidia/cuda:12.0": ["a"]})


def test_each_tool_gets_its_own_form() -> None:
    assert yaml.safe_load(written(IMAGES, "skopeo")) == {
        "nvcr.io": {"images": {"nvidia/cuda": ["13.0", "12.0"]}},
        "ghcr.io": {"images": {"a/b": [DIGEST]}},
    }
    assert written(IMAGES, "crane", "r.example.com/m/").splitlines()[0] == (
        "crane copy nvcr.io/nvidia/cuda:13.0 r.example.com/m/nvidia/cuda:13.0"
    )
    configuration = yaml.safe_load(written(IMAGES, "oc-mirror"))
    assert configuration["kind"] == "ImageSetConfiguration"
    assert [one["name"] for one in configuration["mirror"]["additionalImages"]] == list(IMAGES.found)
    assert written(IMAGES, "text").splitlines() == list(IMAGES.found)
    assert mirrored(f"ghcr.io/a/b@{DIGEST}", "r") == f"r/a/b:{'0' * 12}"


@pytest.mark.parametrize("stack", STACKS)
def test_no_two_images_meet_at_one_place_of_a_mirror(stack: str) -> None:
    found = list(listed(stack).found)
    assert len({mirrored(one, "r.example.com") for one in found}) == len(found)


def test_the_command_lists_and_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["images", "lab", "--format", "crane"]) == 2
    assert capsys.readouterr().err == "--format crane: say where to, by --to REGISTRY\n"
    assert main(["images", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert main(["images", "lab", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    rows = {one["image"]: one for one in json.loads(out)["images"]}
    assert rows["registry.k8s.io/kueue/kueue:v0.19.2"] == {
        "image": "registry.k8s.io/kueue/kueue:v0.19.2",
        "by": "tag",
        "pulledBy": ["chart kueue-0.19.2"],
    }
    assert "by tag alone" in err


def test_an_image_that_the_kept_list_has_moved_is_not_listed_where_it_was() -> None:
    pin = sets.version("gpu-operator")
    own = {"repository": "registry.example.com/nvidia", "image": "driver", "version": "580.95.05"}
    inputs = {"chart": "gpu-operator", "version": pin, "values": {"driver": own}}
    made = of_plan([{"type": RELEASE, "name": "gpu-operator", "inputs": inputs}], Nodes("ubuntu", ("ubuntu24.04",)))
    moved = [image for image in made.found if image.startswith("registry.example.com/")]
    assert moved == ["registry.example.com/nvidia/driver:580.95.05-ubuntu24.04"]
