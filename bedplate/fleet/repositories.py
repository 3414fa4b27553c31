"""Other repositories at a revision: fetched once into the user's cache, by git and with the user's own credentials."""

import hashlib
import os
import subprocess
from pathlib import Path

from bedplate.wrong import WrongError

SECONDS = 300
"""For one fetch."""


def checkout(address: str, revision: str) -> Path:
    """A folder with the repository as it was at the revision; a branch is fetched anew each time."""
    folder = _cache() / hashlib.sha256(f"{address}\n{revision}".encode()).hexdigest()[:16]
    if not (folder / ".git").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _git(folder, address, "init", "--quiet")
    _git(folder, address, "fetch", "--quiet", "--depth", "1", "--no-tags", address, revision)
    _git(folder, address, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    return folder


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bedplate" / "fleets"


def _git(folder: Path, address: str, *words: str) -> None:
    """Nobody is asked for a password: a run that nobody watches would wait for ever."""
    variables = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=SECONDS)  # noqa: S603 - git of the user's PATH
    except subprocess.TimeoutExpired as error:
        raise WrongError(f"{address}: no answer within {SECONDS} s") from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["git failed"]
        raise WrongError(f"{address} at {words[-1]}: cannot be had: {said[-1]}")
