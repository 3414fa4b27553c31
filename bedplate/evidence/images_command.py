"""`bedplate images ENV`: every image that the cluster may pull, for a mirror of an air-gapped site."""

import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.plan.target import Target, target
from bedplate.progress import progress
from bedplate.wrong import WRONG, refusing

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from bedplate.plan.graph import Graph

    from .images import Images

WHOLE, REFUSED, OPEN = 0, 1, 3
USAGE = "bedplate images ENV"


@refusing
def main(words: list[str]) -> int:
    """Plan, list, and say what is missing."""
    options = usage.stated(__file__, "images").parse_args(words)
    if options.format == "crane" and not options.to:
        sys.stderr.write("--format crane: say where to, by --to REGISTRY\n")
        return WRONG
    if options.signers and not options.verify:
        sys.stderr.write("--signers says who signs what: name --verify, too\n")
        return WRONG
    chosen = target(None, options.stack, None, USAGE)
    with progress(f"Planning {chosen.stack}"):
        graph = _planned(chosen)
        images = _found(graph, tuple(options.node_os))
    if options.format == "digests":
        status = _digests(list(images.found), options.to or "")
    elif options.verify:
        status = _verify([*images.found, *_charts(graph)], options.signers)
    else:
        status = _list(images, options, chosen.stack)
    sys.stderr.writelines(f"not known: {text}\n" for text in images.unknown)
    return status or (OPEN if images.unknown else WHOLE)


def _list(images: "Images", options: "argparse.Namespace", stack: str) -> int:
    from .lists import pinned_by, written  # noqa: PLC0415 - `--help` must not cost it

    sys.stdout.write(written(images, options.format, options.to or "", stack))
    by_tag = sum(pinned_by(one) == "tag" for one in images.found)
    sys.stderr.write(f"{len(images.found)} images, {by_tag} of them by tag alone: a tag can move, a digest cannot\n")
    return WHOLE


def _digests(names: list[str], mirror: str) -> int:
    """Of each that goes by a tag, as `images.file` of a profile takes them."""
    from .digests import looked_up, written  # noqa: PLC0415 - only then is a registry asked

    digests, missing = looked_up(names, mirror)
    sys.stdout.write(written(digests))
    sys.stderr.writelines(f"no digest: {text}\n" for text in missing)
    return OPEN if missing else WHOLE


def _planned(chosen: Target) -> "Graph":
    from bedplate.plan.capture import captured  # noqa: PLC0415 - `--help` must not cost it

    return captured(chosen.project, chosen.stack)


def _found(graph: "Graph", systems: tuple[str, ...]) -> "Images":
    from .images import images  # noqa: PLC0415 - `--help` must not cost it

    return images(graph, systems)


def _charts(graph: "Graph") -> list[str]:
    """Those that come from registries; a chart repository has no place for cosign's signatures."""
    from bedplate.plan.answers import RELEASE  # noqa: PLC0415 - only to verify

    inputs = [node.inputs for node in graph.resources if node.type == RELEASE]
    charts = {f"{one['chart']}:{one['version']}" for one in inputs if str(one["chart"]).startswith("oci://")}
    return sorted(chart.removeprefix("oci://") for chart in charts)


def _verify(names: list[str], file: "Path | None") -> int:
    """A line each, and how it went with all of them."""
    from bedplate.components.signatures import signers, verified  # noqa: PLC0415 - only to verify

    with progress(f"Verifying {len(names)} signatures"):
        each = verified(names, signers(file))
    sys.stdout.writelines(f"{one.state:8} {one.name}: {one.text}\n" for one in each)
    states = [one.state for one in each]
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    sys.stderr.write(f"{len(each)} images and charts: {counted}\n")
    return REFUSED if "refused" in states else OPEN if "unknown" in states else WHOLE
