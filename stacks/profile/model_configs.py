"""Models that a server names by their `config.json`: the facts stand in its place before anything is derived."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from bedplate.catalog.configs.reading import ConfigError, Facts, facts, parsed
from bedplate.catalog.models import MODELS, fact_names
from bedplate.components.serving.model_source import ModelSource
from bedplate.stacks.profile.files_beside import mapping
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.reading import regular

FULL = "correct it, or give the model's facts in full (docs/models.md)"
Document = Mapping[str, Any]


def with_models(document: Document, folder: Callable[[], Path]) -> tuple[Document, list[Problem]]:
    """The profile with models in full where their config can be read, and what is wrong with the others.

    `folder` is where the profile lies. A form that is not sound stays for the profile's own validation.
    """
    section = mapping(document.get("serving"))
    servers = _each(section.get("servers"))
    if not servers:
        return document, []
    problems: list[Problem] = []
    with_figures = [_known(server, folder, f"serving.servers[{at}]", problems) for at, server in enumerate(servers)]
    return {**document, "serving": {**section, "servers": with_figures}}, problems


def _known(server: object, folder: Callable[[], Path], key: str, problems: list[Problem]) -> object:
    server_section = mapping(server)
    model = mapping(server_section.get("model"))
    try:
        ModelSource.model_validate(model, by_alias=True, by_name=False)
        config = _of_file(folder(), model["config"]) if "config" in model else _of_hub(**model)
    except ValidationError:
        return server
    except ConfigError as error:
        form = "config" if "config" in model else "repository"
        problems.append(Problem(f"{key}.model.{form}", model[form], str(error), FULL))
        return server
    return {**server_section, "model": config or model, **_pinned(server_section, model, key, problems)}


def _of_file(folder: Path, name: str) -> Facts:
    try:
        text = regular(folder / name)
    except OSError as error:
        raise ConfigError(f"it cannot be read: {error.strerror}") from None
    return _in_full(facts(parsed(text)), name)


def _of_hub(repository: str, revision: str) -> Facts | None:
    """By the hub's own client, else of the catalogue; None: neither knows it."""
    if (text := asked(repository, revision)) is not None:
        return _in_full(facts(parsed(text)), f"config.json of {repository}@{revision[:12]}")
    listed = next((model for model in MODELS.values() if model.repository == repository), None)
    return _in_full(fact_names(listed), f"docs/models.md, as {repository} could not be asked") if listed else None


@cache
def asked(repository: str, revision: str) -> bytes | None:
    """The file at a commit; None: nobody to ask, by want of the package or the network.

    Raises:
        ConfigError: the hub's answer is no.
    """
    try:
        hub: Any = import_module("huggingface_hub")
        errors: Any = import_module("huggingface_hub.errors")
    except ImportError:
        return None
    try:
        return Path(hub.hf_hub_download(repository, "config.json", revision=revision, etag_timeout=5)).read_bytes()
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled):
        return None
    except errors.HfHubHTTPError as error:
        status = getattr(getattr(error, "response", None), "status_code", "no answer")
        raise ConfigError(f"the hub has no config.json of it at {revision[:12]} for you ({status})") from None
    except OSError:
        return None


def _in_full(read: Facts, source: str) -> Facts:
    """In the profile's own keys, without what is not known."""
    model = {**_of_kind(read), **read} if "type" in read else read
    plain = {name: value for name, value in model.items() if value is not None and name not in ("type", "own_code")}
    return {**{_camel(name): value for name, value in plain.items()}, "source": source}


def _of_kind(read: Facts) -> Facts:
    """What the catalogue knows of the kind of model, and no config says."""
    row = next((model for model in MODELS.values() if model.type == read["type"]), None)
    code = row.remote_code if row and read["own_code"] else None
    return {"remote_code": code if read["own_code"] else False, "float16": row.float16 if row else None}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _pinned(server: Document, model: Document, key: str, problems: list[Problem]) -> Document:
    """Weights of the same repository at the same commit."""
    weights = mapping(server.get("weights"))
    if "revision" not in model or weights.get("repository") != model["repository"]:
        return {}
    revision = weights.get("revision") or model["revision"]
    if revision != model["revision"]:
        reason = f"the model's facts are those of {model['revision'][:12]}"
        problems.append(Problem(f"{key}.weights.revision", revision, reason, "give the same, or leave it out here"))
    return {"weights": {**weights, "revision": revision}}


def _each(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
