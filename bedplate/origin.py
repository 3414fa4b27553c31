"""Where this Bedplate came from, as a line of `requirements.txt` that installs the very same.

Never the bare name: whoever registers it on a public index would run beside a kubeconfig. The wheel is copied into the
repository and named by its path and digest; where it cannot be had the line names the place where it has to be put,
and an installation without it fails. What an installer notes of the source is `direct_url.json` (PEP 610).
"""

import hashlib
import json
import re
import tomllib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from email import message_from_string
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bedplate import __version__
from bedplate.folders import PROJECT
from bedplate.stacks.profile.stack_file import StackFileError

FOLDER = "wheels"
NAME = f"bedplate-{__version__}-py3-none-any.whl"
EXTRA = re.compile(r"""(?P<need>[^;]+?)\s*;\s*extra == ['"](?P<extra>[a-z]+)['"]""")


@dataclass(frozen=True)
class Origin:
    """What `requirements.txt` names, and the file that it needs beside it."""

    lines: tuple[str, ...]
    wheel: Path | None = None
    """To be copied into the repository's `wheels/`."""
    missing: str = ""
    """What somebody has to put where, before anything can be installed."""


def origin(extra: str, wheel: Path | None = None) -> Origin:
    """Of the wheel that the user names, or else of the one that this Bedplate was installed from."""
    if wheel:
        return _kept(_checked(wheel), extra)
    noted = _noted()
    url: str = noted.get("url", "")
    archive: dict[str, Any] = noted.get("archive_info", {})
    vcs: dict[str, str] = noted.get("vcs_info", {})
    named = f"bedplate[{extra}]" if extra else "bedplate"
    if vcs:
        return Origin((f"{named} @ {vcs['vcs']}+{url}@{vcs['commit_id']}",))
    digest: str = archive.get("hashes", {}).get("sha256", "")
    if digest and not url.startswith("file:"):
        return Origin((f"{named} @ {url}#sha256={digest}",))
    place = Path(unquote(urlsplit(url).path)) if digest else Path(NAME)
    if digest and place.is_file() and _digest(place) == digest:
        return _kept(place, extra)
    return _absent(place, digest, extra)


def _checked(wheel: Path) -> Path:
    if wheel.suffix != ".whl" or not zipfile.is_zipfile(wheel):
        raise StackFileError(f"--wheel {wheel}: no wheel; `make wheel` in a checkout of Bedplate makes one in dist/")
    return wheel


def _noted() -> dict[str, Any]:
    """What the installer noted of the source (PEP 610); a checkout was not installed, an index leaves no note."""
    try:
        return json.loads(distribution("bedplate").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return {}


def _kept(wheel: Path, extra: str) -> Origin:
    with zipfile.ZipFile(wheel) as archive:
        (place,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        stated = message_from_string(archive.read(place).decode()).get_all("Requires-Dist", [])
    return Origin((f"file:{FOLDER}/{wheel.name}#sha256={_digest(wheel)}", *_needs(stated, extra)), wheel)


def _absent(wheel: Path, digest: str, extra: str) -> Origin:
    """A line that installs nothing until the wheel is there."""
    name = wheel.name if wheel.suffix == ".whl" else NAME
    which = f"with the SHA-256 {digest}" if digest else "of `make wheel` in a checkout of Bedplate"
    missing = f"put the wheel {name} {which} into {FOLDER}/, or run this command with `--wheel FILE` in an empty folder"
    line = f"file:{FOLDER}/{name}{f'#sha256={digest}' if digest else ''}"
    return Origin((line, *_needs(_own(), extra)), missing=missing)


def _own() -> list[str]:
    """What this Bedplate needs, by its metadata, or in a checkout by `pyproject.toml`."""
    try:
        return distribution("bedplate").requires or []
    except PackageNotFoundError:
        text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
        stated = tomllib.loads(text)["project"]["optional-dependencies"]
        return [f"{need}; extra == '{extra}'" for extra, needs in stated.items() for need in needs]


def _needs(stated: Iterable[str], extra: str) -> list[str]:
    """What an extra needs, by its own pins: a path in `requirements.txt` cannot ask for one."""
    matches = (EXTRA.fullmatch(line) for line in stated)
    return [match["need"] for match in matches if match and match["extra"] == extra]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
