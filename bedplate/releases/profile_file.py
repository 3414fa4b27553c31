"""`set` and `upgrade` of a profile, written where they stand in its file; all the rest stays as it is."""

import re
from collections.abc import Iterator

import yaml

from bedplate.releases.road import Place
from bedplate.stacks.profile.lines import Edit, edited, node_of, profile_in, rewrite, written_in
from bedplate.stacks.profile.stack_file import StackFiles

KEYS = ("set", "upgrade")


def write(files: StackFiles, stack: str, place: Place) -> None:
    """Say in the profile's file where it stands now; raises StackFileError where nobody but its author can."""
    file, shown = files.place(stack), files.file(stack)
    text = file.read_bytes().decode("utf-8")
    meant = {**{key: value for key, value in written_in(text).items() if key not in KEYS}, **place.keys}
    fault = f"{shown}: set and upgrade cannot be written into it; write each on a line of its own"
    rewrite(file, rewritten(text, place), meant, fault)


def rewritten(text: str, place: Place) -> str:
    """The text with both keys as they should be."""
    return edited(text, _edits(text, place))


def _edits(text: str, place: Place) -> Iterator[Edit]:
    document = yaml.compose(text, yaml.SafeLoader)
    profile = profile_in(document) if document else None
    if not isinstance(profile, yaml.MappingNode) or profile.flow_style:
        return
    first = profile.value[0][0].start_mark
    fresh: list[str] = []
    for key in KEYS:
        line = _line(key, place)
        if (name := node_of(profile, key)) is None:
            fresh += [line] if line else []
        else:
            value = next(value for one, value in profile.value if one is name)
            start = name.start_mark.index
            end = start + len(text[start : value.end_mark.index].rstrip())  # a block ends where the next key begins
            rest = re.compile(r"[^\n]*\n?").match(text, end)
            whole = (start - name.start_mark.column, rest.end() if rest else end)
            yield (start, end, line) if line else (*whole, "")
    yield first.index, first.index, "".join(f"{line}\n{' ' * first.column}" for line in fresh)


def _line(key: str, place: Place) -> str:
    """A key of it as text; empty where it is not said."""
    if key == "set":
        return f'set: "{place.here}"'
    return f'upgrade: {{to: "{place.to}", moved: [{", ".join(place.moved)}]}}' if place.to else ""
