"""`base:` of a profile: what several clusters have in common stands in one file, and each profile says what differs.

The merge is of YAML nodes and not of values, so that each keeps the file and the line where it stands. Only a profile
with a base, and one with a fault, is read so.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from bedplate.stacks.profile.document import BASE, StackFileError, mapping_of
from bedplate.stacks.profile.lines import entries, profile_in, steps, values_of
from bedplate.stacks.profile.reading import NotYamlError, bounded, composed, constructed

FILES = ("hardware.file", "images.file", "serving.servers[].model.config", "extensions[].file")
"""Keys that name a file beside the profile."""
DELETE = {"$patch": "delete"}
"""An item with this in it takes the base's item of that name away; the words are Kustomize's."""
MARKERS = (".git", "Pulumi.yaml")
"""What a repository, or else a project, has at its top."""


def merged(file: Path, shown: str) -> dict[str, Any]:
    """The profile in a file with its bases below it; raises StackFileError, with the place, for what cannot be."""
    return mapping_of(constructed(tree(file, shown)), shown)


def tree(file: Path, shown: str, above: tuple[Path, ...] = ()) -> yaml.MappingNode:
    """The same as nodes, whose marks name the file as messages do; `above` are the files whose base it is."""
    profile = _read(file, shown)
    chain = (*above, file.resolve())
    whole: yaml.MappingNode | None = None
    for place, called in [*_below(profile, file, chain)]:
        below = tree(place, called, chain)
        _move(below, place.parent, file.parent)
        whole = _merged(whole, below) if whole else below
    profile.value = [pair for pair in profile.value if pair[0].value != BASE]
    return _merged(whole, profile) if whole else profile


def sources(file: Path, shown: str, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """The bases of a profile, and theirs."""
    chain = (*above, file.resolve())
    for place, called in _below(_read(file, shown), file, chain):
        yield place
        yield from sources(place, called, chain)


def places(file: Path, shown: str, keys: Iterable[str]) -> list[str]:
    """Of each key, or of the nearest that is there: `clusters/prod.yaml:12`, or that of a base.

    The name alone where the file says nothing about it.
    """
    try:
        start = tree(file, shown)
    except StackFileError:
        return [shown for _ in keys]
    marks = ([start, *(name for name, _ in steps(start, key))][-1].start_mark for key in keys)
    return [f"{mark.name}:{mark.line + 1}" for mark in marks]


def _read(file: Path, shown: str) -> yaml.MappingNode:
    """The nodes of a file's profile: sound, their `<<` resolved, and each with the file's name in its mark."""
    try:
        document = composed(bounded(file))
    except OSError as error:
        raise StackFileError(f"{shown}: cannot be read: {error.strerror}") from error
    except NotYamlError as error:
        raise StackFileError(f"{shown}: is not YAML: {error}") from error
    if document is None:
        return yaml.MappingNode("tag:yaml.org,2002:map", [], yaml.Mark(shown, 0, 0, 0, None, 0))
    for node in _nodes(document):
        mark = node.start_mark
        node.start_mark = yaml.Mark(shown, mark.index, mark.line, mark.column, None, 0)
        if isinstance(node, yaml.MappingNode):  # of a key that `<<` brings, too, the file's own counts
            node.value = list({str(key.value): (key, value) for key, value in node.value}.values())
    profile = profile_in(document)
    if not isinstance(profile, yaml.MappingNode):
        raise StackFileError(f"{_at(profile)}: holds no profile; write its keys as `key: value`")
    return profile


def _nodes(node: yaml.Node) -> Iterator[yaml.Node]:
    """Each once, however many aliases it has."""
    waiting, seen = [node], set[int]()
    while waiting:
        if id(current := waiting.pop()) not in seen:
            seen.add(id(current))
            yield current
            if isinstance(current, yaml.MappingNode):
                waiting += [part for pair in current.value for part in pair]
            elif isinstance(current, yaml.SequenceNode):
                waiting += current.value


def _below(profile: yaml.MappingNode, file: Path, chain: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Where each base lies, and what messages call it; the later goes over the earlier."""
    references = [value for key, value in entries(profile) if key.value == BASE]
    for node in (
        name
        for reference in references
        for name in (reference.value if isinstance(reference, yaml.SequenceNode) else [reference])
    ):
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            raise StackFileError(f"{_at(node)}: base: no file's name; write one, or a list of them")
        place = file.parent / node.value
        if fault := _fault(place, chain):
            raise StackFileError(f"{_at(node)}: base = {node.value}: {fault}")
        yield place, os.path.normpath(Path(node.start_mark.name).parent / node.value)


def _fault(place: Path, chain: tuple[Path, ...]) -> str:
    top = next((top for mark in MARKERS for top in chain[0].parents if (top / mark).exists()), chain[0].parent)
    if not place.resolve().is_relative_to(top):
        return "it lies outside of the repository; copy it into a folder of yours"
    if place.resolve() in chain:
        return "the bases go round in a circle; take this line out"
    return "" if place.is_file() else "there is no such file; it is looked for from the folder of this one"


def _move(profile: yaml.MappingNode, there: Path, here: Path) -> None:
    """Names of files in a base are from its own folder."""
    if there == here:
        return
    files = (node for key in FILES for node in values_of(profile, key))
    for node in {id(node): node for node in files if isinstance(node, yaml.ScalarNode)}.values():
        node.value = os.path.relpath(there / node.value, here)


def _merged(below: yaml.MappingNode, above: yaml.MappingNode) -> yaml.MappingNode:
    """Key by key: sections merge, unless they are of two kinds; what is null is taken away, all else replaces."""
    if (kind := _value(above, "kind")) and kind != _value(below, "kind"):
        return above
    pairs = {key.value: (key, value) for key, value in entries(below)}
    for key, value in entries(above):
        under = pairs.get(key.value)
        if under and isinstance(value, yaml.ScalarNode) and value.tag == "tag:yaml.org,2002:null":
            del pairs[key.value]
        else:
            pairs[key.value] = (key, _over(under[1], value) if under else value)
    return yaml.MappingNode(above.tag, list(pairs.values()), above.start_mark)


def _over(below: yaml.Node, above: yaml.Node) -> yaml.Node:
    if isinstance(below, yaml.MappingNode) and isinstance(above, yaml.MappingNode):
        return _merged(below, above)
    if isinstance(below, yaml.SequenceNode) and (named := _by_name(above)) and (under := _by_name(below)):
        items = {
            **under,
            **{name: _merged(under[name], value) if name in under else value for name, value in named.items()},
        }
        for name, item in named.items():
            if all(_value(item, key) == value for key, value in DELETE.items()):
                if name not in under:
                    raise StackFileError(f"{_at(item)}: name = {name}: no base has it; there is nothing to delete")
                del items[name]
        return yaml.SequenceNode(above.tag, list(items.values()), above.start_mark)
    return above


def _by_name(node: yaml.Node) -> dict[str, yaml.MappingNode]:
    """Items by their `name`; none where one has no name, or two have the same."""
    items = cast("list[yaml.Node]", node.value) if isinstance(node, yaml.SequenceNode) else []
    by_name = {_value(item, "name"): item for item in items if isinstance(item, yaml.MappingNode)}
    return by_name if len(by_name) == len(items) and "" not in by_name else {}


def _value(node: yaml.MappingNode, name: str) -> str:
    values = (value for key, value in entries(node) if key.value == name)
    return next((value.value for value in values if isinstance(value, yaml.ScalarNode)), "")


def _at(node: yaml.Node) -> str:
    return f"{node.start_mark.name}:{node.start_mark.line + 1}"
