"""`bedplate docs`, and pages named by what a reader has: a checkout its files, a wheel the command."""

import io
import sys

import pytest

from bedplate import terminal
from bedplate.cli import main
from bedplate.naming import with_commands
from bedplate.pages import known
from tests.unit.test_docs import PAGES


def test_a_page_is_printed_as_it_is_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    for asked in ("day-2", "docs/day-2.md", "docs/day-2.md#drift", "Day-2"):
        assert main(["docs", asked]) == 0
        assert capsys.readouterr().out.startswith("# Day 2\n")


def test_without_a_name_it_is_the_list_by_reader(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    assert "| bring a cluster up |" in capsys.readouterr().out


def test_a_word_that_names_no_page_is_looked_for_in_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "mirror"]) == 0
    found = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in found} >= {"images", "releases"}
    assert all(line.endswith(("line", "lines")) for line in found)


def test_what_is_nowhere_is_one_line_with_the_nearest_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "hardwere"]) == 2
    assert capsys.readouterr().err == "hardwere: no page is called so, and none has the word; did you mean hardware?\n"


def test_every_page_has_a_name() -> None:
    own = {
        path
        for path in PAGES
        if path.name not in ("README.md", "CONTRIBUTING.md", "SECURITY.md") or path.parent.name == "docs"
    }
    assert set(known().values()) == own


def test_a_message_names_the_command_where_there_is_no_checkout() -> None:
    text = "required; add it (docs/profile.md has every key; docs/platforms/eks.md#nodes)"
    assert with_commands(text, installed=False) == text
    said = with_commands(text, installed=True)
    assert said == "required; add it (`bedplate docs profile` has every key; `bedplate docs platforms/eks`)"
    assert all(f"`bedplate docs {name}`" in said for name in ("profile", "platforms/eks") if name in known())


def test_every_complaint_goes_that_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "with_commands", lambda text: with_commands(text, installed=True))
    monkeypatch.setattr(sys, "stderr", err := io.StringIO())
    with terminal.guarded():
        sys.stderr.write("see docs/teams.md\n")
    assert err.getvalue() == "see `bedplate docs teams`\n"
