"""The text of a new version set: the newest one's, with what moved, and with the digests that are known now. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from hashlib import sha256

from bedplate.charts import sets
from bedplate.releases.newer import Look

HEAD = "# Version set: what this Bedplate installs (sets.py; docs/releases.md).\n"
ENTRY = re.compile(r"^\[charts\.(?P<chart>[^\]]+)\]\n(?P<body>(?:(?!\[).*\n?)*)", re.MULTILINE)
DEPLOYED = re.compile(r"^charts = \[\n.*?^\]\n", re.MULTILINE | re.DOTALL)


def following(newest: str, today: date) -> str:
    """The name of the set after the newest: this month's, or where that is taken the next that is free."""
    year, month = map(int, newest.split("."))
    after = date(year + month // 12, month % 12 + 1, 1)
    return max(f"{today:%Y.%m}", f"{after:%Y.%m}")


def text(old: str, looks: Iterable[Look]) -> str:
    """The whole file; `proven` of what moved is for `tests.tools.version_sets` to say."""
    said = (sets.DATA / f"{old}.toml").read_text(encoding="utf-8")
    by_name = {look.name: look for look in looks}
    rows = said.splitlines(keepends=True)
    body = "".join(row for row in rows[1:] if not row.startswith("follows = "))
    kubernetes, rest = body.split("\n", 1)
    digest = f"sha256:{sha256(said.encode()).hexdigest()}"
    follows = f'follows = {{ set = "{old}", digest = "{digest}" }}\n'
    entries = ENTRY.sub(lambda found: _entry(found, by_name.get(found["chart"])), rest)
    return f"{HEAD}{kubernetes}\n{follows}{_images(_deployed(entries, old, by_name), by_name)}"


def _entry(found: re.Match[str], look: Look | None) -> str:
    body = found["body"]
    if look and look.moves:
        body = re.sub(r"^(newer|digest) = .*\n", "", body, flags=re.MULTILINE)
        body = body.replace(f'version = "{look.now}"', f'version = "{look.to}"')
        if look.newest != look.to:
            body = body.rstrip("\n") + f'\nnewer = "{look.newest}: of another line"\n\n'
    if look and look.digest:
        body = re.sub(r"^digest = .*\n", "", body, flags=re.MULTILINE).rstrip("\n")
        body += f'\ndigest = "{look.digest}"\n\n'
    return f"[charts.{found['chart']}]\n{body}"


def _images(said: str, looks: Mapping[str, Look]) -> str:
    for look in looks.values():
        said = said.replace(f'"{look.name}" = "{look.now}"', f'"{look.name}" = "{look.to}"')
    return said


def _deployed(said: str, old: str, looks: Mapping[str, Look]) -> str:
    """Nobody has deployed a release that has just come."""
    moved = {name for name, look in looks.items() if look.moves}
    left = [chart for chart in sets.read(old)["deployed"]["charts"] if chart not in moved]
    lines = "".join(f"  {json.dumps(chart)},\n" for chart in left)
    return DEPLOYED.sub(f"charts = [\n{lines}]\n", said, count=1)
