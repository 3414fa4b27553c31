"""Questions to a cloud by its own command line, all at once; an answer, or why there is none."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

SECONDS = 60
"""A question that takes longer has no answer."""
CURE = 4
"""Lines from gcloud's error to the command that helps."""


class Question(Protocol):
    """One call that only reads."""

    @property
    def title(self) -> str:
        """What the user reads of it."""
        ...

    def words(self) -> tuple[str, ...]:
        """The command and its arguments."""
        ...


@dataclass(frozen=True)
class Answer:
    """What came back."""

    data: Any = None
    failure: str = ""
    """Why nothing did."""


Ask = Callable[[Question], Answer]


def all_at_once(questions: Mapping[str, Question], ask: Ask) -> dict[str, Answer]:
    """Every answer by its question's name: they wait for the network, not for each other."""
    with ThreadPoolExecutor(max_workers=max(1, len(questions))) as pool:
        waiting = {name: pool.submit(ask, question) for name, question in questions.items()}
        return {name: future.result() for name, future in waiting.items()}


def missing(questions: Mapping[str, Question]) -> str | None:
    """A command that is not there."""
    commands = dict.fromkeys(question.words()[0] for question in questions.values())
    return next((command for command in commands if shutil.which(command) is None), None)


def by_command(question: Question, seconds: int = SECONDS) -> Answer:
    """The cloud's command, with the login that the user's shell has."""
    quiet = {**os.environ, "AWS_PAGER": "", "CLOUDSDK_CORE_DISABLE_PROMPTS": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - words of ours, no shell
            question.words(), capture_output=True, text=True, check=False, timeout=seconds, env=quiet
        )
    except subprocess.TimeoutExpired:
        return Answer(failure=f"no answer within {seconds} s")
    if done.returncode:
        return Answer(failure=reason(done.stderr) or f"exit status {done.returncode}")
    try:
        return Answer(json.loads(done.stdout or "null"))
    except ValueError:
        return Answer(failure="the answer is no JSON")


def reason(text: str) -> str:
    """Why a command failed: gcloud's `ERROR:` and the command that helps, else the last line, as AWS's has it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((index for index, line in enumerate(lines) if line.startswith("ERROR:")), None)
    if error is None:
        return lines[-1] if lines else ""
    cure = next((index for index, line in enumerate(lines) if index > error and line.startswith("$ ")), len(lines) - 1)
    return " ".join(lines[error : min(cure + 1, error + CURE)])
