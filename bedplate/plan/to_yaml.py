"""YAML for people and for kubectl: keys in the order given, long texts as blocks."""

import re
from typing import TYPE_CHECKING

import yaml

from .wire import Json

if TYPE_CHECKING:
    from yaml import SafeDumper
else:
    SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # libyaml is ten times as fast, where PyYAML has it


class _Dumper(SafeDumper):
    """Our own, so that what is set on it below stays ours."""

    def ignore_aliases(self, data: Json) -> bool:  # noqa: ARG002 - PyYAML's signature
        """Write everything out: an anchor helps no reader."""
        return True


# `1e3` and `0o14` are text to PyYAML, which would not quote them, and numbers to kubectl and Helm.
NUMBER_ELSEWHERE = re.compile(r"[-+]?[0-9.][0-9_.]*[eE][-+]?[0-9]+|0o[0-7]+")


def _text(_: SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else "'" if NUMBER_ELSEWHERE.fullmatch(text) else None
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def to_yaml(value: Json) -> str:
    """One document."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
