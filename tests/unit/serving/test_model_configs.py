"""A server names its model by a `config.json`: facts, source, revision, and one line for each thing that is wrong."""

import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from bedplate.components.serving.pod import loading
from bedplate.components.serving.vllm import VllmServer, arguments
from bedplate.plan.fit import lines
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile import model_configs
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.reading import LARGEST
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFileError, read_mapping
from tests.unit.catalog.test_configs import BGE, DENSE, WHISPER
from tests.unit.serving.test_model_checks import on

SHA = "0" * 39 + "1"
REPOSITORY = {"repository": "meta-llama/Meta-Llama-3.1-8B", "revision": SHA}
WEIGHTS = {"kind": "hugging-face", "repository": REPOSITORY["repository"], "gated": True, "cache": "models"}
OTHER = {"repository": "someone/something", "revision": SHA}


@pytest.fixture(autouse=True)
def nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where huggingface_hub is not installed."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    model_configs.asked.cache_clear()


def loaded(folder: Path, server: dict[str, Any], config: object = DENSE) -> Profile:
    """A profile in a folder, beside the model's config."""
    text = config if isinstance(config, str) else json.dumps(config)
    (folder / "model.json").write_text(text, encoding="utf-8")
    return load(on("hgx-h100", server), "Pulumi.test.yaml", folder / "Pulumi.test.yaml")


def first(profile: Profile) -> VllmServer:
    assert profile.serving
    server = profile.serving.servers[0]
    assert isinstance(server, VllmServer)
    return server


def fit(profile: Profile) -> str:
    return next(line.text for line in lines(profile, facts(profile)) if line.kind == "server")


def words(profile: Profile) -> tuple[str, ...]:
    return arguments(first(profile), loading(first(profile).weights, facts(profile)), "none")


def refusal(folder: Path, server: dict[str, Any], config: object = DENSE) -> str:
    with pytest.raises(ProfileError) as raised:
        loaded(folder, server, config)
    (line,) = str(raised.value).splitlines()
    return line


