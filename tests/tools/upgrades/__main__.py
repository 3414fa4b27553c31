"""Try recorded steps again, and write what was seen.

    python -m tests.tools.upgrades --clones DIR [--chart NAME ...] [--from VERSION ...]

Every release's CRDs come from its clone below DIR (`<owner>+<name>/repo`), or without one from Go's module proxy and the
upstream data, as far as those have it. A pair takes ten seconds, and more on a busy machine.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bedplate.lab import LabError
from bedplate.lab.binaries import provide
from bedplate.lab.cluster import Cluster
from bedplate.upgrades.records import Transition, every
from tests.tools.upgrades.api import Api
from tests.tools.upgrades.labs import Convert, bare, with_kueue
from tests.tools.upgrades.prove import prove
from tests.tools.upgrades.record import write
from tests.tools.upgrades.releases import ORIGINS, Definitions, of_anyone, of_clone

CONVERTED = "kueue"


def main() -> int:
    """1 where a release cannot be had."""
    parser = argparse.ArgumentParser(description="Try recorded steps again.")
    parser.add_argument("--clones", type=Path, help="folder of bare clones")
    parser.add_argument("--chart", action="append", choices=list(ORIGINS), help="by default all")
    parser.add_argument("--from", dest="old", metavar="VERSION", action="append", help="by default every recorded one")
    options = parser.parse_args()
    wanted = [step for step in every() if step.chart in (options.chart or ORIGINS)]
    wanted = [step for step in wanted if not options.old or step.old in options.old]
    plain = [step for step in wanted if step.chart != CONVERTED]
    converted = [step for step in wanted if step.chart == CONVERTED]
    had = partial(definitions, clones=options.clones)
    cluster = Cluster("upgrades", provide())
    left_out = 0
    with ExitStack() as stack:
        if plain:
            left_out += _try(plain, had, stack.enter_context(bare(cluster)))
        if converted:
            left_out += _try(converted, had, *stack.enter_context(with_kueue(cluster)))
    return 1 if left_out else 0


def definitions(chart: str, version: str, clones: Path | None) -> Definitions:
    """A release's CRDs, from whoever has them."""
    if clones and ORIGINS[chart].folders:
        return of_clone(chart, version, clones)
    return of_anyone(chart, version, Path(tempfile.gettempdir()))


def _try(
    steps: Sequence[Transition], had: "partial[Definitions]", api: Api, convert: Convert = lambda same: same
) -> int:
    """How many could not be tried; each is written down at once."""
    left_out = 0
    for step in steps:
        try:
            pair = had(step.chart, step.old), had(step.chart, step.new)
        except LabError as why:
            sys.stderr.write(f"left out: {step.chart} {step.old} → {step.new}: {why}\n")
            left_out += 1
            continue
        write({step: (*pair, prove(api, step.chart, *map(convert, pair)))})
        sys.stderr.write(f"{step.chart} {step.old} → {step.new}\n")
    return left_out


if __name__ == "__main__":
    raise SystemExit(main())
