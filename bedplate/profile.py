"""`bedplate profile show ENV`: the profile whole, its bases merged, with the file and line of every value.

It is what was written: nothing is judged, and what a key that is absent means stands in docs/profile.md.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from bedplate import usage
from bedplate.answer import answer
from bedplate.stacks.profile.bases import tree
from bedplate.stacks.profile.lines import entries
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.reading import constructed
from bedplate.stacks.profile.secrecy import MASK, secrets_within
from bedplate.wrong import refusing

WIDTH = 80
DASH = "- "
END = "...\n"
"""What YAML puts after a document that is a plain scalar."""


@dataclass(frozen=True)
class Line:
    """One line of the profile in YAML; a section's own line holds no value."""

    head: str
    """What stands before the value: `  nodes:`."""
    key: str
    """Path of the value: `pools[0].nodes`."""
    node: yaml.Node | None = None

    @property
    def value(self) -> object:
        """Text, a number or a switch; of lists and sections only an empty one."""
        return constructed(self.node)

    @property
    def origin(self) -> tuple[str, int]:
        """File and line."""
        return (self.node.start_mark.name, self.node.start_mark.line + 1) if self.node else ("", 0)


@refusing
def main(words: list[str]) -> int:
    """Print it."""
    options = usage.stated(__file__, "profile").parse_args(words)
    files, stack = named(options.stack)
    stated = files.profile(stack)  # what is no profile is told first
    lines = [*_lines(tree(files.place(stack), files.file(stack)))]
    hidden = {key for key, _ in secrets_within(stated)}
    if options.json:
        origins = {one.key: dict(zip(("file", "line"), one.origin, strict=True)) for one in lines if one.node}
        values = {one.key: MASK if one.key in hidden else one.value for one in lines if one.node}
        document = {"stack": stack, "values": values, "origins": origins}
        answer("ProfileValues", document)
    else:
        sys.stdout.writelines(_text(one, hidden=one.key in hidden) for one in lines)
    return 0


def _lines(node: yaml.Node, indent: str = "", key: str = "") -> Iterator[Line]:
    """Of a section or a list; `indent` is of its first line, which may begin with a dash."""
    if isinstance(node, yaml.MappingNode):
        parts = [(f"{name.value}:", f"{key}.{name.value}".lstrip("."), value) for name, value in entries(node)]
    else:
        parts = [(DASH.rstrip(), f"{key}[{index}]", value) for index, value in enumerate(node.value)]
    for head, path, value in parts:
        if isinstance(value, yaml.ScalarNode) or not value.value:
            yield Line(f"{indent}{head}", path, value)
        elif head == DASH.rstrip():
            yield from _lines(value, f"{indent}{DASH}", path)
        else:
            yield Line(f"{indent}{head}", path)
            yield from _lines(value, f"{indent.replace('-', ' ')}  ", path)
        indent = indent.replace("-", " ")


def _text(line: Line, *, hidden: bool) -> str:
    """With its origin at the end, or where that would be too wide in a line before."""
    if line.node is None:
        return f"{line.head}\n"
    written = yaml.safe_dump(MASK if hidden else line.value, default_flow_style=True, width=WIDTH * WIDTH)
    text = f"{line.head} {written.removesuffix(END).strip()}"
    comment = "# {}:{}".format(*line.origin)
    if len(text) + 2 + len(comment) <= WIDTH:
        return f"{text}{' ' * (WIDTH - len(text) - len(comment))}{comment}\n"
    return f"{' ' * (WIDTH - len(comment))}{comment}\n{text}\n"
