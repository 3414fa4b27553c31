"""What MkDocs must know to make a site of pages that are written to be read in the repository.

The navigation is docs/README.md itself, the index by reader: a page that it lacks stands under "More". Pages at the
top of the repository are part of the site, and a link to code is its text: the site is of one version, and may be read
where no repository is in reach.
"""

import re
from os.path import relpath
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
PICTURES = DOCS / "pictures"
LOOKS = ROOT / ".ci" / "site.css"
PROJECT = "project"
"""Below it the site has the repository's own pages."""
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)


def pages() -> dict[Path, str]:
    """Every page with its place in the site."""
    own = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    return {**own, **{path: f"{PROJECT}/{path.name}" for path in sorted(ROOT.glob("*.md"))}}


def navigation() -> list[dict[str, Any]]:
    """The index as MkDocs takes it: each page once, where the index names it first."""
    known, seen = pages(), {INDEX}
    named = {(DOCS / target).resolve() for _, target, _ in LINK.findall(INDEX.read_text(encoding="utf-8"))}
    sections: list[dict[str, Any]] = [{"Home": "README.md"}]
    for title, text in _sections(INDEX.read_text(encoding="utf-8")):
        entries = list[dict[str, str | list[str]]]()
        for label, target, _ in LINK.findall(text):
            if (path := (DOCS / target).resolve()) in known and path not in seen:
                below = [one for one in _below(path) if one not in named]
                seen.update((path, *below))
                places = [known[one] for one in (path, *below)]
                entries.append({label[0].upper() + label[1:]: places if below else places[0]})
        sections += [{title: entries}] if entries else []
    left = [place for path, place in known.items() if path not in seen]
    return [*sections, {"More": left}] if left else sections


def _sections(text: str) -> list[tuple[str, str]]:
    """Rows of the readers' table, and what stands below each heading."""
    readers, *others = re.split(r"^## ", text, flags=re.MULTILINE)
    rows = [line.strip("| ").split(" | ", 1) for line in readers.splitlines() if line.startswith("|")][2:]
    found = [(who[0].upper() + who[1:], rest) for who, rest in rows]
    return found + [(other.split("\n", 1)[0], other) for other in others]


def _below(page: Path) -> list[Path]:
    """A page's own pages, in a folder of its name."""
    return sorted(page.with_suffix("").glob("*.md"))


def linked(text: str, page: Path) -> str:
    """A page's text with its links as the site has them; code is left alone."""
    known = pages()
    parts = FENCE.split(text)
    return "".join(
        part if index % 2 else LINK.sub(lambda one: _link(one, page, known), part) for index, part in enumerate(parts)
    )


def _link(found: re.Match[str], page: Path, known: dict[Path, str]) -> str:
    label, target, anchor = found.groups()
    if not target or "://" in target:
        return found.group()
    path = (page.parent / target).resolve()
    if path.is_dir() and path / "README.md" in known:
        path /= "README.md"
    place = path.relative_to(DOCS).as_posix() if path.is_relative_to(PICTURES) else known.get(path)
    if not place:
        return label
    return f"[{label}]({relpath(place, Path(known[page]).parent)}{anchor or ''})"


def on_config(config: Any) -> Any:  # noqa: ANN401 - MkDocs, which only `make docs` needs
    """The navigation, and how it looks."""
    config.nav = navigation()
    config.extra_css.append(LOOKS.name)
    return config


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401
    """The repository's own pages are part of the site, and so is how it looks."""
    from mkdocs.structure.files import File  # noqa: PLC0415

    files.append(File.generated(config, LOOKS.name, abs_src_path=str(LOOKS)))
    for path, place in pages().items():
        if place.startswith(f"{PROJECT}/"):
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Links to where the site has what they mean."""
    places = {place: path for path, place in pages().items()}
    return linked(markdown, places[page.file.src_uri])
