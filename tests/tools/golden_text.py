"""Objects as text that a person reads line by line: YAML, with a line for each clause of CEL, and JSON in it unfolded.

It is for reading, and is not applied: a clause's line break is a space in what is declared. The digest beside it is of
what is declared, to the last character.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

FULL = "onprem-h100-roce"
"""The stack with the most components: what most changes touch, shows in it."""
GUARD = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy::"
CLAUSE = re.compile(r" (?=(?:&&|\|\||:) )")
"""The space before a clause of CEL, or the other branch of a condition."""


SHORT = 100
"""Characters of a list or mapping that goes on one line."""


class _Dumper(yaml.SafeDumper):
    """Every text of more than one line as a block, what is short on one line, and nothing by reference."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=_short(items))


def _mapping(dumper: yaml.SafeDumper, mapping: dict[str, Any]) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", mapping, flow_style=_short(mapping))


def _short(value: object) -> bool:
    text = str(value)
    return len(text) <= SHORT and "\\n" not in text


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
_Dumper.add_representer(dict, _mapping)


def texts(objects: Mapping[str, Any]) -> Mapping[str, str]:
    """The files' names and texts: the guards of the teams, and everything else."""
    guards = {one: _each(spec, _clauses) for one, spec in objects.items() if GUARD in one}
    others = {one: _each(spec, _unfolded) for one, spec in objects.items() if one not in guards}
    return {f"{FULL}.yaml": _written(others), f"{FULL}-guards.yaml": _written(guards)}


def _written(objects: Mapping[str, Any]) -> str:
    """A document for each object, under its type and name."""
    documents = ({one: spec} for one, spec in objects.items() if spec)
    return yaml.dump_all(documents, Dumper=_Dumper, width=2**20, allow_unicode=True, explicit_start=True)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """The value with each text in it changed."""
    match value:
        case Mapping():
            return {key: _each(item, change) for key, item in value.items()}
        case list() | tuple():
            return [_each(item, change) for item in value]
        case str():
            return change(value)
        case _:
            return value


def _clauses(text: str) -> str:
    return CLAUSE.sub("\n", text)


def _unfolded(text: str) -> str:
    if not text.startswith("{"):
        return text
    try:
        return json.dumps(json.loads(text), indent=1)
    except ValueError:
        return text
