"""The engine's own word on every server that plans clean, and on some that do not: `make test-vllm`."""

import copy
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bedplate.components.serving.server import DEFAULT_IMAGE
from tests.vllm.driver import built
from tests.vllm.questions import python, questions

RELEASE = DEFAULT_IMAGE.rpartition(":v")[2]
HOUR = 3600
WRONG = {
    "an argument that is not there": (["--no-such-argument"], "unrecognized arguments"),
    "a sequence longer than the model's": (["--max-model-len", "99999999"], "greater than the derived"),
    "heads that GPUs do not divide": (["--tensor-parallel-size", "7"], "must be divisible"),
}
pytestmark = pytest.mark.vllm


def ask(asked: list[dict[str, Any]], folder: Path) -> list[str]:
    """The engine's answers, empty where it has no complaint."""
    words = [str(python(RELEASE)), str(Path(__file__).with_name("ask.py"))]
    env = {**os.environ, "LD_LIBRARY_PATH": str(built(python(RELEASE).parent.parent, folder))}
    text = json.dumps(asked)
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=HOUR, env=env, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_the_engine_takes_what_the_plan_takes_and_refuses_what_it_refuses(tmp_path: Path) -> None:
    named = list(questions(RELEASE))
    assert len(named) > 10
    wrong = [{**copy.deepcopy(named[0][1]), "words": [*named[0][1]["words"], *more]} for more, _ in WRONG.values()]
    answers = ask([*(one for _, one in named), *wrong], tmp_path)
    taken, refused = answers[: len(named)], answers[len(named) :]
    complaints = {name: text for (name, _), text in zip(named, taken, strict=True) if text}
    assert complaints == {}
    for (title, (_, reason)), text in zip(WRONG.items(), refused, strict=True):
        assert reason in text, title
