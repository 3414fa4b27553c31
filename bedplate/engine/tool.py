"""Pulumi's CLI: where it is, what it must see, and whether somebody watches."""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bedplate.engine.last_words import SWITCH
from bedplate.folders import INSTALLED, PACKAGE


def cli() -> str:
    """The CLI, downloaded where there is none."""
    from bedplate.lab.deploy import provide_cli  # noqa: PLC0415 - `--help` must not cost it

    return provide_cli()


def environment(scratch: Path) -> Iterator[tuple[str, str]]:
    """What the CLI and its language host must see; an empty backend's name is none."""
    if text := os.environ.get("KUBECONFIG_TEXT"):
        kubeconfig = scratch / "kubeconfig"
        kubeconfig.touch(mode=0o600)
        kubeconfig.write_text(f"{text}\n", encoding="utf-8")
        yield "KUBECONFIG", str(kubeconfig)
    yield SWITCH
    if not os.environ.get("PULUMI_BACKEND_URL"):
        os.environ.pop("PULUMI_BACKEND_URL", None)
    if INSTALLED:  # a project without an environment of its own runs in this one, where Bedplate is
        yield "PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        if not find_spec("components"):  # last on the path: whoever has such a package has the name
            yield "PYTHONPATH", os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(PACKAGE / "house"))))


def quietly() -> tuple[str, ...]:
    """Nobody is asked where nobody watches, as in CI."""
    watched = sys.stdin.isatty() and not os.environ.get("CI")
    return () if watched else ("--non-interactive", "--color", "never")
