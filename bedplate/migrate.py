"""`bedplate migrate FILE`: write the new names of renamed keys into a profile; nothing else in the file changes."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from bedplate import usage
from bedplate.stacks.profile.lines import Edit, edited, node_of, profile_in, rewrite, written_in
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.renamed import Old, old_names, with_new_names
from bedplate.stacks.profile.stack_file import StackFiles
from bedplate.wrong import refusing

CLEAN, OLD = 0, 1


@refusing
def main(words: list[str]) -> int:
    """Rewrite, or with `--check` only say what would be."""
    options = usage.stated(__file__, "migrate").parse_args(words)
    return _migrate(*named(options.file), check=options.check)


def _migrate(files: StackFiles, stack: str, *, check: bool) -> int:
    """The profile's own file, and its bases."""
    files.profile(stack)  # what is no profile is told first
    shown, place = files.file(stack), files.place(stack)
    below = {os.path.normpath(Path(shown).parent / name): one for name, one in files.bases(stack).items()}
    return max(_rewrite(name, one, check=check) for name, one in {shown: place, **below}.items())


def _rewrite(shown: str, place: Path, *, check: bool) -> int:
    data = place.read_bytes().decode("utf-8-sig")
    stated = written_in(data)
    meant = with_new_names(stated, shown, place, refuse=False)  # old and new side by side are refused here
    found = old_names(stated)
    if not found:
        sys.stdout.write(f"{shown}: every key has its name of today\n")
        return CLEAN
    text, said = rewritten(data, found, shown)
    sys.stdout.writelines(said)
    if check:
        return OLD
    rewrite(place, text, meant, f"{shown}: an old key comes from an anchor that others share; rename it by hand")
    return CLEAN


def rewritten(text: str, found: list[Old], shown: str) -> tuple[str, list[str]]:
    """The text with the new names in it, and a line about each."""
    marks = sorted(set(_marks(text, found)), reverse=True)
    said = [
        f"{shown}:{text.count(chr(10), 0, start) + 1}: {text[start:end]} is {new} now\n" for start, end, new in marks
    ]
    return edited(text, marks), said[::-1]


def _marks(text: str, found: list[Old]) -> Iterator[Edit]:
    """From where to where each name stands in the text."""
    document = yaml.compose(text, yaml.SafeLoader)
    for old in found:
        if document and (node := node_of(profile_in(document), old.key)):
            yield node.start_mark.index, node.end_mark.index, old.renaming.new
