"""`bedplate upgrade`: the way of a cluster to another version set, and what is known of each chart's way.

bedplate upgrade ENV --to SET      the road there, stage by stage; with --yes it is gone
bedplate upgrade ENV               charts that the profile holds at an older release than this Bedplate's
bedplate upgrade ENV --from DIR    charts since an earlier `bedplate plan ENV --out DIR`
bedplate upgrade --chart C --from V --to V
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bedplate import usage
from bedplate.answer import answer
from bedplate.components.chart_keys import chart_name
from bedplate.progress import progress
from bedplate.stacks.profile.problem import ProfileError
from bedplate.upgrades.records import Verdict
from bedplate.upgrades.upgrade import Upgrade, upgrade
from bedplate.wrong import WRONG, refusing

KNOWN, UNKNOWN = 0, 1


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Say what is known, and by the exit status whether it is enough."""
    options = usage.stated(__file__, "upgrade").parse_args(arguments)
    options.stack = options.stack or options.named
    one = (options.chart, options.old, options.new)
    if options.chart if options.stack else not all(one):
        sys.stderr.write(
            "name a stack, with --to SET or --from DIR of an earlier plan, or a chart and two releases "
            "(--chart NAME --from V --to V)\n"
        )
        return WRONG
    try:
        if options.stack and options.new:
            return _road(options)
        ways = list(_of_stack(options.stack, options.old)) if options.stack else [upgrade(*one)]
    except (ValueError, ProfileError) as error:
        sys.stderr.write(f"{error}\n")
        return WRONG
    if options.json:
        answer("Upgrades", {"upgrades": [way.as_json() for way in ways]})
    else:
        from bedplate.upgrades.show import show  # noqa: PLC0415 - machines do not pay for it

        show(ways)
    return UNKNOWN if any(way.verdict >= Verdict.UNKNOWN for way in ways) else KNOWN


def _road(options: argparse.Namespace) -> int:
    from bedplate.releases.road import road  # noqa: PLC0415 - two releases need no profile
    from bedplate.releases.show import as_json, show  # noqa: PLC0415
    from bedplate.releases.travel import commands, travel  # noqa: PLC0415
    from bedplate.stacks.load import load_stack  # noqa: PLC0415
    from bedplate.stacks.profile.named import named  # noqa: PLC0415

    files, stack = named(options.stack)
    with progress(f"Judging the road of {stack} to {options.new}"):
        way = road(files, stack, options.new)
    if options.json:
        answer("Road", as_json(way))
    else:
        show(stack, way)
    if way.verdict >= Verdict.UNKNOWN:
        return UNKNOWN
    if options.json or not (options.yes or _asked(stack, options.new)):
        return KNOWN
    return travel(files, stack, load_stack(stack, files), way, commands())


def _asked(stack: str, to: str) -> bool:
    """Whether somebody at a terminal says so; nobody is asked where nobody watches."""
    if not sys.stdin.isatty():
        sys.stdout.write(f"To go: bedplate upgrade {stack} --to {to} --yes\n")
        return False
    sys.stderr.write("Is what the stages ask for done, and shall they go? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _of_stack(stack: str, earlier: str | None) -> Iterator[Upgrade]:
    from bedplate.stacks.load import load_named  # noqa: PLC0415 - two releases need no profile
    from bedplate.stacks.profile.charts import chart, component, helm_sections  # noqa: PLC0415

    profile = load_named(stack)
    sections = [section for _, section in helm_sections(profile)]
    if earlier is None:
        for section in sections:
            pinned = component(type(section)).CHART
            if section.version and section.version != pinned.version:
                yield upgrade(pinned.name, section.version, pinned.version, dict(section.overrides))
        return
    now = {chart(section).name: (chart(section).version, dict(section.overrides)) for section in sections}
    for name, version in planned(Path(earlier)):
        wanted, overrides = now.get(name, (version, {}))
        if wanted != version:
            yield upgrade(name, version, wanted, overrides)


def planned(folder: Path) -> Iterator[tuple[str, str]]:
    """Chart and version of each release of an earlier plan, in its order."""
    try:
        releases = json.loads((folder / "releases.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"--from {folder}: no plan there (bedplate plan --out DIR): {error}") from error
    return iter(dict.fromkeys((chart_name(str(one["chart"])), str(one["version"])) for one in releases))
