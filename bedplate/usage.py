"""What is wrong with a command line in one line, as with a profile: the word, why, and what to write.

`argparse` prints the usage of six lines before it. A parser of our own class would have to be known to every room that
has a command, and rooms import no other's front door: so the one command replaces how any parser complains.
"""

import argparse
import contextlib
import re
import sys
from collections.abc import Generator
from typing import NoReturn

from bedplate.stacks.profile.nearest import meant

WRONG = 2
CHOICE = re.compile(r"(?s)argument (?P<key>.*?): invalid choice: '?(?P<value>.*?)'? \(choose from (?P<known>.*)\)")
MISSING = re.compile(r"the following arguments are required: (?P<keys>.*)")
VALUE = re.compile(r"argument (?P<key>.*?): invalid (?P<kind>.*?) value: '?(?P<value>.*?)'?")
LACKING = re.compile(r"argument (?P<key>.*?): expected (?P<kind>one|at least one) argument")
KINDS = {"int": "a whole number", "float": "a number"}
"""What Python's types are called."""
SYNONYMS = {
    "-o": ("--format", "--out", "--json"),
    "--output": ("--format", "--out", "--json"),
    "-f": ("--profile", "--file"),
    "--file": ("--profile",),
    "--env": ("--stack", "--profile"),
    "-s": ("--stack",),
}
"""Options as kubectl, Helm and Pulumi have them; the first that a command has is meant."""
UNKNOWN = re.compile(r"unrecognized arguments: (?P<value>\S+)")


@contextlib.contextmanager
def one_line() -> Generator[None]:
    """While it lasts, a wrong command line is one line on standard error, and exit status 2."""
    as_usual = argparse.ArgumentParser.error
    argparse.ArgumentParser.error = _error
    try:
        yield
    finally:
        argparse.ArgumentParser.error = as_usual


def _error(self: argparse.ArgumentParser, message: str) -> NoReturn:
    text = _worded(message, self.format_help())
    sys.stderr.write(f"{self.prog}: {text}{'' if text.endswith('?') else ';'} `{self.prog} --help` says more\n")
    raise SystemExit(WRONG)


def _worded(message: str, help_text: str) -> str:
    if found := CHOICE.fullmatch(message):
        known = re.findall(r"[^\s,']+", found["known"])
        return f"{found['key']} = {found['value']}: not a choice; {meant(found['value'], known) or _one_of(known)}"
    if found := MISSING.fullmatch(message):
        return f"{found['keys']}: missing"
    if found := VALUE.fullmatch(message):
        return f"{found['key']} = {found['value']}: not {KINDS.get(found['kind'], 'a ' + found['kind'])}"
    if found := LACKING.fullmatch(message):
        return f"{found['key']}: {found['kind']} value must follow it"
    if found := UNKNOWN.match(message):
        return _unknown(found["value"], re.findall(r"--[a-z][a-z-]*", help_text))
    return " ".join(message.split())


def _unknown(word: str, known: list[str]) -> str:
    if not word.startswith("-"):
        return f"{word}: one word too many"
    same = next((one for one in SYNONYMS.get(word.partition("=")[0], ()) if one in known), "")
    guess = f"did you mean {same}?" if same else meant(word.partition("=")[0], known)
    return f"{word}: no such option; {guess}".removesuffix("; ")


def _one_of(known: list[str]) -> str:
    return f"use {', '.join(known)}"
