"""`bedplate images ENV`: every image that the cluster may pull, for a mirror of an air-gapped site.

Exit status 0: the list is whole; 3: something could not be looked at, and standard error says what; 2: the profile or
the command is wrong.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from bedplate.plan.errors import PlanError
from bedplate.plan.progress import progress
from bedplate.plan.target import Target, target

if TYPE_CHECKING:
    from .images import Images

WHOLE, WRONG, OPEN = 0, 2, 3
FORMATS = ("text", "json", "skopeo", "crane", "oc-mirror")
USAGE = "bedplate images ENV"


def main(words: list[str]) -> int:
    """Plan, list, and say what is missing."""
    options = _parser().parse_args(words)
    if options.format == "crane" and not options.to:
        sys.stderr.write("--format crane: say where to, by --to REGISTRY\n")
        return WRONG
    try:
        chosen = target(None, options.stack, None, USAGE)
        with progress(f"Planning {chosen.stack}"):
            images = _found(chosen, tuple(options.node_os or ()))
    except PlanError as error:
        sys.stderr.writelines(f"{line}\n" for line in error.lines)
        return WRONG
    from .lists import pinned_by, written  # noqa: PLC0415 - `--help` must not cost it

    sys.stdout.write(written(images, options.format, options.to or "", chosen.stack))
    by_tag = sum(pinned_by(one) == "tag" for one in images.found)
    sys.stderr.write(f"{len(images.found)} images, {by_tag} of them by tag alone: a tag can move, a digest cannot\n")
    sys.stderr.writelines(f"not known: {text}\n" for text in images.unknown)
    return OPEN if images.unknown else WHOLE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bedplate images",
        description="List every image that the cluster may pull: of charts, custom resources, operators' defaults.",
        epilog="Exit status 0: the list is whole; 2: the profile or the command is wrong; 3: something could not be "
        "looked at, and standard error says what. docs/images.md says more.",
    )
    parser.add_argument("stack", metavar="ENV", help="a stack of this project, or any file that holds a profile")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="for people, machines or a tool (default: %(default)s)"
    )
    parser.add_argument("--to", metavar="REGISTRY", help="for crane: the mirror, such as registry.example.com/mirror")
    parser.add_argument(
        "--node-os",
        metavar="SYSTEM",
        action="append",
        help="GPU nodes' system as drivers' tags end: ubuntu24.04, rhel9; may be repeated",
    )
    return parser


def _found(chosen: Target, systems: tuple[str, ...]) -> "Images":
    from bedplate.plan.capture import captured  # noqa: PLC0415 - `--help` must not cost it

    from .site import images  # noqa: PLC0415

    return images(captured(chosen.project, chosen.stack), systems)
