"""`bedplate docs [PAGE or WORD]`: the pages, also where there is no repository."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bedplate import usage
from bedplate.folders import INSTALLED, PACKAGE, PROJECT
from bedplate.nearest import meant
from bedplate.wrong import WRONG

DOCS = PACKAGE / "docs" if INSTALLED else PROJECT / "docs"
TOP = ("CHANGELOG", "UPGRADING")
"""Pages that stand at the top of a checkout; a wheel has them beside the others."""
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
INDEX = "readme"


def main(words: list[str]) -> int:
    """Show a page, the list of them, or those that have a word."""
    parser = usage.parser("docs", "Read the pages. A word that names none is looked for in all of them.")
    parser.add_argument("page", nargs="?", default=INDEX, metavar="PAGE", help="profile, day-2 …, or a word")
    asked = str(parser.parse_args(words).page)
    pages = known()
    name = asked.partition("#")[0].removeprefix("docs/").removesuffix(".md").lower()
    if name in pages:
        return _show(pages[name])
    if having := list(_having(pages, asked)):
        sys.stdout.writelines(having)
        return 0
    fix = meant(name, list(pages)) or "`bedplate docs` lists them"
    sys.stderr.write(f"{asked}: no page is called so, and none has the word; {fix}\n")
    return WRONG


def known() -> dict[str, Path]:
    """Every page by its name, such as `profile` and `platforms/eks`."""
    top = [] if INSTALLED else [PROJECT / f"{name}.md" for name in TOP]
    own = {path.relative_to(DOCS).with_suffix("").as_posix().lower(): path for path in sorted(DOCS.rglob("*.md"))}
    return own | {path.stem.lower(): path for path in top}


def _having(pages: dict[str, Path], word: str) -> Iterator[str]:
    width = max(map(len, pages))
    for name, path in pages.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        if count := sum(word.lower() in line.lower() for line in lines):
            yield f"{name:{width}}  {lines[0].lstrip('# ')}: {count} line{'s' if count > 1 else ''}\n"


def _show(path: Path) -> int:
    text = path.read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return 0
    from rich.markdown import Markdown  # noqa: PLC0415 - only a terminal pays for it

    from bedplate.console import for_people  # noqa: PLC0415

    os.environ.setdefault("LESS", "-R")
    console = for_people()
    with console.pager(styles=True):
        console.print(Markdown(LINK.sub(r"\1", text)))
    return 0
