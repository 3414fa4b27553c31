"""The pages as a site: each has a place in the navigation, and no link leaves the site or leads nowhere."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from posixpath import join, normpath
from types import ModuleType
from typing import Any

import pytest

from tests.rooms import ROOT
from tests.unit.test_docs import FENCE, PAGES, anchors, links


def _site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bedplate_site", ROOT / ".ci" / "site.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = _site()
PLACES: dict[Path, str] = SITE.pages()


def places(entry: Any) -> list[str]:
    """Of a part of the navigation, at any depth."""
    if isinstance(entry, str):
        return [entry]
    below = entry.values() if isinstance(entry, dict) else entry
    return [place for one in below for place in places(one)]


def test_every_page_stands_once_in_the_navigation_and_the_index_comes_first() -> None:
    found = places(SITE.navigation())
    assert sorted(found) == sorted(PLACES.values())
    assert found[0] == "README.md"
    assert set(PLACES) == set(PAGES)


def test_readers_find_their_part_of_the_navigation() -> None:
    titles = [title for one in SITE.navigation() for title in one]
    assert titles[:2] == ["Home", "Bring a cluster up"]
    assert {"Train models on one", "Review changes", "Platforms", "Components", "Decisions"} <= set(titles)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_page_of_the_site(page: Path) -> None:
    by_place = {place: path for path, place in PLACES.items()}
    text = FENCE.sub("", SITE.linked(page.read_text(encoding="utf-8"), page))
    for _, target, anchor in SITE.LINK.findall(text):
        if target.endswith(".svg"):
            assert (ROOT / "docs" / normpath(join(str(Path(PLACES[page]).parent), target))).is_file()
        elif "://" not in target and target:
            path = by_place[normpath(join(str(Path(PLACES[page]).parent), target))]
            assert not anchor or anchor[1:] in anchors(path), f"{page.name}: {target}{anchor}"


def test_a_link_to_code_is_its_text_and_code_is_left_alone() -> None:
    page = ROOT / "README.md"
    text = "[the table](stacks/platform/deploy.py), [it](docs/plan.md#files) and `[a](b.md)`\n```\n[a](b.md)\n```\n"
    said = SITE.linked(text, page)
    assert said == "the table, [it](../plan.md#files) and `[a](b.md)`\n```\n[a](b.md)\n```\n"
    assert any(target == ROOT / "stacks" / "platform" / "deploy.py" for target, _ in links(page)), (
        "such links are there"
    )


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    if not importlib.util.find_spec("mkdocs"):
        pytest.skip("MkDocs is not in this environment: `make docs` builds the site with that of the lock")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "site" / "plan.html").read_text()
    assert not re.search(r'<(script|link|img)[^>]*(src|href)="https?://', page), "nothing is fetched from elsewhere"
    assert 'href="site.css"' in page
    assert "@media print" in (tmp_path / "site" / "site.css").read_text()


def test_ci_builds_the_site_and_people_do_by_one_word() -> None:
    assert "make lint types docs" in (ROOT / ".ci" / "run").read_text()
    assert "mkdocs build --strict" in (ROOT / "Makefile").read_text()


def test_a_page_of_its_own_stands_below_the_page_that_it_belongs_to() -> None:
    entries = next(part for one in SITE.navigation() for title, part in one.items() if title == "Bring a cluster up")
    profile = next(part for one in entries for part in one.values() if "profile.md" in part)
    assert profile[0] == "profile.md"
    assert "profile/fabric.md" in profile[1:]
