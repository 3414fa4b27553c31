"""`.ci/pulumi` as a person at a desk runs it, in the project of a lab's stack."""

import os
import subprocess
from pathlib import Path

from bedplate.lab.engine import Engine
from tests.rooms import ROOT

LINKED = (".ci",)


def run(engine: Engine, *arguments: str) -> tuple[int, str]:
    """Its exit status, and all that it says; the environment of Python is there already, so `make` has nothing to do."""
    for name in LINKED:
        link = engine.folder / name
        if not link.exists():
            link.symlink_to(ROOT / name)
    variables = {**engine.variables, "PATH": f"{_no_make(engine)}{os.pathsep}{engine.variables['PATH']}", "CI": "true"}
    command = [str(engine.folder / ".ci" / "pulumi"), arguments[0], "lab", *arguments[1:]]
    done = subprocess.run(command, cwd=engine.folder, env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _no_make(engine: Engine) -> Path:
    folder = engine.folder / "no-make"
    folder.mkdir(exist_ok=True)
    (folder / "make").write_text("#!/bin/sh\n")
    (folder / "make").chmod(0o755)
    return folder
