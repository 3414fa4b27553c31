"""What the engine itself says of commands: its own parser and validation, run by the Python that it is installed in.

    .tools/vllm-0.32.0/bin/python tests/vllm/ask.py < questions.json > answers.json

A question has the words behind `vllm serve`, a model's `config.json` to stand in for its weights, and the GPU. An
answer is empty, or the engine's own complaint. Without a GPU one thing is not the engine's own: what it reads of the
driver (name, memory, capability, count), which comes from the question; its kernels are loaded, against a driver's
library that has no device (`driver.py`).
"""

import contextlib
import importlib
import json
import os
import sys
import tempfile
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MODEL = 0
"""Where the model stands among the words."""


GPU: dict[str, Any] = {}
"""Of the question in hand: the engine's modules keep the platform that they saw first."""


def platform() -> None:
    """The engine's own platform of CUDA, whose driver answers as the question says."""
    cuda = importlib.import_module("vllm.platforms.cuda")
    version = importlib.import_module("vllm.platforms.interface").DeviceCapability
    answers = {
        "get_device_capability": lambda *_, **__: version(*GPU["capability"]),
        "get_device_total_memory": lambda *_, **__: int(GPU["bytes"]),
        "get_device_name": lambda *_, **__: GPU["name"],
        "device_count": lambda *_, **__: GPU["count"],
        "is_fully_connected": lambda *_, **__: True,
    }
    made = type("Asked", (cuda.NonNvmlCudaPlatform,), {name: staticmethod(one) for name, one in answers.items()})
    platforms: Any = importlib.import_module("vllm.platforms")
    platforms.current_platform = made()
    importlib.import_module("torch").cuda.device_count = answers["device_count"]


def words_of(question: Mapping[str, Any], folder: Path) -> list[str]:
    """With a folder of its own for the model: transformers fills in what the question leaves out."""
    auto = importlib.import_module("transformers.models.auto")
    stated = dict(question["config"])
    kind, text = stated.pop("model_type"), stated.pop("text_config", None)
    native = kind in auto.configuration_auto.CONFIG_MAPPING
    nested = {**stated, "text_config": text} if text else stated
    config = auto.AutoConfig.for_model(kind, **nested).to_dict() if native else {**nested, "model_type": kind}
    named = auto.modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(kind)
    config["architectures"] = stated.get("architectures") or [named]
    (folder / "config.json").write_text(json.dumps(config, default=str), encoding="utf-8")
    return [str(folder), *question["words"][MODEL + 1 :]]


def answer(question: Mapping[str, Any], folder: Path) -> str:
    """Empty, or what the engine says."""
    GPU.update(question["gpu"])
    said = types.SimpleNamespace(text="")
    command = importlib.import_module("vllm.entrypoints.launchers.cli_args")
    parser = command.make_arg_parser(importlib.import_module("vllm.utils.argparse_utils").FlexibleArgumentParser())
    parser.error = _refuse
    try:
        args = parser.parse_args(words_of(question, folder))
        command.validate_parsed_serve_args(args)
        args.model, args.skip_tokenizer_init, args.load_format = args.model_tag, True, "auto"
        arguments = importlib.import_module("vllm.engine.arg_utils").AsyncEngineArgs.from_cli_args(args)
        usage = importlib.import_module("vllm.usage.usage_lib").UsageContext.OPENAI_API_SERVER
        arguments.create_engine_config(usage, headless=getattr(args, "headless", False))
    except Exception as error:  # noqa: BLE001 - whatever it says is the answer
        said.text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return said.text


def _refuse(message: str) -> None:
    raise ValueError(message)


def main() -> int:
    """Answer all questions, in order."""
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_LOGGING_LEVEL": "ERROR",
    }
    questions = json.load(sys.stdin)
    answers: list[str] = []
    GPU.update(questions[0]["gpu"])
    platform()
    with contextlib.redirect_stdout(sys.stderr):
        for number, question in enumerate(questions, 1):
            sys.stderr.write(f"question {number} of {len(questions)}\n")
            with tempfile.TemporaryDirectory() as folder:
                answers.append(answer(question, Path(folder)))
    json.dump(answers, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
