"""Pulumi's CLI: where it is, what it must see, whether somebody watches, and the policy pack beside it."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bedplate.engine.last_words import SWITCH
from bedplate.folders import INSTALLED, for_programs

JUDGED = ("preview", "up")
"""Commands that the policies judge, with the facts of the profile."""
PACK = "runtime: {{name: python, options: {{toolchain: pip, virtualenv: {environment}}}}}\n"
SERVE = "from bedplate.policies.command.serve import serve\n\nserve()\n"


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
    yield from for_programs()


def quietly() -> tuple[str, ...]:
    """Nobody is asked where nobody watches, as in CI."""
    watched = sys.stdin.isatty() and not os.environ.get("CI")
    return () if watched else ("--non-interactive", "--color", "never")


def policies(stack: str, scratch: Path) -> tuple[str, ...]:
    """The options by which Pulumi runs the policy pack."""
    from bedplate.policies.command.cluster import facts_of  # noqa: PLC0415 - only what is judged pays for the rules
    from bedplate.policies.command.own import of_repository  # noqa: PLC0415
    from bedplate.policies.command.serve import SETTINGS  # noqa: PLC0415
    from bedplate.policies.command.settings import nearest  # noqa: PLC0415
    from bedplate.policies.pack import configuration  # noqa: PLC0415

    config = scratch / "policies.json"
    with of_repository() as levels:
        config.write_text(json.dumps(configuration(facts_of(stack), levels)), encoding="utf-8")
    if file := nearest(Path()):
        os.environ[SETTINGS] = str(file.resolve())
    return "--policy-pack", _pack(scratch / "policies"), "--policy-pack-config", str(config)


def plain(more: Sequence[str], scratch: Path) -> Iterator[str]:
    """An empty configuration for each of the user's own packs without one: ours has one, and Pulumi counts them."""
    given = [word.partition("=")[0] for word in more]
    lacking = given.count("--policy-pack") - given.count("--policy-pack-config")
    if lacking > 0:
        config = scratch / "none.json"
        config.write_text("{}", encoding="utf-8")
        yield from ("--policy-pack-config", str(config)) * lacking


def _pack(folder: Path) -> str:
    """The project's own folder, or where Bedplate is installed one that names its environment."""
    if not INSTALLED:
        return "policies"
    folder.mkdir()
    (folder / "PulumiPolicy.yaml").write_text(PACK.format(environment=sys.prefix), encoding="utf-8")
    (folder / "__main__.py").write_text(SERVE, encoding="utf-8")
    return str(folder)
