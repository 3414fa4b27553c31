"""Where Bedplate lies: the one place that knows a checkout from an installed package.

In a checkout `components/`, `stacks/` and `policies/` stand at the top, beside `Pulumi.yaml`, and are linked into this
package; in a wheel they are folders of it. So one import name serves both, and whoever needs a file beside a module
takes it by `Path(__file__)`, or what it says by `beside`. Nothing here is resolved: the lab's project is a folder of
links, and its own.
"""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
"""The one import root."""
INSTALLED = (PACKAGE / "project").is_dir()
"""From a wheel, which has the project in the package."""
PROJECT = PACKAGE / "project" if INSTALLED else PACKAGE.parent
"""What declares a profile and nothing else, with the example stacks."""


def for_programs() -> Iterator[tuple[str, str]]:
    """What Pulumi's language host must see, so that a project without an environment of its own runs in this one."""
    if INSTALLED:
        yield "PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        if not find_spec("components"):  # last on the path: whoever has such a package has the name
            yield "PYTHONPATH", os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(PACKAGE / "house"))))


def beside(module: str, name: str) -> Mapping[str, Any]:
    """The tables of a TOML file beside a module, which says `__file__`."""
    return tomllib.loads(Path(module).with_name(name).read_text(encoding="utf-8"))
