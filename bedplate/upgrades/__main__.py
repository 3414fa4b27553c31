"""`bedplate upgrade`: the way of each chart to this release's pins, or of one chart between two releases.

With a stack and `--from`, a folder that an earlier `bedplate plan --out` wrote, it is the way of every chart from that
plan to this one, in the order in which they are deployed.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bedplate import usage
from bedplate.components.chart_keys import chart_name
from bedplate.upgrades.records import Verdict
from bedplate.upgrades.upgrade import Upgrade, upgrade
from bedplate.wrong import WRONG, refusing

KNOWN, UNKNOWN = 0, 1


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Say what is known, and by the exit status whether it is enough."""
    options = usage.stated(__file__, "upgrade").parse_args(arguments)
    one = (options.chart, options.old, options.new)
    if (options.chart or options.new) if options.stack else not all(one):
        sys.stderr.write(
            "name a stack (--stack ENV), or a chart and two releases (--chart NAME --from V --to V); with a stack, "
            "--from is the folder of an earlier plan\n"
        )
        return WRONG
    try:
        ways = list(_of_stack(options.stack, options.old)) if options.stack else [upgrade(*one)]
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG
    if options.json:
        sys.stdout.write(json.dumps([way.as_json() for way in ways], indent=2) + "\n")
    else:
        from bedplate.upgrades.show import show  # noqa: PLC0415 - machines do not pay for it

        show(ways)
    return UNKNOWN if any(way.verdict >= Verdict.UNKNOWN for way in ways) else KNOWN


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


if __name__ == "__main__":
    sys.exit(main())
