"""actionlint on the workflows and on the shell within them; here, because Go builds it as it does the lab."""

import os
import subprocess
from pathlib import Path

import pytest

from bedplate.lab.binaries import LabError, Project, provide

ROOT = Path(__file__).parents[2]
ACTIONLINT = Project(
    "actionlint", "github.com/rhysd/actionlint", "v1.7.12", {"actionlint": "github.com/rhysd/actionlint/cmd/actionlint"}
)


def test_actionlint_finds_nothing_here_and_in_what_a_company_gets(tmp_path: Path) -> None:
    try:
        actionlint = provide(ACTIONLINT)["actionlint"]
    except LabError as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    for path in (ROOT / "bedplate" / "repository").glob("*.yml"):
        if path.name.startswith(("pre-commit", "gitlab")):  # of other programs
            continue
        workflows.append(tmp_path / path.name)
        workflows[-1].write_text(path.read_text().replace("{{environment}}", "prod"))
    done = subprocess.run([actionlint, "-no-color", *workflows], capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0
