"""The server that `size serve` is asked about, as a profile would have it."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.components.serving.models import MODELS, Model
from bedplate.components.serving.vllm import VllmServer
from bedplate.sizing.figures import ImpossibleError
from bedplate.sizing.model import SHORT, unknown
from bedplate.stacks.load import is_mapping
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.validation import translated

FILES = (".yaml", ".yml")
GUIDE = "docs/models.md"


def server(options: argparse.Namespace, node: int) -> VllmServer:
    """On nodes with so many GPUs, with weights and names that no size depends on.

    Raises ImpossibleError or ProfileError for a wrong model.
    """
    section: dict[str, Any] = {
        "kind": "vllm",
        "name": "sized",
        "namespace": "sized",
        "pool": "sized",
        "weights": {"kind": "hugging-face", "repository": "sized/sized"},
        "model": _model(options.model),
        "precision": options.precision,
        "tensorParallel": options.tp,
        "pipelineParallel": options.pp,
        "dataParallel": options.dp,
        "dataParallelLocal": min(options.dp, max(1, node // options.tp)),
        "expertParallel": options.ep,
        "maxModelLen": options.longest,
        "gpuMemoryUtilization": options.utilisation,
        "extraArgs": [f"--max-num-seqs={options.sequences}"] if options.sequences else [],
    }
    try:
        return VllmServer.model_validate(section)
    except ValidationError as error:
        raise ProfileError(translated(error.errors(), VllmServer, "docs/serving.md"), "size serve") from None


def _model(text: str) -> str | Mapping[str, Any]:
    if text.endswith(FILES):
        return _in_full(Path(text))
    name = SHORT.get(text, text)
    if name not in MODELS and (os.sep in text or Path(text).exists()):
        raise ImpossibleError(
            [f"MODEL {text}: no {' or '.join(FILES)} file; write the model's facts into one ({GUIDE})"]
        )
    if name not in MODELS:
        raise ImpossibleError([unknown(text, sorted({*MODELS, *SHORT}))])
    return name


def _in_full(path: Path) -> Mapping[str, Any]:
    """The facts of a file, below `model:` or by themselves."""
    try:
        document: Any = yaml.load(path.read_bytes(), BoundedLoader)  # noqa: S506 - a safe loader
    except OSError as error:
        raise ImpossibleError([f"MODEL {path}: {error.strerror or error}"]) from None
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        raise ImpossibleError([f"MODEL {path}: no YAML: {' '.join(str(error).split())}"]) from None
    if not is_mapping(document) or not is_mapping(facts := document.get("model", document)):
        raise ImpossibleError([f"MODEL {path}: no mapping; write the model's facts, such as billions: 70 ({GUIDE})"])
    try:
        Model.model_validate(facts, by_alias=True, by_name=False)
    except ValidationError as error:
        raise ProfileError(translated(error.errors(), Model, GUIDE), str(path), path) from None
    return facts
