"""A bill of materials is what CycloneDX's own schema takes, and lacks nothing of the set or of Bedplate."""

import json
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from bedplate.charts import sets
from bedplate.releases import cli, sbom
from bedplate.releases.check import of_bedplate

NEWEST = sets.newest()


def valid(document: dict[str, Any]) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document)) is None
    refs = [document["metadata"]["component"]["bom-ref"], *(one["bom-ref"] for one in document["components"])]
    assert len(refs) == len(set(refs))
    assert {each for edge in document["dependencies"] for each in (edge["ref"], *edge["dependsOn"])} <= set(refs)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert cli.main(["sbom", *words]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", sets.known())
def test_a_set_has_every_chart_and_image_with_what_pulls_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = printed(capsys, name)
    valid(document)
    assert document == sbom.of_set(name), "the same for the same set"
    listed = {(one["name"], one["version"]) for one in document["components"]}
    assert {(chart, version) for chart, version in sets.pins(name).items()} <= listed
    (kueue,) = [edge["dependsOn"] for edge in document["dependencies"] if edge["ref"].startswith("pkg:helm/kueue@")]
    assert any("repository_url=registry.k8s.io%2Fkueue%2Fkueue&tag=v0.19.2" in image for image in kueue)


def test_a_digest_of_an_archive_or_an_image_is_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    said = sets.read(NEWEST)
    charts = {**said["charts"], "keda": {**said["charts"]["keda"], "digest": f"sha256:{'a' * 64}"}}
    images = {**said["images"], "vllm/vllm-openai": f"v0.32.0@sha256:{'b' * 64}"}
    monkeypatch.setattr(sets, "read", lambda _: {**said, "charts": charts, "images": images})
    document = sbom.of_set(NEWEST)
    valid(document)
    hashes = {one["name"]: one["hashes"][0]["content"] for one in document["components"] if "hashes" in one}
    assert {hashes["keda"], hashes["vllm/vllm-openai"]} == {"a" * 64, "b" * 64}


def test_bedplate_has_every_package_that_it_asks_for_and_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "bedplate.whl"
    wheel.write_bytes(b"wheel")
    document = printed(capsys, "--wheel", str(wheel))
    valid(document)
    assert document["metadata"]["component"]["hashes"][0]["content"] == sha256(b"wheel").hexdigest()
    listed = {one["name"]: one["version"] for one in document["components"]}
    assert {item.name.lower() for item in of_bedplate()} <= listed.keys()
    assert listed["pydantic-core"] == metadata.version("pydantic-core"), "what pydantic asks for"
    assert "pytest" not in listed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["2020.01"], "2020.01: no version set of this Bedplate"),
        (["--wheel", "absent.whl"], "--wheel absent.whl: there is no such file"),
        ([NEWEST, "--bedplate"], "name a set, or this Bedplate"),
    ],
)
def test_wrong_words_are_a_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sbom", *words]) == 2
    assert said in capsys.readouterr().err
