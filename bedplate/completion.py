"""Completion of commands, of options and of the project's stacks, for three shells.

The script asks nobody but the command itself: `bedplate completion --words ...` answers with the words that fit.
"""

import sys
from collections.abc import Iterator

from bedplate.commands import COMMANDS, Words
from stacks.profile.stack_file import StackFileError, StackFiles

SCRIPTS = {
    "bash": '_bedplate() { mapfile -t COMPREPLY < <(bedplate completion --words "${COMP_WORDS[@]:1:COMP_CWORD}"); }\n'
    "complete -o default -F _bedplate bedplate\n",
    "zsh": "#compdef bedplate\n"
    '_bedplate() { compadd -- ${(f)"$(bedplate completion --words "${(@)words[2,CURRENT]}")"}; _files }\n'
    "compdef _bedplate bedplate\n",
    "fish": "complete -c bedplate -a '(bedplate completion --words (commandline -opc)[2..] (commandline -ct))'\n",
}
USAGE = f"bedplate completion {'|'.join(SCRIPTS)}"
BY_STACK = ("plan", "preflight", "preview", "up", "down", "verify")
WRONG = 2


def main(words: Words) -> int:
    """Print a shell's script, or what fits."""
    match words:
        case ["--words", *given]:
            sys.stdout.writelines(f"{word}\n" for word in fitting(given))
        case [shell] if shell in SCRIPTS:
            sys.stdout.write(SCRIPTS[shell])
        case ["--help" | "-h"]:
            sys.stdout.write(
                f'usage: bedplate completion {"|".join(SCRIPTS)}\n\nbash: eval "$(bedplate completion bash)"\n'
            )
        case _:
            sys.stderr.write(f"name a shell: {USAGE}\n")
            return WRONG
    return 0


def fitting(given: Words) -> list[str]:
    """What the last of the words, which may be begun only, can become."""
    *before, begun = given or [""]
    return [word for word in _possible(before) if word.startswith(begun)]


def _possible(before: Words) -> Iterator[str]:
    if not before:
        yield from (command.name for command in COMMANDS)
    elif before[0] in BY_STACK or before[-1] in ("--stack", "--profile"):
        try:
            yield from StackFiles.here().known()
        except StackFileError:
            return
