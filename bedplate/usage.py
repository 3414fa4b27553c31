"""The parser of all commands: what is wrong is one line, as with a profile, and a shell is told what may follow.

What is wrong: the word, why, and what to write. What may follow is known from the parser itself: commands and options
by their names, and values by what their help calls them (`bedplate/completion.py`).
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

from bedplate.folders import beside
from bedplate.misspelt import worded
from bedplate.naming import with_commands

WRONG = 2
ARGUMENTS = "arguments.toml"
Row: TypeAlias = Mapping[str, Any]
"""A table of that file."""
JSON, FORMAT = "--json", "--format"
OUTPUT = ("-o", "--output")
"""What kubectl has for both."""
FILE = ("-f", "--file")
"""kubectl's and Helm's."""
NAMING = ("--stack", "--profile", "--env", "-s")
"""How a cluster is named by an option: any of them will do, also where a command takes it as a word."""
CLUSTER = "ENV"


class Begun(Exception):  # noqa: N818 - nothing is wrong
    """A parser was reached with a line that is only begun."""

    def __init__(self, parser: "Parser", words: Sequence[str]) -> None:
        super().__init__()
        self.parser, self.words = parser, words


class Parser(argparse.ArgumentParser):
    """Of a command, or of one of its verbs."""

    hands_on = False
    """Whether what it does not know goes to another program, which has options of these names."""
    is_begun = False
    """Whether the line is only begun, so that whoever would read it is told of the parser in its place (`Begun`)."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride] - one for all of its overloads
        self,
        args: Iterable[str] | None = None,
        namespace: Any = None,  # noqa: ANN401 - argparse's
    ) -> Any:  # noqa: ANN401
        """Read the words."""
        if Parser.is_begun:
            raise Begun(self, list(args or ()))
        if args is None or self.hands_on or self._has_verbs():  # a verb's parser reads its own words
            return super().parse_known_args(args, namespace)
        return super().parse_known_args([*self._in_our_words(iter(args))], namespace)

    def _has_verbs(self) -> bool:
        return any(isinstance(one.choices, dict) for one in self._actions if not one.option_strings)

    def _in_our_words(self, words: Iterator[str]) -> Iterator[str]:
        """What other commands and tools call an option, as this one has it."""
        for word in words:
            name, is_joined, value = word.partition("=")
            if name in self._option_string_actions or name not in (*OUTPUT, *FILE, *NAMING):
                yield word
            elif not is_joined and (following := next(words, None)) is not None:
                yield from self._named(name, following) or (word, following)
            else:
                yield from (is_joined and self._named(name, value)) or (word,)

    def _named(self, name: str, value: str) -> tuple[str, ...]:
        """The option with its value, or the value alone where the command takes it as a word; empty: it has neither."""
        known = self._option_string_actions
        places = [one.metavar for one in self._actions if not one.option_strings]
        if name in OUTPUT:
            return (JSON,) if value == "json" and JSON in known else (FORMAT, value) if FORMAT in known else ()
        if places and (name in FILE or CLUSTER in places):
            return (value,)
        ours = next((one for one in NAMING if one in known), "")
        return (ours, value) if ours and name in NAMING else ()

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride] - one for all of its overloads
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401 - argparse's
    ) -> Any:  # noqa: ANN401
        """Read the words; one too many is told by the verb's parser, which knows the options that were meant."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.at(list(args or ()))[0].error(f"unrecognized arguments: {' '.join(unknown)}")
        return found

    def format_help(self) -> str:
        """With pages named by what the reader has."""
        return with_commands(super().format_help())

    def error(self, message: str) -> NoReturn:
        """One line on standard error, and exit status 2."""
        text = worded(message, list(self.options()))
        sys.stderr.write(f"{self.prog}: {text}{'' if text.endswith('?') else ';'} `{self.prog} --help` says more\n")
        raise SystemExit(WRONG)

    def options(self) -> dict[str, argparse.Action]:
        """Every option that help names, by its long name."""
        known = self._option_string_actions.items()
        return {name: one for name, one in known if name.startswith("--") and one.help != argparse.SUPPRESS}

    def _cluster(self, word: str) -> argparse.Action | None:
        """What takes the value of another option that names a cluster."""
        known = self._option_string_actions
        if word not in NAMING or self.hands_on:
            return None
        by_word = next((one for one in self._actions if not one.option_strings and one.metavar == CLUSTER), None)
        return by_word or next((known[one] for one in NAMING if one in known), None)

    def at(self, before: Sequence[str]) -> "tuple[Parser, argparse.Action | None]":
        """The parser of the verb that these words lead to, and whose value comes next: an option's or a place's."""
        places = [one for one in self._actions if not one.option_strings]
        words = iter(before)
        for word in words:
            option = self._option_string_actions.get(word) or self._cluster(word)
            if option and option.nargs != 0:
                if next(words, None) is None:
                    return self, option
            elif not option and places:
                place = places[0] if places[0].nargs in ("*", "+") else places.pop(0)
                choices: object = place.choices
                verbs = cast("Mapping[str, object]", choices if isinstance(choices, dict) else {})
                if isinstance(verb := verbs.get(word), Parser):
                    return verb.at(list(words))
        return self, places[0] if places else None


@contextmanager
def begun() -> Generator[None]:
    """While it lasts, a command that reads its words raises Begun."""
    Parser.is_begun = True
    try:
        yield
    finally:
        Parser.is_begun = False


def parser(command: str, purpose: str, ends: str = "") -> Parser:
    """Of a command; `ends` says what its exit statuses mean."""
    return Parser(prog=f"bedplate {command}", description=purpose, epilog=_ends(ends))


def _ends(ends: str) -> str | None:
    return f"Exit status {ends}" if ends else None


def stated(module: str, command: str, **given: Any) -> Parser:  # noqa: ANN401 - argparse's
    """The parser that `arguments.toml` beside a module has for a command; `given` are types and choices by their names.

    An argument has the keys of `add_argument`; those that it does not say come from `[shared]` of the file, or of
    bedplate/arguments.toml. Of those with the same word for `either`, one may be given. A command with `verbs` has a
    parser of its own for each, and needs one unless it says `alone`.
    """
    file = beside(module, ARGUMENTS)
    shared = {**beside(__file__, ARGUMENTS)["shared"], **file.get("shared", {})}
    said = file[command]
    whole = parser(command, said["purpose"], said.get("ends", ""))
    whole.usage = said.get("usage")
    _add(whole, said, shared, given)
    if verbs := said.get("verbs"):
        needed = not said.get("alone", False)
        below = whole.add_subparsers(dest=said.get("verb", "verb"), metavar=said.get("metavar"), required=needed)
        for verb, its in verbs.items():
            text, words = its["purpose"], f"{whole.prog} {verb}"
            one = below.add_parser(verb, help=text, description=text, prog=words, epilog=_ends(its.get("ends", "")))
            _add(one, its, shared, given)
    return whole


def _add(one: argparse.ArgumentParser, said: Row, shared: Row, given: Row) -> None:
    groups = defaultdict[str, Any](one.add_mutually_exclusive_group, {"": one})
    for names, own in said.get("arguments", {}).items():
        row = {**shared.get(names, {}), **own}
        for key in ("type", "choices"):
            if isinstance(name := row.get(key), str):
                row[key] = given[name] if name in given else TYPES[name]
        words = {"what": row.pop("what", ""), "choices": ", ".join(map(str, row.get("choices", ())))}
        text = row.pop("help", "").format(**words) or None
        group = groups[row.pop("either", "")]
        group.add_argument(*names.split(), help=argparse.SUPPRESS if row.pop("hidden", False) else text, **row)


def _bounded(name: str, convert: Callable[[str], float], within: Callable[[float], bool]) -> Callable[[str], float]:
    def value(text: str) -> float:
        number = convert(text)
        if not within(number):
            raise ValueError
        return number

    value.__name__ = name  # argparse names it in its message
    return value


TYPES: Mapping[str, Callable[[str], Any]] = {
    "path": Path,
    "int": int,
    "count": _bounded("number from 1 on", int, lambda number: number >= 1),
    "positive": _bounded("number above 0", float, lambda number: 0 < number < float("inf")),
    "ratio": _bounded("number from 1 on", float, lambda number: 1 <= number < float("inf")),
    "part": _bounded("part between 0 and 1", float, lambda number: 0 < number <= 1),
}
"""What a value is, by its name in `arguments.toml`."""
