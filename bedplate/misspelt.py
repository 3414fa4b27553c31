"""What is wrong with a command line, in our words: the word, why, and what to write."""

import re

from bedplate.nearest import meant

CHOICE = re.compile(r"(?s)argument (?P<key>.*?): invalid choice: '?(?P<value>.*?)'? \(choose from (?P<known>.*)\)")
MISSING = re.compile(r"the following arguments are required: (?P<keys>.*)")
VALUE = re.compile(r"argument (?P<key>.*?): invalid (?P<kind>.*?) value: '?(?P<value>.*?)'?")
LACKING = re.compile(r"argument (?P<key>.*?): expected (?P<kind>one|at least one) argument")
KINDS = {"int": "a whole number", "float": "a number"}
"""What Python's types are called."""
SYNONYMS = {
    "-o": ("--format", "--out", "--json"),
    "--output": ("--format", "--out", "--json"),
    "--gpus": ("--shape",),
    "--verbose": ("--traceback",),
}
"""Options as kubectl, Helm and Pulumi have them; the first that a command has is meant."""
SAME = {"start": "up", "create": "up", "stop": "down", "delete": "down", "list": "status"}
"""What others call a verb."""
FLAG = re.compile(r"argument (?P<key>.*?): ignored explicit argument .*")
UNKNOWN = re.compile(r"unrecognized arguments: (?P<value>\S+)")


def worded(message: str, options: list[str]) -> str:
    """A complaint of argparse; `options` are those that the command has."""
    if found := CHOICE.fullmatch(message):
        known = re.findall(r"[^\s,']+", found["known"])
        same = SAME.get(found["value"], "")
        fix = f"did you mean {same}?" if same in known else meant(found["value"], known) or _one_of(known)
        return f"{found['key']} = {found['value']}: not a choice; {fix}"
    if found := MISSING.fullmatch(message):
        return f"{found['keys']}: missing"
    if found := VALUE.fullmatch(message):
        return f"{found['key']} = {found['value']}: not {KINDS.get(found['kind'], 'a ' + found['kind'])}"
    if found := LACKING.fullmatch(message):
        return f"{found['key']}: {found['kind']} value must follow it"
    if found := UNKNOWN.match(message):
        return _unknown(found["value"], options)
    return " ".join(FLAG.sub(r"\g<key>: it takes no value", message).split())


def _unknown(word: str, known: list[str]) -> str:
    if not word.startswith("-"):
        by_option = "; did you mean --stack {word}?" if "--stack" in known else ""
        return f"{word}: one word too many{by_option.format(word=word)}"
    same = next((one for one in SYNONYMS.get(word.partition("=")[0], ()) if one in known), "")
    near = [one for one in known if one != "--help"]
    guess = f"did you mean {same}?" if same else meant(word.partition("=")[0], near)
    return f"{word}: no such option; {guess}".removesuffix("; ")


def _one_of(known: list[str]) -> str:
    return f"use {', '.join(known)}"
