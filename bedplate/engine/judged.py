"""The policy pack beside a preview and an `up`, with the facts of the profile."""

import json
import sys
from pathlib import Path

from bedplate.folders import INSTALLED

COMMANDS = ("preview", "up")
PACK = "runtime: {{name: python, options: {{toolchain: pip, virtualenv: {environment}}}}}\n"
SERVE = "from bedplate.policies.pack import serve\n\nserve()\n"


def options(stack: str, scratch: Path) -> tuple[str, ...]:
    """The options of Pulumi."""
    from bedplate.policies.command.cluster import facts_of  # noqa: PLC0415 - only what is judged pays for the rules
    from bedplate.policies.pack import configuration  # noqa: PLC0415

    config = scratch / "policies.json"
    config.write_text(json.dumps(configuration(facts_of(stack))), encoding="utf-8")
    return "--policy-pack", _pack(scratch / "policies"), "--policy-pack-config", str(config)


def _pack(folder: Path) -> str:
    """The project's own folder, or where Bedplate is installed one that names its environment."""
    if not INSTALLED:
        return "policies"
    folder.mkdir()
    (folder / "PulumiPolicy.yaml").write_text(PACK.format(environment=sys.prefix), encoding="utf-8")
    (folder / "__main__.py").write_text(SERVE, encoding="utf-8")
    return str(folder)
