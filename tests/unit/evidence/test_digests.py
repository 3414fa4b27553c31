"""Images by digest: what registries say of tags, and what a plan deploys once the profile has it."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.cli import main
from bedplate.components.image_digests import of_object, of_release
from bedplate.evidence.digests import MANIFESTS, looked_up
from bedplate.evidence.images import images, of_plan
from bedplate.evidence.lists import pinned_by
from bedplate.plan.answers import KUSTOMIZATION
from bedplate.plan.summary import resources
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import STACKS, document, graph, graph_of
from tests.unit.evidence.test_images import UBUNTU
from tests.unit.test_registry import BASIC, Registry, certificate, logged_in, start

__all__ = ["certificate", "start"]
OF_JOBS = (
    "Job ",
    "TrainingRuntime ",
    "bedplate verify",
    "pods on the fabric",
    "ConfigMap ",
    "ValidatingAdmissionPolicy ",
)
"""Who names images of jobs: the profile says these itself, and may say a digest."""
KUEUE = "registry.k8s.io/kueue/kueue:v0.19.2"


def digest(of: str) -> str:
    return f"sha256:{sha256(of.encode()).hexdigest()}"


def by_tag(found: Mapping[str, Any]) -> set[str]:
    return {image for image in found if pinned_by(image) == "tag"}


def bare(image: str) -> str:
    return image.partition("@")[0].removesuffix(":latest")


@pytest.mark.parametrize("stack", STACKS)
def test_everything_that_a_stack_deploys_goes_by_digest_but_for_drivers_and_manifests_without_a_chart(
    stack: str,
) -> None:
    before = images(graph(stack), ()).found
    known = {image: digest(image) for image in by_tag(before)}
    planned = graph_of({**document(stack), "images": {"digests": known}})
    after = images(planned, ()).found
    bundles = of_plan([one for one in resources(planned) if one["type"] == KUSTOMIZATION], UBUNTU).found
    drivers = {image for image in after if "-ubuntu" in image and image.startswith("nvcr.io/nvidia/")}
    jobs = {image for image, owners in after.items() if all(owner.startswith(OF_JOBS) for owner in owners)}
    assert by_tag(after) - set(bundles) - drivers - jobs == set()
    assert len(after) - len(by_tag(after)) > 10
    assert {bare(image) for image in after} == {bare(image) for image in before}
    wrong = {
        image for image in after if (tag := image.partition("@"))[0] in known and tag[2] not in ("", known[tag[0]])
    }
    assert wrong == set()


def test_a_release_keeps_its_tags_beside_the_digests() -> None:
    made = of_release("kueue", "0.19.2", {"a": {"b": 1}}, {KUEUE: digest("kueue")})
    tag = {"controllerManager": {"manager": {"image": {"tag": f"v0.19.2@{digest('kueue')}"}}}}
    assert made == {"a": {"b": 1}, **tag}


def test_a_chart_with_a_value_for_digests_gets_them_there() -> None:
    image = "docker.io/grafana/grafana"
    values = {"grafana": {"image": {"tag": "12.0.0"}}}
    made = of_release("kube-prometheus-stack", "88.5.3", values, {f"{image}:12.0.0": digest("grafana")})
    assert made["grafana"]["image"] == {"tag": "12.0.0", "sha": digest("grafana").removeprefix("sha256:")}


def test_a_value_that_names_two_images_stays() -> None:
    both = {f"ghcr.io/example/{name}:v1": digest(name) for name in ("a", "b")}
    rows = [{"image": f"ghcr.io/example/{name}:{{tag}}"} for name in ("a", "b")]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bedplate.charts.measured", lambda *_: {"defaults": {"tag": "v1"}, "images": rows})
        patched.setattr("bedplate.charts.releases", lambda *_: ("1.0.0",))
        assert of_release("two", "1.0.0", {}, both) == {}
        assert of_release("two", "1.0.0", {}, dict.fromkeys(both, digest("one"))) == {"tag": f"v1@{digest('one')}"}


def test_what_a_profile_overrides_is_what_is_looked_for() -> None:
    values = {"controllerManager": {"manager": {"image": {"repository": "registry.example.com/kueue"}}}}
    assert of_release("kueue", "0.19.2", values, {KUEUE: digest("kueue")}) == values


def test_an_object_has_them_in_containers_and_in_triples() -> None:
    known = {"nvcr.io/x/nv-ipam:v1": digest("ipam"), "docker.io/vllm/vllm-openai:v0.32.0": digest("vllm")}
    policy = {"nvIpam": {"repository": "nvcr.io/x", "image": "nv-ipam", "version": "v1"}}
    pod = {"containers": [{"image": "vllm/vllm-openai:v0.32.0"}, {"image": "other:1"}]}
    assert of_object(policy, known)["nvIpam"]["version"] == f"v1@{digest('ipam')}"
    assert [one["image"] for one in of_object(pod, known)["containers"]] == [
        f"vllm/vllm-openai:v0.32.0@{digest('vllm')}",
        "other:1",
    ]


def test_a_file_beside_the_profile_has_them_and_what_the_profile_says_goes_first(tmp_path: Path) -> None:
    (tmp_path / "images.yaml").write_text(yaml.safe_dump({"digests": {KUEUE: digest("a"), "x.io/y:1": digest("b")}}))
    profile = {**document("lab"), "images": {"file": "images.yaml", "digests": {KUEUE: digest("own")}}}
    loaded = load(profile, "site.yaml", tmp_path / "site.yaml")
    assert loaded.images
    assert loaded.images.digests == {KUEUE: digest("own"), "x.io/y:1": digest("b")}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"file": "gone.yaml"}, "images.file = gone.yaml"),
        ({"digests": {KUEUE: "sha256:abc"}}, f"images.digests.{KUEUE}"),
    ],
)
def test_what_is_no_digest_and_a_file_that_is_not_there_are_named(
    tmp_path: Path, said: dict[str, Any], message: str
) -> None:
    with pytest.raises(ProfileError) as error:
        load({**document("lab"), "images": said}, "site.yaml", tmp_path / "site.yaml")
    assert message in str(error.value)


@pytest.mark.parametrize("place", ["the profile", "the file"])
def test_a_key_that_nobody_reads_is_refused_beside_a_file_and_in_it(tmp_path: Path, place: str) -> None:
    known: dict[str, Any] = {"digests": {KUEUE: digest("a")}}
    strange = {"digsts": {KUEUE: digest("b")}}
    (tmp_path / "images.yaml").write_text(yaml.safe_dump(known | (strange if place == "the file" else {})))
    said = {"file": "images.yaml", **(strange if place == "the profile" else {})}
    with pytest.raises(ProfileError, match=r"images\.digsts"):
        load({**document("lab"), "images": said}, "site.yaml", tmp_path / "site.yaml")


class Tags(Registry):
    """A registry with one image for two architectures."""

    index = json.dumps({"schemaVersion": 2, "manifests": []}).encode()

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Accept", "")))
        if self.wants == "basic" and self.headers.get("Authorization") != BASIC:
            self.say(401, {}, {"WWW-Authenticate": 'Basic realm="x"'})
        elif self.path == "/v2/mirror/kueue/kueue/manifests/v0.19.2":
            self.say(200, self.index)
        else:
            self.say(404, {})


def test_the_digest_is_that_of_the_image_for_all_architectures(start: Any, tmp_path: Path) -> None:
    registry = start(kind=Tags, wants="basic")
    logged_in(tmp_path, registry, {"auth": BASIC.removeprefix("Basic ")})
    gone = "registry.k8s.io/kueue/kueue:v0.1.0"
    digests, missing = looked_up([KUEUE, gone, f"quay.io/a/b@{digest('x')}"], f"{registry.host}/mirror")
    assert digests == {KUEUE: f"sha256:{sha256(Tags.index).hexdigest()}"}
    assert [line.partition(": ")[0] for line in missing] == [gone]
    assert {accept for _, accept in registry.asked} == {MANIFESTS}


def test_what_is_written_is_what_a_profile_takes(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = start(kind=Tags)
    assert main(["images", "lab", "--format", "digests", "--to", f"{registry.host}/mirror"]) == 3
    out, err = capsys.readouterr()
    assert yaml.safe_load(out) == {"digests": {KUEUE: f"sha256:{sha256(Tags.index).hexdigest()}"}}
    assert "no digest: registry.k8s.io/jobset/jobset:v0.12.0: " in err
    (tmp_path / "images.yaml").write_text(out)
    (tmp_path / "site.yaml").write_text(yaml.safe_dump({**document("lab"), "images": {"file": "images.yaml"}}))
    assert main(["images", str(tmp_path / "site.yaml")]) == 0
    assert f"{KUEUE}@sha256:{sha256(Tags.index).hexdigest()}\n" in capsys.readouterr().out
