"""What the build backend makes of this checkout, or of another folder."""

import subprocess
import sys
from pathlib import Path

from bedplate import __version__
from tests.rooms import ROOT

WHEEL, SDIST = f"bedplate-{__version__}-py3-none-any.whl", f"bedplate-{__version__}.tar.gz"


def build(target: str, folder: Path, source: Path = ROOT) -> Path:
    """What the build backend makes of a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    return folder / {"wheel": WHEEL, "sdist": SDIST}[target]
