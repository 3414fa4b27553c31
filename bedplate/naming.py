"""How a message names a page: `docs/profile.md` in a checkout, the command that shows it where there is none."""

import re

from bedplate.folders import INSTALLED

PAGE = re.compile(r"\bdocs/([a-z0-9/-]+)\.md(#[a-z0-9-]+)?")


def with_commands(text: str, *, installed: bool = INSTALLED) -> str:
    """A text whose pages are named by what its reader has."""
    return PAGE.sub(r"`bedplate docs \1`", text) if installed else text