def hub(monkeypatch: pytest.MonkeyPatch, answer: Path | Exception) -> list[tuple[str, ...]]:
    """A client of the hub that answers so."""
    asked: list[tuple[str, ...]] = []

    def download(repository: str, name: str, *, revision: str, etag_timeout: int) -> str:
        asked.append((repository, name, revision))
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    module = ModuleType("huggingface_hub")
    module.__dict__.update(hf_hub_download=download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", Errors)
    return asked


class Errors:
    """Names of huggingface_hub.errors."""

    class LocalEntryNotFoundError(Exception): ...

    class OfflineModeIsEnabled(ConnectionError): ...  # noqa: N818 - its own name

    class HfHubHTTPError(OSError):
        response = SimpleNamespace(status_code=404)


def test_a_file_beside_the_profile_gives_the_facts_and_the_plan_names_it(tmp_path: Path) -> None:
    profile = loaded(tmp_path, {"model": {"config": "model.json"}})
    model = first(profile).facts
    assert model
    assert (model.billions, model.layers, model.kv_heads, model.max_length) == (8.03, 32, 8, 131_072)
    assert "sizes by model.json" in fit(profile)
    assert "not known" not in fit(profile)


def test_who_reads_the_configuration_needs_neither_file_nor_folder(tmp_path: Path) -> None:
    """Size, verdicts and a later comparison read the plan's profile, wherever the user stands."""
    (tmp_path / "model.json").write_text(json.dumps(DENSE), encoding="utf-8")
    stated = {**on("hgx-h100", {"model": {"config": "model.json"}})}
    (tmp_path / "profile.yaml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    files, stack = named(str(tmp_path / "profile.yaml"))
    configured = files.config(stack)[PROFILE_KEY]
    (tmp_path / "model.json").unlink()
    assert "sizes by model.json" in fit(load(configured))


def test_a_repository_is_asked_at_its_commit_and_the_engine_loads_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cached.json").write_text(json.dumps(DENSE), encoding="utf-8")
    asked = hub(monkeypatch, tmp_path / "cached.json")
    profile = loaded(tmp_path, {"model": REPOSITORY, "weights": WEIGHTS})
    assert asked == [(REPOSITORY["repository"], "config.json", SHA)]
    assert f"sizes by config.json of {REPOSITORY['repository']}@{SHA[:12]}" in fit(profile)
    assert words(profile)[-2:] == ("--revision", SHA)


@pytest.mark.parametrize("answer", [None, Errors.LocalEntryNotFoundError(), Errors.OfflineModeIsEnabled(), OSError()])
def test_without_an_answer_the_catalogue_knows_it(
    answer: Exception | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if answer:
        hub(monkeypatch, answer)
    profile = loaded(tmp_path, {"model": REPOSITORY, "weights": WEIGHTS})
    assert "sizes by docs/models.md, as meta-llama/Meta-Llama-3.1-8B could not be asked" in fit(profile)
    assert "--revision" in words(profile)


def test_what_nobody_knows_is_said_and_no_fit_is(tmp_path: Path) -> None:
    text = fit(loaded(tmp_path, {"model": OTHER}))
    assert f"not known: the sizes of {OTHER['repository']}@{SHA}" in text
    assert "weights" not in text


def test_weights_of_another_repository_have_a_revision_of_their_own(tmp_path: Path) -> None:
    profile = loaded(tmp_path, {"model": REPOSITORY, "weights": {**WEIGHTS, "repository": "someone/quantised"}})
    assert "--revision" not in words(profile)


@pytest.mark.parametrize(
    ("server", "config", "said"),
    [
        ({"model": {"config": "gone.json"}}, DENSE, ("model.config = gone.json", "cannot be read: No such file")),
        ({"model": {"config": "model.json"}}, "{", ("model.config = model.json", "it is no JSON")),
        ({"model": {"config": "model.json"}}, {"model_type": "rwkv7"}, ("model_type rwkv7", "facts in full")),
        ({"model": {"config": "model.json"}}, {"model_type": "llama"}, ("it lacks the key hidden_size",)),
        ({"model": {**OTHER, "revision": "main"}}, DENSE, ("model.revision = main", "a branch or tag moves")),
        ({"model": {"repository": "a/b"}}, DENSE, ("model = ", "repository and revision go together")),
        ({"model": {**OTHER, "config": "model.json"}}, DENSE, ("model = ", "give either config or repository")),
        (
            {"model": REPOSITORY, "weights": {**WEIGHTS, "revision": "f" * 40}},
            DENSE,
            ("weights.revision = ffff", "the model's facts are those of 0000", "give the same"),
        ),
        ({"model": {"config": "model.json"}, "tensorParallel": 3}, DENSE, ("tensorParallel = 3", "32 heads")),
        (
            {"model": {"config": "model.json"}, "maxModelLen": 140_000},
            DENSE,
            ("maxModelLen = 140000", "made for 131072 tokens"),
        ),
    ],
)
def test_each_fault_is_one_line(server: dict[str, Any], config: object, said: tuple[str, ...], tmp_path: Path) -> None:
    line = refusal(tmp_path, server, config)
    assert all(part in line for part in said), line


def test_the_hubs_own_no_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub(monkeypatch, Errors.HfHubHTTPError())
    assert "the hub has no config.json of it at 000000000000 for you (404)" in refusal(tmp_path, {"model": OTHER})


VECTORS = {"model": {"config": "model.json"}}


@pytest.mark.parametrize(
    ("server", "config", "said"),
    [
        (
            {**VECTORS, "task": "generate"},
            BGE,
            ("task = generate", "XLMRobertaModel, which gives vectors", "use embed"),
        ),
        ({**VECTORS, "extraArgs": ["--enable-auto-tool-choice"]}, BGE, ("extraArgs", "it gives vectors")),
        ({**VECTORS, "extraArgs": ["--tool-call-parser=hermes"]}, WHISPER, ("extraArgs", "the words of a sound")),
        ({**VECTORS, "task": "generate"}, WHISPER, ("task = generate", "use transcribe")),
        ({**VECTORS, "task": "transcribe"}, DENSE, ("task = transcribe", "which gives text", "use generate")),
    ],
)
def test_a_model_is_asked_for_what_it_was_made_for(
    server: dict[str, Any], config: object, said: tuple[str, ...], tmp_path: Path
) -> None:
    line = refusal(tmp_path, server, config)
    assert all(part in line for part in said), line


def test_a_model_of_text_gives_vectors_where_it_is_told_to(tmp_path: Path) -> None:
    profile = loaded(tmp_path, {**VECTORS, "task": "embed"})
    assert "--runner pooling --convert embed" in " ".join(words(profile))
    assert first(profile).patience == 120


def test_what_a_model_does_follows_from_its_class(tmp_path: Path) -> None:
    assert first(loaded(tmp_path, VECTORS, BGE)).does == "embed"
    assert first(loaded(tmp_path, VECTORS, WHISPER)).does == "transcribe"
    assert first(loaded(tmp_path, VECTORS)).does == "generate"
    assert first(loaded(tmp_path, VECTORS, BGE)).longest == 8192
    assert first(loaded(tmp_path, VECTORS, WHISPER)).longest == 448


@pytest.mark.parametrize(("name", "why"), [("/dev/zero", "no regular file"), ("pipe", "no regular file")])
def test_what_is_no_file_is_not_read_at_all(name: str, why: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    line = refusal(tmp_path, {"model": {"config": name}})
    assert f"model.config = {name}: it cannot be read: it is {why}" in line


def test_no_more_of_a_file_is_read_than_a_person_writes(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    line = refusal(tmp_path, {"model": {"config": "large.json"}})
    assert "model.config = large.json: it cannot be read: it is larger than 16 MiB" in line
    file = tmp_path / "profile.yaml"
    file.symlink_to("/dev/zero")
    with pytest.raises(StackFileError, match=r"p: cannot be read: it is larger than 16 MiB"):
        read_mapping(file, "p")
