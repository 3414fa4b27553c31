"""`bedplate images ENV`: every image that the cluster may pull, for a mirror of an air-gapped site."""

import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.plan.progress import progress
from bedplate.plan.target import Target, target
from bedplate.wrong import WRONG, refusing

if TYPE_CHECKING:
    from .images import Images

WHOLE, OPEN = 0, 3
USAGE = "bedplate images ENV"


@refusing
def main(words: list[str]) -> int:
    """Plan, list, and say what is missing."""
    options = usage.stated(__file__, "images").parse_args(words)
    if options.format == "crane" and not options.to:
        sys.stderr.write("--format crane: say where to, by --to REGISTRY\n")
        return WRONG
    chosen = target(None, options.stack, None, USAGE)
    with progress(f"Planning {chosen.stack}"):
        images = _found(chosen, tuple(options.node_os))
    from .lists import pinned_by, written  # noqa: PLC0415 - `--help` must not cost it

    sys.stdout.write(written(images, options.format, options.to or "", chosen.stack))
    by_tag = sum(pinned_by(image) == "tag" for image in images.found)
    sys.stderr.write(f"{len(images.found)} images, {by_tag} of them by tag alone: a tag can move, a digest cannot\n")
    sys.stderr.writelines(f"not known: {text}\n" for text in images.unknown)
    return OPEN if images.unknown else WHOLE


def _found(chosen: Target, systems: tuple[str, ...]) -> "Images":
    from bedplate.plan.capture import captured  # noqa: PLC0415 - `--help` must not cost it

    from .images import images  # noqa: PLC0415

    return images(captured(chosen.project, chosen.stack), systems)
